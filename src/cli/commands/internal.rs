//! The processes behind a run: a bundle's worker and a thread's own process.
//! Not for people.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use super::super::environment;
use super::super::evaluate::{self, EVALUATE_COMMAND};
use super::add::block_on;
use crate::engine::{self, EngineError, ExecuteOptions};
use crate::object::{Hash, ThreadId};
use crate::store::{Store, causes};
use crate::worker::thread::{Outcome, ThreadProcess};
use crate::worker::{self, THREAD_COMMAND, ThreadProcesses, WORKER_COMMAND};

/// Runs one of the internal processes, if that is what this process is.
pub(in super::super) fn main() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    let verb = args.next()?;
    if verb == EVALUATE_COMMAND {
        let (file, answer) = (PathBuf::from(args.next()?), PathBuf::from(args.next()?));
        let served = evaluate::serve(&file, &answer);
        return Some(if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    if verb != WORKER_COMMAND && verb != THREAD_COMMAND {
        return None;
    }
    let Some(code) = serve(&verb, args) else {
        eprintln!("error: {} is for this program itself", verb.display());
        return Some(ExitCode::from(2));
    };
    Some(code)
}

fn serve(verb: &OsString, mut args: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let root = PathBuf::from(args.next()?);
    let bundle: Hash = args.next()?.to_str()?.parse().ok()?;
    if verb == WORKER_COMMAND {
        return Some(worker::run(&root, bundle));
    }
    let thread: ThreadId = args.next()?.to_str()?.parse().ok()?;
    let code = worker::thread::run(&root, bundle, thread, execute);
    Some(code.unwrap_or_else(|error| {
        eprintln!("error: the thread's process could not be set up: {error}");
        ExitCode::FAILURE
    }))
}

/// The body of a thread's process.
fn execute(process: ThreadProcess) -> Outcome {
    let run = |process| {
        let program = worker::this_program().map_err(|e| e.to_string())?;
        let options = options(process, program)?;
        let result = block_on(engine::execute(options)).map_err(|e| e.message().to_owned())?;
        match result {
            Ok(_) | Err(EngineError::AlreadyEnded(_)) => Ok(()),
            Err(error) => Err(causes(&error)),
        }
    };
    match run(process) {
        Ok(()) => Outcome::Ended,
        Err(reason) => Outcome::Interrupted { reason },
    }
}

fn options(process: ThreadProcess, program: PathBuf) -> Result<ExecuteOptions, String> {
    let trial = super::super::trial::from_environment().map_err(|e| e.message().to_owned())?;
    let ThreadProcess { root, bundle, thread, control, events } = process;
    Ok(ExecuteOptions {
        store: Store::open(root),
        bundle,
        thread,
        control,
        processes: Arc::new(ThreadProcesses::new(program, environment())),
        on_started: Box::new({
            let events = events.clone();
            move || events.started()
        }),
        give_up: Arc::new({
            let events = events.clone();
            move |reason: &str| events.fail(reason)
        }),
        on_paused: Box::new(move || events.paused()),
        trial,
        env: |name| std::env::var(name).ok(),
        clock: engine::now_ms,
    })
}
