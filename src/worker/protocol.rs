//! What a client and a worker, and a worker and its thread processes, say to
//! each other: one JSON object a line.
//!
//! These types are of the wire alone. Every request carries the protocol's
//! version, and every request is answered, also one that makes no sense.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::object::ThreadId;

/// The version that this program speaks. A worker refuses any other.
pub const PROTOCOL: u32 = 1;

/// Most bytes in a line. An [`Environment`] is the largest thing sent, and
/// Linux limits one to about 6 MB.
pub const MAX_LINE: usize = 8 << 20;

/// What a client sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// [`PROTOCOL`] of the sender.
    pub protocol: u32,
    /// What is wanted.
    #[serde(flatten)]
    pub command: Command,
}

/// The part of a [`Request`] that every version has.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Version {
    /// [`PROTOCOL`] of the sender.
    pub protocol: u32,
}

/// What a worker is asked to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Command {
    /// Continue an active thread from its head.
    Execute {
        /// The thread.
        thread: ThreadId,
        /// Where its process shall live; without one, in the worker's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        environment: Option<Environment>,
    },
    /// End a thread as aborted.
    Kill {
        /// The thread.
        thread: ThreadId,
    },
    /// Let a thread finish its step and take no further one.
    Pause {
        /// The thread.
        thread: ThreadId,
    },
    /// Let a paused thread go on.
    Resume {
        /// The thread.
        thread: ThreadId,
    },
    /// List the threads that the worker executes.
    Status,
}

/// What a process of the system takes from the one that asked for it: so that
/// a thread sees the variables of the command that started it, and not those
/// of whichever command had started the worker.
#[derive(Clone, Serialize, Deserialize)]
pub struct Environment {
    /// Environment variables. Those that are not UTF-8 cannot be sent.
    pub variables: Vec<(String, String)>,
    /// The working directory, absolute; where it is gone, `/` takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
}

/// Variables hold secrets, so only their number is shown.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("variables", &self.variables.len())
            .field("directory", &self.directory)
            .finish()
    }
}

/// What a worker sends back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// The command takes effect: the thread has a process, or has been told.
    Done,
    /// It had taken effect before: the thread runs, is being killed, is
    /// paused, or (for resume) is not paused.
    Already,
    /// The thread is on its way out: killed, or with its end written.
    Ending,
    /// This worker does not execute that thread.
    NotRunning,
    /// Nothing to execute: the thread has its end.
    Ended,
    /// Nothing to execute: the bundle has no such thread.
    NoSuchThread,
    /// The answer to [`Command::Status`].
    Status {
        /// In the order of their ids.
        threads: Vec<ThreadStatus>,
    },
    /// The worker has been told to stop and takes nothing more; another may.
    Leaving,
    /// The command was understood and could not be carried out.
    Failed {
        /// Why, in the words of the operating system or the store.
        message: String,
    },
    /// What was sent is no command.
    Refused(Refusal),
}

/// Why a worker took no command from what was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "refusal", rename_all = "kebab-case")]
pub enum Refusal {
    /// Not JSON, or not the JSON of a [`Request`].
    #[error("not a command: {message}")]
    NotUnderstood {
        /// What the parser says.
        message: String,
    },
    /// The sender speaks another version.
    #[error("the worker speaks version {protocol} of its protocol")]
    OtherProtocol {
        /// The worker's version.
        protocol: u32,
    },
    /// A line without an end.
    #[error("a command takes at most {limit} bytes")]
    TooLong {
        /// Most bytes in a line.
        limit: usize,
    },
    /// No complete line came in time.
    #[error("no complete command came within {seconds} seconds")]
    TooSlow {
        /// How long the worker waits.
        seconds: u64,
    },
    /// The sender is another user's process.
    #[error("the worker obeys only the user who owns it")]
    NotAllowed,
}

/// One thread of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadStatus {
    /// Which.
    pub thread: ThreadId,
    /// What it is doing.
    pub state: ThreadState,
    /// Its process.
    pub pid: u32,
}

/// What a thread of a worker is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadState {
    /// Its process has not yet begun with the bundle.
    Starting,
    /// Taking steps.
    Running,
    /// Told to pause and still busy with a step.
    Pausing,
    /// Waiting to be resumed.
    Paused,
    /// Killed or ended, and not yet gone.
    Ending,
}

/// What a worker tells a thread process. Each is obeyed however often it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case")]
pub enum Order {
    /// Take no further step.
    Pause,
    /// Go on.
    Resume,
    /// End as aborted.
    Kill,
}

/// What a thread process tells its worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The bundle is being asked for steps.
    Started,
    /// Obeying [`Order::Pause`]: no step is under way.
    Paused,
    /// The thread has its end, which is on disk.
    Ended,
    /// The process dies now: the thread is to end as failed.
    Failed {
        /// Why, for the summary.
        reason: String,
    },
    /// The process gives up without an end; the thread may be executed again.
    Interrupted {
        /// Why.
        reason: String,
    },
}
