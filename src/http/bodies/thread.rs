use serde::Serialize;
use serde_json::{Map, Value};

use crate::engine::EngineError;
use crate::history::{self, HistoryError};
use crate::object::{Hash, Node, StateNode, ThreadId};
use crate::store::{Record, Store};

/// One thread: its start and its steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadBody {
    /// Its id.
    pub thread_id: ThreadId,
    /// The bundle that it stays on.
    pub bundle_hash: Hash,
    /// The newest node.
    pub head: Hash,
    /// Its parameters.
    pub start: StartBody,
    /// Where the index has it: `active` or `history`.
    pub source: &'static str,
    /// Its states, oldest first, its end among them.
    pub steps: Vec<StepBody>,
}

/// What a thread was started with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StartBody {
    /// The start node.
    pub hash: Hash,
    /// The workflow's name.
    pub name: String,
    /// Steps allowed in one execution.
    pub max_rounds: Option<u64>,
    /// 0 for a thread that a person started.
    pub depth: u64,
    /// The state of its parent that asked for it.
    pub parent_state: Option<Hash>,
    /// The task.
    pub prompt: String,
}

/// One state of a thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepBody {
    /// The state.
    pub hash: Hash,
    /// Its role.
    pub role: String,
    /// The content node.
    pub content_hash: Hash,
    /// Its text; null where it is missing.
    pub content: Option<String>,
    /// The typed answer, keys in the bundle's order.
    pub meta: Map<String, Value>,
    /// The artifacts that the text stands for.
    pub refs: Vec<String>,
    /// The state before it.
    pub parent: Option<Hash>,
    /// The summary of the steps before it.
    pub compact: Option<Hash>,
    /// The last state of the thread that did this step.
    pub child_thread: Option<Hash>,
    /// Milliseconds since 1970.
    pub timestamp: i64,
}

/// A thread with all its states, or the newest `last` of them; none where there
/// is no such thread.
pub fn thread(
    store: &Store,
    thread: &ThreadId,
    last: Option<usize>,
) -> Result<Option<ThreadBody>, EngineError> {
    let Some(located) = store.find_thread(thread)? else { return Ok(None) };
    let (head, start) = (located.record.head(), located.record.start());
    let source = match &located.record {
        Record::Active(_) => "active",
        Record::Completed(_) => "history",
    };
    let states = match last {
        Some(count) => history::last_n(store, head, count)?,
        None => history::Chain::load(store, head)?.states,
    };
    let steps = states.into_iter().map(|(hash, state)| step(store, hash, state));
    Ok(Some(ThreadBody {
        thread_id: thread.clone(),
        bundle_hash: located.bundle,
        head,
        start: start_body(store, start)?,
        source,
        steps: steps.collect::<Result<_, _>>()?,
    }))
}

fn start_body(store: &Store, hash: Hash) -> Result<StartBody, EngineError> {
    let node = match store.node(&hash)? {
        Some(Node::Start(node)) => node,
        Some(_) => return Err(HistoryError::Kind { hash, expected: "start" }.into()),
        None => return Err(HistoryError::Missing { hash }.into()),
    };
    Ok(StartBody {
        hash,
        name: node.name,
        max_rounds: node.max_rounds,
        depth: node.depth,
        parent_state: node.parent_state,
        prompt: history::content(store, node.prompt)?.text,
    })
}

fn step(store: &Store, hash: Hash, state: StateNode) -> Result<StepBody, EngineError> {
    let (content, refs) = match store.node(&state.content)? {
        Some(Node::Content(node)) => (Some(node.text), node.refs),
        _ => (None, Vec::new()),
    };
    let parent = state.parent();
    Ok(StepBody {
        hash,
        role: state.role,
        content_hash: state.content,
        content,
        meta: state.meta,
        refs,
        parent,
        compact: state.compact,
        child_thread: state.child_thread,
        timestamp: state.timestamp,
    })
}
