//! Starting, ending, pausing and resuming a thread, whoever runs it or nobody.
//!
//! Blocking: the store and the worker's socket are waited for.

use std::time::{Duration, Instant};

use super::{Client, ClientError, Execution, Obeyed, descendants};
use crate::engine::{self, EngineError, Limits, NewThread};
use crate::history::{Chain, HistoryError};
use crate::object::{Hash, ThreadId};
use crate::store::{Claim, Record, Store, StoreError};

/// How long the processes of a thread that nobody runs may take to go.
const LEFTOVERS: Duration = Duration::from_secs(2);

/// What became of kill, pause or resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// It takes effect.
    Sent,
    /// It had taken effect before: the thread is ending, paused or running.
    Already,
    /// The thread came to its end meanwhile; only for resume.
    Ended,
}

/// Why a thread could not be started, ended, paused or resumed.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// The store or the thread's bundle refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Its worker could not be reached.
    #[error(transparent)]
    Worker(#[from] ClientError),
    /// The thread is in the store, and no worker could be had for it.
    #[error("{source}")]
    NotStarted {
        /// The thread, which can be resumed.
        thread: ThreadId,
        /// Why not.
        source: ClientError,
    },
    /// No thread has this id.
    #[error("there is no thread {0}")]
    Unknown(ThreadId),
    /// The thread has its end.
    #[error("thread {0} has already ended")]
    Ended(ThreadId),
    /// The thread is killed or ending, and nearly gone.
    #[error("thread {0} is just ending")]
    Ending(ThreadId),
    /// Nobody runs the thread, so nobody can pause it.
    #[error("thread {0} is not running")]
    NotRunning(ThreadId),
    /// Another command is starting the thread right now.
    #[error("thread {0} is just being started")]
    BeingStarted(ThreadId),
}

impl From<StoreError> for ControlError {
    fn from(error: StoreError) -> ControlError {
        ControlError::Engine(error.into())
    }
}

impl From<HistoryError> for ControlError {
    fn from(error: HistoryError) -> ControlError {
        ControlError::Engine(error.into())
    }
}

/// Writes a new thread into the store and has it executed.
pub fn start(store: &Store, workers: &Client, new: &NewThread) -> Result<ThreadId, ControlError> {
    let thread = engine::create_thread(store, new, engine::now_ms())?;
    execute(workers, &new.bundle, &thread)?;
    Ok(thread)
}

/// Has a thread that is in the store executed by its bundle's worker.
pub fn execute(
    workers: &Client,
    bundle: &Hash,
    thread: &ThreadId,
) -> Result<Execution, ControlError> {
    let thread = thread.clone();
    workers.execute(bundle, &thread).map_err(|source| ControlError::NotStarted { thread, source })
}

/// Ends a thread as aborted.
pub fn kill(store: &Store, workers: &Client, thread: &ThreadId) -> Result<Told, ControlError> {
    let bundle = active(store, thread)?;
    match workers.kill(&bundle, thread)? {
        Obeyed::Done => return Ok(Told::Sent),
        Obeyed::Already | Obeyed::Ending => return Ok(Told::Already),
        // Nobody runs it, so nobody but us can end it.
        Obeyed::NotRunning => {}
    }
    let Some(claim) = claim(store, &bundle, thread)? else {
        return Err(ControlError::BeingStarted(thread.clone()));
    };
    descendants::kill_leftovers(thread, LEFTOVERS);
    let (code, summary) = (engine::KILLED, engine::KILLED_SUMMARY);
    engine::end_thread(store, &bundle, thread, code, summary, None, engine::now_ms())?;
    claim.release()?;
    Ok(Told::Sent)
}

/// Lets a thread finish its step and take no further one.
pub fn pause(store: &Store, workers: &Client, thread: &ThreadId) -> Result<Told, ControlError> {
    let bundle = active(store, thread)?;
    match workers.pause(&bundle, thread)? {
        Obeyed::Done => Ok(Told::Sent),
        Obeyed::Already => Ok(Told::Already),
        Obeyed::Ending => Err(ControlError::Ending(thread.clone())),
        Obeyed::NotRunning => Err(ControlError::NotRunning(thread.clone())),
    }
}

/// Lets a paused thread go on, and continues an interrupted one from its head.
pub fn resume(store: &Store, workers: &Client, thread: &ThreadId) -> Result<Told, ControlError> {
    let bundle = active(store, thread)?;
    match workers.resume(&bundle, thread)? {
        Obeyed::Done => return Ok(Told::Sent),
        Obeyed::Already => return Ok(Told::Already),
        Obeyed::Ending => return Err(ControlError::Ending(thread.clone())),
        Obeyed::NotRunning => {}
    }
    // Said here, where somebody reads it, and not only in the thread's log.
    engine::load_bundle(store, &bundle)?;
    Limits::read(store, &bundle, thread)?;
    if let Some(located) = store.find_thread(thread)? {
        Chain::load(store, located.record.head())?;
    }
    match execute(workers, &bundle, thread)? {
        Execution::Started => Ok(Told::Sent),
        Execution::AlreadyRunning => Ok(Told::Already),
        Execution::Ended => Ok(Told::Ended),
    }
}

/// The claim on a thread without a worker. Its last process may just be dying.
fn claim(store: &Store, bundle: &Hash, thread: &ThreadId) -> Result<Option<Claim>, StoreError> {
    let deadline = Instant::now() + LEFTOVERS;
    loop {
        let claim = store.claim(bundle, thread)?;
        if claim.is_some() || Instant::now() > deadline {
            return Ok(claim);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The bundle of an active thread.
fn active(store: &Store, thread: &ThreadId) -> Result<Hash, ControlError> {
    match store.find_thread(thread)? {
        Some(located) if matches!(located.record, Record::Active(_)) => Ok(located.bundle),
        Some(_) => Err(ControlError::Ended(thread.clone())),
        None => Err(ControlError::Unknown(thread.clone())),
    }
}
