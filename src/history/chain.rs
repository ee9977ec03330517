use super::HistoryError;
use crate::object::{ContentNode, END_ROLE, FORK_ROLE, Hash, Node, StartNode, StateNode};
use crate::store::Store;

/// A thread's start and all its states, oldest first, markers included.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// The start node's hash.
    pub start_hash: Hash,
    /// The start node.
    pub start: StartNode,
    /// Every state with its hash.
    pub states: Vec<(Hash, StateNode)>,
}

impl Chain {
    /// Reads the chain that ends at `head`, which may be the start node itself.
    pub fn load(store: &Store, head: Hash) -> Result<Chain, HistoryError> {
        let mut states = walk(store, head).collect::<Result<Vec<_>, _>>()?;
        states.reverse();
        let start_hash = states.last().map_or(head, |(_, state)| state.start);
        Ok(Chain { start_hash, start: start_node(store, &start_hash)?, states })
    }

    /// The role steps, without the markers of fork, compaction and end.
    pub fn steps(&self) -> impl Iterator<Item = &(Hash, StateNode)> {
        self.states.iter().filter(|(_, state)| is_step(state))
    }
}

/// What a bundle or model gets to see of a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// The start node's hash.
    pub start_hash: Hash,
    /// The start node.
    pub start: StartNode,
    /// The content node that stands for all steps before `steps`.
    pub summary: Option<Hash>,
    /// Role steps, oldest first.
    pub steps: Vec<(Hash, StateNode)>,
}

/// Reads a thread back to its newest compaction: the summary, then what follows.
///
/// A state with `compact` is itself not part of the summary, which is of those
/// before it; our own compactions put it on a marker. [`Chain::steps`] are all
/// persisted steps, compacted or not.
pub fn context(store: &Store, head: Hash) -> Result<Context, HistoryError> {
    let mut steps = Vec::new();
    let mut summary = None;
    let mut start_hash = head;
    for state in walk(store, head) {
        let (hash, state) = state?;
        start_hash = state.start;
        summary = state.compact;
        if is_step(&state) {
            steps.push((hash, state));
        }
        if summary.is_some() {
            break;
        }
    }
    steps.reverse();
    Ok(Context { start_hash, start: start_node(store, &start_hash)?, summary, steps })
}

/// Whether a state is a step of a role, not a marker.
pub fn is_step(state: &StateNode) -> bool {
    state.role != END_ROLE && state.role != FORK_ROLE
}

/// The states from `head` back to the first.
pub fn walk(store: &Store, head: Hash) -> Walk<'_> {
    Walk { store, next: Some(head), first: true }
}

/// See [`walk`]. Ends after an error.
pub struct Walk<'s> {
    store: &'s Store,
    next: Option<Hash>,
    first: bool,
}

impl Iterator for Walk<'_> {
    type Item = Result<(Hash, StateNode), HistoryError>;

    fn next(&mut self) -> Option<Self::Item> {
        let hash = self.next.take()?;
        let first = std::mem::replace(&mut self.first, false);
        let state = match self.store.node(&hash) {
            Ok(Some(Node::State(state))) => state,
            Ok(Some(Node::Start(_))) if first => return None,
            Ok(Some(_)) => return Some(Err(HistoryError::Kind { hash, expected: "state" })),
            Ok(None) => return Some(Err(HistoryError::Missing { hash })),
            Err(e) => return Some(Err(e.into())),
        };
        self.next = state.parent();
        Some(Ok((hash, state)))
    }
}

/// The newest `n` states that are not fork markers, oldest first. Reads no more
/// of the chain than that.
pub fn last_n(store: &Store, head: Hash, n: usize) -> Result<Vec<(Hash, StateNode)>, HistoryError> {
    let shown = |state: &Result<(Hash, StateNode), HistoryError>| {
        state.as_ref().map_or(true, |(_, state)| state.role != FORK_ROLE)
    };
    let mut states = walk(store, head).filter(shown).take(n).collect::<Result<Vec<_>, _>>()?;
    states.reverse();
    Ok(states)
}

/// The state at `hash`, or none where that is the start node of a thread
/// without steps.
pub fn state(store: &Store, hash: Hash) -> Result<Option<StateNode>, HistoryError> {
    walk(store, hash).next().transpose().map(|found| found.map(|(_, state)| state))
}

/// The states after `since` up to `head`, oldest first; all of them where
/// `since` is none or not among them.
pub fn states_since(
    store: &Store,
    head: Hash,
    since: Option<Hash>,
) -> Result<Vec<(Hash, StateNode)>, HistoryError> {
    let newer = |found: &Result<(Hash, StateNode), _>| match found {
        Ok((hash, _)) => Some(*hash) != since,
        Err(_) => true,
    };
    let mut states = walk(store, head).take_while(newer).collect::<Result<Vec<_>, _>>()?;
    states.reverse();
    Ok(states)
}

/// The content node at `hash`.
pub fn content(store: &Store, hash: Hash) -> Result<ContentNode, HistoryError> {
    match store.node(&hash)? {
        Some(Node::Content(content)) => Ok(content),
        Some(_) => Err(HistoryError::Kind { hash, expected: "content" }),
        None => Err(HistoryError::Missing { hash }),
    }
}

pub(super) fn start_node(store: &Store, hash: &Hash) -> Result<StartNode, HistoryError> {
    match store.node(hash)? {
        Some(Node::Start(start)) => Ok(start),
        Some(_) => Err(HistoryError::Kind { hash: *hash, expected: "start" }),
        None => Err(HistoryError::Missing { hash: *hash }),
    }
}
