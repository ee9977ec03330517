use serde_json::{Map, json};

use super::append::{Step, put_state};
use super::{Chain, HistoryError};
use crate::object::{ContentNode, FORK_ROLE, Hash, Node, StateNode, ThreadId};
use crate::store::{Store, ThreadEntry};

/// Which steps of a thread a fork keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct ForkPlan {
    /// The start node, which the fork shares.
    pub start: Hash,
    /// The kept steps, oldest first; the fork shares them by hash.
    pub kept: Vec<(Hash, StateNode)>,
}

/// A thread that a fork made. It is active and nobody executes it yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Forked {
    /// Its bundle, the source's.
    pub bundle: Hash,
    /// Its id.
    pub thread: ThreadId,
    /// The start node, the source's.
    pub start: Hash,
    /// The marker state.
    pub head: Hash,
    /// The steps it has, oldest first.
    pub kept: Vec<(Hash, StateNode)>,
}

/// The steps that a fork is to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep<'a> {
    /// All but the last, which is to be made again.
    AllButLast,
    /// All up to and including the first of this role.
    Through(&'a str),
    /// All, to go on after the last.
    All,
}

/// Says what a fork of the thread with this head keeps.
pub fn fork_plan(store: &Store, head: Hash, keep: Keep<'_>) -> Result<ForkPlan, HistoryError> {
    let chain = Chain::load(store, head)?;
    let mut kept: Vec<_> = chain.steps().cloned().collect();
    let length = match keep {
        Keep::All => kept.len(),
        Keep::AllButLast => kept.len().saturating_sub(1),
        Keep::Through(role) => match kept.iter().position(|(_, state)| state.role == role) {
            Some(at) => at + 1,
            None => {
                let mut roles: Vec<String> = Vec::new();
                for (_, state) in kept {
                    if !roles.contains(&state.role) {
                        roles.push(state.role);
                    }
                }
                return Err(HistoryError::UnknownRole { role: role.to_owned(), roles });
            }
        },
    };
    kept.truncate(length);
    Ok(ForkPlan { start: chain.start_hash, kept })
}

/// Makes `new` from `source`, running or not: a marker state on the last kept
/// step, entered as an active thread of the same bundle.
pub fn fork(
    store: &Store,
    source: &ThreadId,
    keep: Keep<'_>,
    new: &ThreadId,
    now_ms: i64,
) -> Result<Forked, HistoryError> {
    let unknown = || HistoryError::UnknownThread { thread: source.clone() };
    let bundle = store.find_thread(source)?.ok_or_else(unknown)?.bundle;
    // The claim keeps the marker from a collection until the index leads to it;
    // the lock keeps the source, and with it the kept states, in the index.
    let Some(claim) = store.claim(&bundle, new)? else {
        return Err(HistoryError::Running { thread: new.clone() });
    };
    let forked = (|| {
        let mut index = store.lock_index(&bundle)?;
        let head = index.record(source)?.ok_or_else(unknown)?.head();
        let plan = fork_plan(store, head, keep)?;
        let parent = plan.kept.last().map(|(hash, state)| (*hash, state));
        let (head, _) = put_state(store, plan.start, parent, marker(store, source, now_ms, None)?)?;
        let entry = ThreadEntry { head, start: plan.start, updated_at: now_ms };
        index.begin(new, entry)?;
        let thread = new.clone();
        Ok(Forked { bundle, thread, start: plan.start, head, kept: plan.kept })
    })();
    claim.release()?;
    forked
}

/// A state that is no step: it says where the states before it come from.
pub(super) fn marker(
    store: &Store,
    source: &ThreadId,
    now_ms: i64,
    compact: Option<Hash>,
) -> Result<Step, HistoryError> {
    let empty = ContentNode { text: String::new(), refs: Vec::new() };
    Ok(Step {
        role: FORK_ROLE.to_owned(),
        meta: Map::from_iter([("forkFrom".to_owned(), json!(source))]),
        content: store.put_node(&Node::from(empty))?,
        timestamp: now_ms,
        child_thread: None,
        compact,
    })
}
