//! One worker a bundle, one child process a thread.
//!
//! ```text
//! client (a command)      takes workers/<HASH>.lock, connects or starts the worker,
//!   │ control socket      sends Execute, waits for the answer, lets the lock go
//! worker                  no V8; serves the socket, spawns, passes orders on, writes the
//!   │ socket pair         end of a thread whose process died; leaves when idle
//! thread process          one isolate; holds the thread's claim; ends its descendants
//! ```
//!
//! - A worker leaves only while it holds the lock, so a client either meets a
//!   worker that stays or starts the next one.
//! - Who executes a thread is decided by its claim, a lock that thread process
//!   and worker hold together; no process number on disk is trusted.
//! - A thread process that loses its worker kills what it has started and
//!   itself. Its thread is then interrupted and may be executed again.

mod attend;
#[cfg(not(unix))]
compile_error!("workers need Unix sockets, and the passing of open files over them");

pub mod client;
pub mod control;
pub mod descendants;
mod handover;
mod lines;
mod output;
mod place;
mod process;
mod processes;
pub mod protocol;
mod server;
mod spawn;
mod stop;
pub mod thread;
mod threads;

pub use client::{Client, ClientError, Execution, Obeyed};
pub use process::run;
pub use processes::ThreadProcesses;
pub use spawn::this_program;

/// First argument of a worker, followed by storage root and bundle.
pub const WORKER_COMMAND: &str = "__worker";
/// First argument of a thread process, followed by storage root, bundle and thread.
pub const THREAD_COMMAND: &str = "__thread";
