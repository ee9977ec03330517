//! Ids, hashes, node types and their text: pure values, no I/O.
//!
//! Formats: SPEC sections 3 and 4. A [`Hash`] names a blob by its bytes, a
//! [`Node`] is what a blob means, [`yaml`] is the text between the two.

mod blob;
mod hash;
mod id;
mod node;
pub mod yaml;

pub use blob::{blob_refs, normalize_blob};
pub use hash::{Hash, InvalidHash};
pub use id::{InvalidThreadId, InvalidWorkflowName, ThreadId, WorkflowName};
pub use node::{ContentNode, DecodeError, Node, StartNode, StateNode};
pub use node::{END_ROLE, FORK_ROLE, MAX_ANCESTORS, START_ROLE};
