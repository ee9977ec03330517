use std::io;
use std::path::PathBuf;

use crate::bundle::RegistryError;
use crate::history::HistoryError;
use crate::object::{Hash, ThreadId, WorkflowName};
use crate::store::StoreError;

/// Why a use case could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A chain of nodes does not make sense.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The registry could not be read or changed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A file could not be read or written.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A thread's bundle is gone.
    #[error("the bundle {bundle} is missing: {}", path.display())]
    BundleMissing {
        /// The bundle.
        bundle: Hash,
        /// Where it was.
        path: PathBuf,
    },
    /// A bundle's bytes are not the ones that were added.
    #[error("the bundle {bundle} was changed: {} has the hash {found}", path.display())]
    BundleAltered {
        /// The bundle.
        bundle: Hash,
        /// The hash of what is there.
        found: Hash,
        /// Where it is.
        path: PathBuf,
    },
    /// A bundle is not UTF-8.
    #[error("the bundle {} is not UTF-8 text", path.display())]
    BundleNotText {
        /// Where it is.
        path: PathBuf,
    },
    /// What says what a thread may do makes no sense. It is not run without limits.
    #[error("the thread's limits cannot be read: {}: {message}", path.display())]
    Limits {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// No workflow has this name.
    #[error("no workflow is named `{name}`")]
    UnknownWorkflow {
        /// The name that was asked for.
        name: WorkflowName,
        /// The names there are.
        known: Vec<String>,
    },
    /// No thread has this id.
    #[error("there is no thread {0}")]
    UnknownThread(ThreadId),
    /// The thread has ended, so it cannot be run.
    #[error("thread {0} has already ended")]
    AlreadyEnded(ThreadId),
    /// The thread is being run by another process.
    #[error("thread {0} is already running")]
    AlreadyRunning(ThreadId),
}
