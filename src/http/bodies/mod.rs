//! What the API answers and `--json` prints: one set of types for both, so that
//! they cannot differ. Keys come in the order in which they stand here.

mod lists;
mod records;
mod thread;

pub use lists::{
    GcBody, ThreadRow, ThreadRows, VersionRow, WorkflowBody, WorkflowRow, threads, versions,
    workflow, workflows,
};
pub use records::Record;
pub use thread::{StartBody, StepBody, ThreadBody, thread};

use serde::Serialize;

use crate::object::{Hash, ThreadId};

/// A blob.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlobBody {
    /// Its hash.
    pub hash: Hash,
    /// Its text: a node as YAML.
    pub content: String,
}

/// What has the hash.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HashBody {
    /// The blob's.
    pub hash: Hash,
}

/// A thread that was started.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StartedBody {
    /// Its id.
    pub thread_id: ThreadId,
    /// Its bundle.
    pub hash: Hash,
}
