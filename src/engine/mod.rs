//! Use cases: add, run, resume, fork; the only place where a yield becomes a
//! node.
//!
//! A thread is in the store before anything runs it ([`create_thread`]), and
//! whoever runs it continues from its head ([`execute`]): running, resuming
//! after a crash and running a fork are the same thing. The invariant is
//! persist, then publish, then resume: content, state and index are durable, in
//! this order, before the generator is asked for more.

mod add;
mod clock;
mod describe;
mod error;
mod execute;
mod find;
mod follow;
mod fork;
mod limit;
mod limits;
mod log;
mod memory;
mod processes;
mod services;
mod signal;
mod step;
mod stop;
mod supervise;
mod thread;
mod trial;
mod watchdog;

pub use add::{AddError, AddOptions, Added, Evaluate, Permit, add, inspect};
pub use clock::now_ms;
pub use describe::{EvaluationError, describe};
pub use error::EngineError;
pub use execute::{ExecuteOptions, KILLED, KILLED_SUMMARY, execute};
pub use find::{FindError, IndexedThread, all_threads, find_blob, find_thread, find_workflow};
pub use follow::{Followed, Follower, Progress, ending};
pub use fork::{Forked, fork};
pub use limits::Limits;
pub use log::ThreadLog;
pub use processes::Processes;
pub use signal::{Control, Signal};
pub use step::{Completion, RoleOutput, StepError, check_completion, check_step};
pub use thread::{
    DEFAULT_MAX_ROUNDS, NewThread, Resolved, create_thread, end_thread, load_bundle,
    resolve_workflow, thread_context,
};
pub use trial::Trial;
