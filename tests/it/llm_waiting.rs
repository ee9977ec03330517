//! What the client sends twice, and how long it waits before.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use uncaged_workflow::llm::{Client, Clock, Limits, Provider};

use crate::support::chat_server::{ChatServer, Reply};

fn provider(base_url: impl Into<String>) -> Provider {
    Provider { base_url: base_url.into(), api_key: String::new(), model: "small".to_owned() }
}

fn body() -> Value {
    json!({ "messages": [{ "role": "user", "content": "hello" }] })
}

/// Sunday, 6 November 1994, 08:49:37 UTC, and waits that are over at once.
#[derive(Debug, Default)]
struct FixedClock {
    waits: Mutex<Vec<Duration>>,
    /// Waits do not end.
    stands_still: bool,
}

impl Clock for FixedClock {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777)
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        self.waits.lock().unwrap().push(wait);
        if self.stands_still { Box::pin(futures::future::pending()) } else { Box::pin(async {}) }
    }
}

fn client_at(clock: &Arc<FixedClock>) -> Client {
    Client::new(Limits::default(), clock.clone())
}

#[tokio::test]
async fn later_is_waited_for_as_long_as_the_server_says_up_to_the_cap() {
    let waits = |status: u16, retry_after: Option<&'static str>| async move {
        let mut later = Reply::error(status, "later");
        if let Some(value) = retry_after {
            later = later.header("retry-after", value);
        }
        let server = ChatServer::scripted([later, Reply::raw("now")]);
        let clock = Arc::new(FixedClock::default());
        let result = client_at(&clock).chat(&provider(server.base_url()), &body()).await;
        assert_eq!((result, server.requests().len()), (Ok("now".to_owned()), 2));
        let waits = clock.waits.lock().unwrap().clone();
        assert_eq!(waits.len(), 1);
        waits[0].as_secs_f64()
    };
    for status in [429, 503] {
        assert_eq!(
            [
                waits(status, Some("7")).await,
                waits(status, Some("0")).await,
                waits(status, Some("0.25")).await,
                waits(status, Some("3600")).await,
                waits(status, Some("Sun, 06 Nov 1994 08:49:57 GMT")).await,
                waits(status, Some("Mon, 07 Nov 1994 08:49:37 GMT")).await,
                waits(status, Some("Sun, 06 Nov 1994 08:00:00 GMT")).await,
                waits(status, Some("-5")).await,
                waits(status, Some("soon")).await,
                waits(status, Some("1e300")).await,
                waits(status, Some("NaN")).await,
                waits(status, None).await,
            ],
            [7.0, 0.0, 0.25, 30.0, 20.0, 30.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
            "status {status}"
        );
    }
}

#[tokio::test]
async fn waiting_doubles_and_ends_after_four_tries() {
    let server = ChatServer::answering(|_| Reply::error(429, "slow down"));
    let clock = Arc::new(FixedClock::default());
    let result = client_at(&clock).chat(&provider(server.base_url()), &body()).await;
    let url = server.base_url() + "/chat/completions";
    assert_eq!(
        result.unwrap_err().to_string(),
        format!(
            r#"HTTP 429 from {url}: {{"error":{{"message":"slow down","type":"invalid_request_error","code":null}}}}"#
        )
    );
    let waits = clock.waits.lock().unwrap().clone();
    assert_eq!(waits, [1, 2, 4].map(Duration::from_secs));
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn other_failures_are_not_tried_again() {
    for status in [400, 401, 403, 404, 422, 500, 502, 504] {
        let server = ChatServer::scripted([Reply::error(status, "no"), Reply::raw("yes")]);
        let clock = Arc::new(FixedClock::default());
        let result = client_at(&clock).chat(&provider(server.base_url()), &body()).await;
        let error = result.unwrap_err();
        assert_eq!(
            (error.status(), error.code(), server.requests().len()),
            (Some(status), "http_error", 1)
        );
    }
}

#[tokio::test]
async fn dropping_the_request_ends_the_wait_for_later() {
    let server = ChatServer::scripted([Reply::error(429, "later"), Reply::raw("now")]);
    let clock = Arc::new(FixedClock { stands_still: true, ..FixedClock::default() });
    let (client, provider, body) = (client_at(&clock), provider(server.base_url()), body());
    let mut chat = Box::pin(client.chat(&provider, &body));
    while clock.waits.lock().unwrap().is_empty() {
        assert!(futures::poll!(chat.as_mut()).is_pending());
        tokio::task::yield_now().await;
    }
    drop(chat);
    assert_eq!(server.requests().len(), 1);
}
