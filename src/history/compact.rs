use super::append::{Step, put_state};
use super::fork::marker;
use super::{Chain, HistoryError, is_step};
use crate::object::{ContentNode, Hash, Node, StateNode, ThreadId};
use crate::store::Store;

/// Puts a summary in the place of all role steps but the last `keep` of a thread
/// that nobody executes, active or completed, and gives its new head.
///
/// The summary stands on a marker state after the summarised steps, and the kept
/// states follow it anew. So a context begins at the marker, while the whole
/// chain still has every step. The marker's role is that of a fork, which every
/// reader leaves out of the steps.
pub fn compact(
    store: &Store,
    thread: &ThreadId,
    keep: usize,
    summary: &str,
    now_ms: i64,
) -> Result<Hash, HistoryError> {
    let unknown = || HistoryError::UnknownThread { thread: thread.clone() };
    let bundle = store.find_thread(thread)?.ok_or_else(unknown)?.bundle;
    let Some(claim) = store.claim(&bundle, thread)? else {
        return Err(HistoryError::Running { thread: thread.clone() });
    };
    let head = (|| {
        let mut index = store.lock_index(&bundle)?;
        let head = index.record(thread)?.ok_or_else(unknown)?.head();
        let head = rewrite(store, thread, head, keep, summary, now_ms)?;
        index.move_head(thread, head, now_ms)?;
        Ok(head)
    })();
    claim.release()?;
    head
}

fn rewrite(
    store: &Store,
    thread: &ThreadId,
    head: Hash,
    keep: usize,
    summary: &str,
    now_ms: i64,
) -> Result<Hash, HistoryError> {
    let chain = Chain::load(store, head)?;
    let steps: Vec<usize> =
        (0..chain.states.len()).filter(|at| is_step(&chain.states[*at].1)).collect();
    let summarised = steps.len().saturating_sub(keep);
    if summarised == 0 {
        return Err(HistoryError::NothingToCompact { thread: thread.clone(), steps: steps.len() });
    }
    let (before, after) = chain.states.split_at(steps[summarised - 1] + 1);
    let text = ContentNode { text: summary.to_owned(), refs: Vec::new() };
    let summary = store.put_node(&Node::from(text))?;
    let parent = before.last().map(|(hash, state)| (*hash, state));
    let marker = marker(store, thread, now_ms, Some(summary))?;
    let mut last = put_state(store, chain.start_hash, parent, marker)?;
    // Other markers among them say nothing here: an older fork or compaction.
    let kept = after.iter().filter(|(_, state)| state.role != crate::object::FORK_ROLE);
    for (_, state) in kept {
        last = put_state(store, chain.start_hash, Some((last.0, &last.1)), again(state))?;
    }
    Ok(last.0)
}

/// The same step, on another parent.
fn again(state: &StateNode) -> Step {
    Step {
        role: state.role.clone(),
        meta: state.meta.clone(),
        content: state.content,
        timestamp: state.timestamp,
        child_thread: state.child_thread,
        compact: None,
    }
}
