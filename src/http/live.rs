//! A thread's records as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use tokio::time::sleep;

use super::bodies::Record;
use super::request::Named;
use super::{ApiError, App};
use crate::engine::{self, Followed, Follower, Progress};
use crate::object::{Hash, ThreadId};
use crate::store;
use crate::worker::control::ControlError;

/// How soon the store is looked at again after a step. Twice as long after each
/// look that found nothing, up to the second one: a step shows at most so late.
const SHORTEST_POLL: Duration = Duration::from_millis(25);
const LONGEST_POLL: Duration = Duration::from_millis(400);
/// When a client may come again after the connection broke.
const RETRY: Duration = Duration::from_secs(1);

/// `GET /api/threads/:id/live`
pub async fn live(
    State(app): State<App>,
    Named(id): Named,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let seen = last_event_id(&headers)?;
    // The first look comes before the answer, so that what cannot be read has a
    // status that tells the client to stop.
    let begun = app.clone().blocking(move |server| Live::begin(&server.store, &id, seen)).await?;
    let Some(live) = begun else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    let keep_alive = KeepAlive::new().interval(app.server.keep_alive);
    Ok(Sse::new(live.events(app)).keep_alive(keep_alive).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<Hash>, ApiError> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    match value.to_str().ok().map(str::parse::<Hash>) {
        Some(Ok(hash)) => Ok(Some(hash)),
        _ => Err(ApiError::bad_request("`Last-Event-ID` is not the hash of a state")
            .hint("leave it out to get all records")),
    }
}

/// One client's place in a thread. It is moved on only when the client has taken
/// what came before: who reads slowly costs nothing.
struct Live {
    thread: ThreadId,
    follower: Follower,
    ready: VecDeque<Event>,
    progress: Progress,
    poll: Duration,
}

impl Live {
    /// The place after `seen`; none where nothing will come after it.
    fn begin(store: &store::Store, id: &str, seen: Option<Hash>) -> Result<Option<Live>, ApiError> {
        let thread = engine::find_thread(store, id)?;
        let unknown = || ControlError::Unknown(thread.clone());
        let located = store.find_thread(&thread)?.ok_or_else(unknown)?;
        let start = located.record.start();
        if matches!(located.record, store::Record::Completed(_))
            && seen == Some(located.record.head())
        {
            return Ok(None);
        }
        let mut follower = Follower::new(store.clone(), thread.clone());
        if let Some(seen) = seen {
            follower = follower.after(seen);
        }
        let (steps, progress) = follower.poll()?;
        let mut ready = VecDeque::new();
        // A state that this thread does not have was seen: everything is new.
        let lost = |seen| steps.first().is_some_and(|first| before(first, start) != seen);
        if seen.is_none_or(lost) {
            let record = Record::ThreadStart { thread_id: thread.clone(), hash: located.bundle };
            ready.push_back(event(&start, &record).retry(RETRY));
        }
        let mut live = Live { thread, follower, ready, progress, poll: SHORTEST_POLL };
        live.take(&steps);
        Ok(Some(live))
    }

    fn take(&mut self, steps: &[Followed]) {
        for step in steps {
            if let Some(record) = Record::of(&self.thread, step) {
                self.ready.push_back(event(&step.hash, &record));
            }
        }
    }

    fn events(self, app: App) -> impl Stream<Item = Result<Event, Infallible>> {
        let stopping = app.stopping.clone();
        futures::stream::unfold((self, app), move |(live, app)| {
            let stopping = stopping.clone();
            async move {
                tokio::select! {
                    () = stopping.cancelled() => None,
                    next = live.next(app) => next,
                }
            }
        })
    }

    async fn next(mut self, app: App) -> Option<(Result<Event, Infallible>, (Live, App))> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((Ok(event), (self, app)));
            }
            if matches!(self.progress, Progress::Ended | Progress::Gone) {
                return None;
            }
            sleep(self.poll).await;
            let look = move |_: &_| {
                let (steps, progress) = self.follower.poll()?;
                self.progress = progress;
                self.poll = match steps.is_empty() {
                    true => LONGEST_POLL.min(self.poll * 2),
                    false => SHORTEST_POLL,
                };
                self.take(&steps);
                Ok(self)
            };
            // The client comes again, and is told then what is wrong.
            self = app.clone().blocking(look).await.ok()?;
        }
    }
}

/// The node before a state; the start node before the first.
fn before(step: &Followed, start: Hash) -> Hash {
    step.state.parent().unwrap_or(start)
}

fn event(id: &Hash, record: &Record) -> Event {
    let text = serde_json::to_string(record).expect("records have string keys");
    Event::default().id(id.as_str()).data(text)
}
