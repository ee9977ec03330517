use serde_json::{Map, Value};

use super::HistoryError;
use crate::object::{Hash, Node, StateNode, ThreadId};
use crate::store::Store;

/// The thread that grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendTo {
    /// Its bundle.
    pub bundle: Hash,
    /// Its id.
    pub thread: ThreadId,
    /// Its start node.
    pub start: Hash,
}

/// What a new state says.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The role, or `__end__`.
    pub role: String,
    /// The typed answer.
    pub meta: Map<String, Value>,
    /// The content node, which is in the store.
    pub content: Hash,
    /// Milliseconds since 1970.
    pub timestamp: i64,
    /// The root of the thread that answered for this step, where one did.
    pub child_thread: Option<Hash>,
    /// A summary of all states before this one.
    pub compact: Option<Hash>,
}

/// Adds a state to an active thread: writes it, then moves the head. Both are
/// durable on return.
pub fn append(
    store: &Store,
    to: &AppendTo,
    parent: Option<(Hash, &StateNode)>,
    step: Step,
) -> Result<(Hash, StateNode), HistoryError> {
    let timestamp = step.timestamp;
    let (hash, state) = put_state(store, to.start, parent, step)?;
    store.advance_thread(&to.bundle, &to.thread, hash, timestamp)?;
    Ok((hash, state))
}

/// Writes a state that no index leads to yet; the thread's claim keeps it from
/// being collected until one does.
pub fn put_state(
    store: &Store,
    start: Hash,
    parent: Option<(Hash, &StateNode)>,
    step: Step,
) -> Result<(Hash, StateNode), HistoryError> {
    let state = StateNode {
        role: step.role,
        meta: step.meta,
        start,
        content: step.content,
        ancestors: parent.map_or(Vec::new(), |(hash, state)| state.ancestors_of_child(hash)),
        compact: step.compact,
        timestamp: step.timestamp,
        child_thread: step.child_thread,
    };
    let node = Node::State(state);
    let hash = store.put_node(&node)?;
    let Node::State(state) = node else { unreachable!("made above") };
    Ok((hash, state))
}
