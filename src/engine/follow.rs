use super::EngineError;
use crate::history;
use crate::object::{END_ROLE, Hash, StateNode, ThreadId};
use crate::store::{Record, Store};

/// Reads a thread's states as they come, each once, whole and in order.
///
/// A follower polls: [`Follower::poll`] is cheap where nothing has changed, so
/// the caller chooses how soon it wants to know.
pub struct Follower {
    store: Store,
    thread: ThreadId,
    seen: Option<Hash>,
}

/// What a poll found.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// The thread is active and somebody runs it.
    Running,
    /// The thread is active and nobody runs it.
    Interrupted,
    /// The thread has ended; its end is among the states given so far.
    Ended,
    /// The thread was removed.
    Gone,
}

/// A state of the followed thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Its hash.
    pub hash: Hash,
    /// The state.
    pub state: StateNode,
    /// Its text.
    pub content: String,
    /// The artifacts that the text stands for.
    pub refs: Vec<String>,
}

impl Follower {
    /// Follows `thread` from its first state.
    pub fn new(store: Store, thread: ThreadId) -> Follower {
        Follower { store, thread, seen: None }
    }

    /// Goes on after the state, or the start node, that somebody has seen
    /// already; from the first state where the thread does not have it.
    pub fn after(self, seen: Hash) -> Follower {
        Follower { seen: Some(seen), ..self }
    }

    /// The states that came since the last poll, oldest first, and how the
    /// thread stands after them.
    pub fn poll(&mut self) -> Result<(Vec<Followed>, Progress), EngineError> {
        let mut found = Vec::new();
        let mut progress = self.look(&mut found)?;
        if progress == Progress::Interrupted {
            // It may have ended between the look at the index and the one at its process.
            progress = self.look(&mut found)?;
        }
        Ok((found, progress))
    }

    fn look(&mut self, found: &mut Vec<Followed>) -> Result<Progress, EngineError> {
        let Some(located) = self.store.find_thread(&self.thread)? else {
            return Ok(Progress::Gone);
        };
        let (head, active) = match &located.record {
            Record::Active(entry) => (entry.head, true),
            Record::Completed(done) => (done.head, false),
        };
        if self.seen != Some(head) {
            for (hash, state) in history::states_since(&self.store, head, self.seen)? {
                let content = history::content(&self.store, state.content)?;
                found.push(Followed { hash, state, content: content.text, refs: content.refs });
            }
            self.seen = Some(head);
        }
        if !active {
            return Ok(Progress::Ended);
        }
        match self.store.is_running(&located.bundle, &self.thread)? {
            true => Ok(Progress::Running),
            false => Ok(Progress::Interrupted),
        }
    }
}

/// How a thread ended, from its last state.
pub fn ending(state: &StateNode) -> Option<super::Completion> {
    (state.role == END_ROLE).then(|| super::step::completion_of(state))
}
