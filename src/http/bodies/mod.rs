//! What the API answers and `--json` prints: one set of types for both, so that
//! they cannot differ. Keys come in the order in which they stand here.

mod lists;
mod records;
mod thread;

pub use lists::{
    GcBody, ThreadRow, ThreadRows, VersionRow, WorkflowBody, WorkflowRow, named_threads, threads,
    versions, workflow, workflows,
};
pub use records::Record;
pub use thread::{StartBody, StepBody, ThreadBody, thread};

use serde::Serialize;

use crate::object::{Hash, ThreadId};
use crate::worker::control::Told;

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

/// What became of a command to a thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToldBody {
    /// The thread.
    pub thread_id: ThreadId,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of kill, pause or resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It takes effect.
    Sent,
    /// It had taken effect before.
    Already,
    /// The thread came to its end meanwhile.
    Ended,
}

impl From<Told> for Outcome {
    fn from(told: Told) -> Outcome {
        match told {
            Told::Sent => Outcome::Sent,
            Told::Already => Outcome::Already,
            Told::Ended => Outcome::Ended,
        }
    }
}
