use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::object::{DecodeError, Hash, ThreadId};

/// The operating system refused.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct IoError {
    /// What was tried, as an infinitive: `read`, `write`, `lock`.
    pub action: &'static str,
    /// On what.
    pub path: PathBuf,
    /// The system's answer.
    pub source: io::Error,
}

impl IoError {
    /// For `map_err`.
    pub fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> IoError {
        move |source| IoError { action, path: path.to_owned(), source }
    }
}

/// A part of an index file that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// 1-based, where one line can be named.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.problem)
    }
}

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] IoError),
    /// A blob's bytes are not those that its name says. Putting the same
    /// content again heals it.
    #[error("blob {hash} is damaged: {} has other bytes than its name says", path.display())]
    Damaged {
        /// The blob.
        hash: Hash,
        /// Its file.
        path: PathBuf,
    },
    /// Two texts have one hash; the older is kept.
    #[error("another text has the hash {hash}")]
    Collision {
        /// The hash of both.
        hash: Hash,
    },
    /// An intact blob that should be a node and is not.
    #[error("blob {hash} is not a node")]
    NotANode {
        /// The blob.
        hash: Hash,
        /// What is wrong with it.
        source: DecodeError,
    },
    /// A thread index cannot be read; it is left as it is.
    #[error("{0}")]
    Index(Damage),
    /// The thread is not active (any more): it ended, was removed or never was.
    #[error("thread {thread} is not active")]
    NotActive {
        /// The thread.
        thread: ThreadId,
    },
    /// There is such a thread already.
    #[error("thread {thread} exists already")]
    ThreadExists {
        /// The thread.
        thread: ThreadId,
    },
    /// A thread cannot lead to a node that is not in the store.
    #[error("{hash} is to be a thread's node and is not in the store")]
    MissingHead {
        /// The node.
        hash: Hash,
    },
}

/// An error and what caused it, in one line.
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
        source = error.source();
    }
    text
}
