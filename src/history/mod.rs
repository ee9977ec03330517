//! What a chain of nodes means: append, walk, fork, compact.
//!
//! Formats: SPEC sections 4 and 10 and the RFC on thread storage. A chain is
//! read from its newest state to its oldest; each state names its parent and up
//! to ten more ancestors.

mod append;
mod chain;
mod compact;
mod fork;

pub use append::{AppendTo, Step, append, put_state};
pub use chain::{
    Chain, Context, Walk, content, context, is_step, last_n, state, states_since, walk,
};
pub use compact::compact;
pub use fork::{ForkPlan, Forked, Keep, fork, fork_plan};

use crate::object::{Hash, ThreadId};
use crate::store::StoreError;

/// Why a chain could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A node that the chain needs is not in the store.
    #[error("{hash} is not in the store")]
    Missing {
        /// The node.
        hash: Hash,
    },
    /// A node is of another kind than its place in the chain asks for.
    #[error("{hash} is not a {expected} node")]
    Kind {
        /// The node.
        hash: Hash,
        /// `start`, `state` or `content`.
        expected: &'static str,
    },
    /// There is no such thread.
    #[error("there is no thread {thread}")]
    UnknownThread {
        /// The thread.
        thread: ThreadId,
    },
    /// No step of the thread is of this role.
    #[error("no step of the role {role:?}")]
    UnknownRole {
        /// The role asked for.
        role: String,
        /// Those that there are, in order of their first step.
        roles: Vec<String>,
    },
    /// Somebody executes the thread right now.
    #[error("thread {thread} is running")]
    Running {
        /// The thread.
        thread: ThreadId,
    },
    /// There are no steps to compact.
    #[error("thread {thread} has {steps} steps, all of which are to be kept")]
    NothingToCompact {
        /// The thread.
        thread: ThreadId,
        /// Its role steps.
        steps: usize,
    },
}
