//! The thread process: what stands between a worker and the code that
//! executes a thread.

use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::protocol::{Event, Order};
use super::{descendants, handover, spawn};
use crate::engine::{Control, Signal};
use crate::object::{Hash, ThreadId};
use crate::store::Store;
use crate::store::lock::FileLock;

/// How long each thing may take that a process does after it has lost its worker.
const LONELY_PATIENCE: Duration = Duration::from_secs(1);

/// Which thread a process executes, and its ties to the worker.
pub struct ThreadProcess {
    /// The storage root.
    pub root: PathBuf,
    /// The bundle.
    pub bundle: Hash,
    /// The thread.
    pub thread: ThreadId,
    /// What the worker wants of it. Waiting for a change costs nothing.
    pub control: Control,
    /// Where to say what it does.
    pub events: Events,
}

/// How an execution came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The thread's end is on disk.
    Ended,
    /// There is no end, and the thread may be executed again.
    Interrupted {
        /// Why: one line for the log.
        reason: String,
    },
}

/// Tells the worker what the thread does, for `ps`.
#[derive(Debug, Clone)]
pub struct Events {
    control: Arc<Mutex<UnixStream>>,
}

impl Events {
    /// The bundle is being asked for steps.
    pub fn started(&self) {
        self.send(&Event::Started);
    }

    /// No step is under way, and none will be until the thread is resumed.
    pub fn paused(&self) {
        self.send(&Event::Paused);
    }

    /// The thread is to end as failed, and this process dies where it stands.
    pub fn fail(&self, reason: &str) {
        use rustix::process::{Signal as Posix, getpid, kill_process};
        self.send(&Event::Failed { reason: reason.to_owned() });
        let _ = kill_process(getpid(), Posix::KILL);
    }

    fn send(&self, event: &Event) {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(mut text) = serde_json::to_vec(event) {
            text.push(b'\n');
            // Fails when the worker has gone, which is seen elsewhere.
            let _ = control.write_all(&text);
        }
    }
}

/// Executes a thread with `body` and ends whatever it has left running.
///
/// For the process that [`super::THREAD_COMMAND`] starts, before it has made an
/// OS thread or a child: standard input is the control socket until this takes
/// it away.
pub fn run(
    root: &Path,
    bundle: Hash,
    thread: ThreadId,
    body: impl FnOnce(ThreadProcess) -> Outcome,
) -> io::Result<ExitCode> {
    let control = take_control()?;
    let _claim = handover::receive(&control)?;
    settle()?;
    spawn::name_process();
    let events = Events { control: Arc::new(Mutex::new(control.try_clone()?)) };
    let (sender, receiver) = watch::channel(Signal::Run);
    let store = Store::open(root);
    let obedience = move || obey(control, sender, store, bundle);
    std::thread::Builder::new().name("control".to_owned()).spawn(obedience)?;
    let process =
        ThreadProcess { root: root.to_owned(), bundle, thread, control: receiver, events };
    let events = process.events.clone();
    let outcome = body(process);
    descendants::end();
    events.send(&match outcome {
        Outcome::Ended => Event::Ended,
        Outcome::Interrupted { reason } => Event::Interrupted { reason },
    });
    Ok(ExitCode::SUCCESS)
}

/// The control socket, out of reach of the bundle and its children.
fn take_control() -> io::Result<UnixStream> {
    let control: OwnedFd = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let null = std::fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    Ok(UnixStream::from(control))
}

#[cfg(target_os = "linux")]
fn settle() -> io::Result<()> {
    use rustix::process;
    process::set_child_subreaper(Some(process::getpid()))?;
    // The end of the control stream tells this process that its worker has
    // gone, and it then kills its descendants too, which the system would not
    // do. One that was stopped has to be woken for that.
    process::set_parent_process_death_signal(Some(process::Signal::CONT))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn settle() -> io::Result<()> {
    Ok(())
}

/// Obeys the worker, on an OS thread of its own: the bundle may never let go
/// of the main one. Does not come back.
fn obey(control: UnixStream, signal: watch::Sender<Signal>, store: Store, bundle: Hash) {
    for line in BufReader::new(control).lines() {
        let Ok(line) = line else { break };
        let Ok(order) = serde_json::from_str(&line) else { continue };
        signal.send_if_modified(|now| {
            let next = match order {
                _ if *now == Signal::Kill => Signal::Kill,
                Order::Kill => Signal::Kill,
                Order::Pause => Signal::Pause,
                Order::Resume => Signal::Run,
            };
            std::mem::replace(now, next) != next
        });
    }
    // The worker has gone. The bundle will see its children die and may take
    // that for a step or an end, which must not be written: with the index held
    // the thread stays where it is, and is interrupted.
    let _held = hold_index(&store, &bundle);
    descendants::kill(LONELY_PATIENCE);
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

fn hold_index(store: &Store, bundle: &Hash) -> Option<FileLock> {
    let deadline = Instant::now() + LONELY_PATIENCE;
    // Where the store itself is gone, its lock must not be made anew.
    while Instant::now() < deadline && store.layout().threads_json(bundle).exists() {
        if let Ok(Some(lock)) = store.try_hold_index(bundle) {
            return Some(lock);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}
