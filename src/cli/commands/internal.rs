//! The processes behind a run: `__worker` and `__thread`. Not for people.

use std::process::ExitCode;
use std::rc::Rc;

use super::super::now_ms;
use crate::engine::{self, ExecuteOptions};
use crate::host::Permissions;
use crate::worker;

/// V8 heap of a thread where nothing else is said.
const HEAP_LIMIT: usize = 512 << 20;

/// Runs one of the internal processes, if that is what this process is.
pub(in super::super) fn main() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    match args.next()?.to_str()? {
        worker::WORKER_VERB => Some(worker::server::main(args)),
        worker::THREAD_VERB => Some(worker::thread::main(args, execute)),
        _ => None,
    }
}

/// The body of a thread's process.
async fn execute(run: worker::thread::Run) -> Result<engine::Completion, engine::EngineError> {
    engine::execute(ExecuteOptions {
        store: run.store,
        bundle: run.bundle,
        thread: run.thread,
        control: run.control,
        processes: Rc::new(run.processes),
        on_pause: run.on_pause,
        heap_limit: HEAP_LIMIT,
        permissions: Permissions::All,
        env: |name| std::env::var(name).ok(),
        clock: now_ms,
    })
    .await
}
