//! The threads of a worker, from their start to their end.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use rustix::process::{self, Pid, Signal as Posix, WaitOptions, WaitStatus};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::attend::{Attended, attend};
use super::descendants::{self, Hunt};
use super::protocol::{Answer, Environment, Event, Order, ThreadState, ThreadStatus};
use super::spawn;
use crate::engine::{Signal, ThreadLog, now_ms};
use crate::object::{Hash, ThreadId};
use crate::store::{Claim, Layout, Located, Record, Store};

/// How long to go on killing processes that will not go.
const LEFTOVER_PATIENCE: Duration = Duration::from_secs(2);

/// How long to wait for the claim on a thread that is not executed here.
const CLAIM_PATIENCE: Duration = Duration::from_secs(2);

/// What all of a worker's tasks share.
pub struct Worker {
    /// The store.
    pub store: Store,
    /// The storage root, absolute.
    pub root: PathBuf,
    /// The bundle whose threads this worker executes.
    pub bundle: Hash,
    /// Cancelled when the worker has been told to leave its threads.
    pub leaving: CancellationToken,
    threads: RefCell<BTreeMap<ThreadId, Entry>>,
    exits: RefCell<HashMap<Pid, oneshot::Sender<WaitStatus>>>,
    starting: Cell<usize>,
    gone: Notify,
}

struct Entry {
    pid: Pid,
    orders: mpsc::UnboundedSender<Order>,
    /// What it was told last.
    wanted: Signal,
    /// What it does.
    state: ThreadState,
}

/// What the index says of a thread.
#[derive(Debug, PartialEq, Eq)]
pub enum Standing {
    /// It has no end yet.
    Active,
    /// It has its end.
    Ended,
    /// This bundle has no such thread.
    Unknown,
}

impl Worker {
    /// A worker without threads.
    pub fn new(store: Store, root: PathBuf, bundle: Hash) -> Rc<Worker> {
        Rc::new(Worker {
            store,
            root,
            bundle,
            leaving: CancellationToken::new(),
            threads: RefCell::default(),
            exits: RefCell::default(),
            starting: Cell::new(0),
            gone: Notify::new(),
        })
    }

    /// Continues an active thread from its head.
    pub async fn execute(
        self: &Rc<Self>,
        thread: ThreadId,
        environment: Option<Environment>,
    ) -> Answer {
        self.starting.set(self.starting.get() + 1);
        let answer = self.start(thread, environment).await;
        self.starting.set(self.starting.get() - 1);
        self.gone.notify_waiters();
        answer.unwrap_or_else(|message| Answer::Failed { message })
    }

    async fn start(
        self: &Rc<Self>,
        thread: ThreadId,
        environment: Option<Environment>,
    ) -> Result<Answer, String> {
        if self.leaving.is_cancelled() {
            return Ok(Answer::Leaving);
        }
        // A marker without a lock: the worker was killed, and what the bundle
        // had started may still be at work.
        let left_behind = self.store.layout().running(&self.bundle, &thread).exists();
        let Some(claim) = self.claim(&thread).await? else { return Ok(Answer::Already) };
        let standing = self.standing(&thread)?;
        if standing != Standing::Active {
            claim.release().map_err(|e| e.to_string())?;
            let ended = standing == Standing::Ended;
            return Ok(if ended { Answer::Ended } else { Answer::NoSuchThread });
        }
        if left_behind {
            let thread = thread.clone();
            let kill = move || descendants::kill_leftovers(&thread, LEFTOVER_PATIENCE);
            if !tokio::task::spawn_blocking(kill).await.unwrap_or(false) {
                return Err("processes of its last execution cannot be ended".to_owned());
            }
        }
        let spawned = spawn::spawn(&self.root, &self.bundle, &thread, environment, claim.fd());
        let spawned = spawned.map_err(|e| format!("its process cannot be started: {e}"))?;
        let (pid, log) = (spawned.pid, self.store.layout().log(&self.bundle, &thread));
        let process = Attended::new(spawned, ThreadLog::open(&log, now_ms)).map_err(|e| {
            // It will be reaped like any other child.
            let _ = process::kill_process(pid, Posix::KILL);
            format!("its process cannot be served: {e}")
        })?;
        let (orders, received) = mpsc::unbounded_channel();
        let (exited, exit) = oneshot::channel();
        self.exits.borrow_mut().insert(pid, exited);
        let entry = Entry { pid, orders, wanted: Signal::Run, state: ThreadState::Starting };
        self.threads.borrow_mut().insert(thread.clone(), entry);
        tokio::task::spawn_local(attend(self.clone(), thread, claim, process, received, exit));
        Ok(Answer::Done)
    }

    /// The claim on a thread, unless it is executed already. Others than this
    /// worker hold one for a moment only: a command that looks, or a thread
    /// process that has just lost its worker and is about to die.
    async fn claim(&self, thread: &ThreadId) -> Result<Option<Claim>, String> {
        let deadline = Instant::now() + CLAIM_PATIENCE;
        loop {
            if self.threads.borrow().contains_key(thread) {
                return Ok(None);
            }
            let claim = self.store.claim(&self.bundle, thread).map_err(|e| e.to_string())?;
            if claim.is_some() || Instant::now() > deadline {
                return Ok(claim);
            }
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends a thread as aborted.
    pub fn kill(&self, thread: &ThreadId) -> Answer {
        self.order(thread, Order::Kill, Signal::Kill, ThreadState::Ending)
    }

    /// Lets a thread finish its step and take no further one.
    pub fn pause(&self, thread: &ThreadId) -> Answer {
        self.order(thread, Order::Pause, Signal::Pause, ThreadState::Pausing)
    }

    /// Lets a paused thread go on.
    pub fn resume(&self, thread: &ThreadId) -> Answer {
        self.order(thread, Order::Resume, Signal::Run, ThreadState::Running)
    }

    fn order(&self, thread: &ThreadId, order: Order, wanted: Signal, state: ThreadState) -> Answer {
        let mut threads = self.threads.borrow_mut();
        let Some(entry) = threads.get_mut(thread) else { return Answer::NotRunning };
        if entry.wanted == wanted {
            return Answer::Already;
        }
        if entry.state == ThreadState::Ending {
            return Answer::Ending;
        }
        entry.wanted = wanted;
        entry.state = state;
        let _ = entry.orders.send(order);
        Answer::Done
    }

    /// The threads and what they do.
    pub fn status(&self) -> Vec<ThreadStatus> {
        let threads = self.threads.borrow();
        let status = |(thread, entry): (&ThreadId, &Entry)| ThreadStatus {
            thread: thread.clone(),
            state: entry.state,
            pid: entry.pid.as_raw_pid() as u32,
        };
        threads.iter().map(status).collect()
    }

    /// Takes note of what a thread process says of itself.
    pub fn note(&self, thread: &ThreadId, event: &Event) {
        let mut threads = self.threads.borrow_mut();
        let Some(entry) = threads.get_mut(thread) else { return };
        // News may have crossed an order on its way.
        match (event, entry.wanted) {
            (Event::Started, Signal::Run) => entry.state = ThreadState::Running,
            (Event::Paused, Signal::Pause) => entry.state = ThreadState::Paused,
            (Event::Ended | Event::Interrupted { .. }, _) => entry.state = ThreadState::Ending,
            _ => {}
        }
    }

    /// Forgets a thread that is gone.
    pub fn forget(&self, thread: &ThreadId) {
        self.threads.borrow_mut().remove(thread);
        self.gone.notify_waiters();
    }

    /// Waits until there is no thread, and none is being started.
    pub async fn idle(&self) {
        loop {
            let gone = self.gone.notified();
            if self.is_idle() {
                return;
            }
            gone.await;
        }
    }

    /// Whether there is no thread, and none is being started.
    pub fn is_idle(&self) -> bool {
        self.threads.borrow().is_empty() && self.starting.get() == 0
    }

    /// What the index says of a thread of this bundle.
    pub fn standing(&self, thread: &ThreadId) -> Result<Standing, String> {
        match self.store.find_thread(thread).map_err(|e| e.to_string())? {
            Some(Located { bundle, .. }) if bundle != self.bundle => Ok(Standing::Unknown),
            Some(Located { record: Record::Active(_), .. }) => Ok(Standing::Active),
            Some(Located { record: Record::Completed(_), .. }) => Ok(Standing::Ended),
            None => Ok(Standing::Unknown),
        }
    }

    /// Reaps every child that has ended: thread processes, and orphans of theirs.
    pub fn reap(&self) {
        while let Ok(Some((pid, status))) = process::wait(WaitOptions::NOHANG) {
            if let Some(exited) = self.exits.borrow_mut().remove(&pid) {
                let _ = exited.send(status);
            }
        }
    }

    /// Kills what dead thread processes left: every child of this process that
    /// is not itself a thread process, with its descendants.
    pub async fn kill_orphans(&self) -> bool {
        let deadline = Instant::now() + LEFTOVER_PATIENCE;
        let own = process::getpid();
        let is_thread = |pid| self.exits.borrow().contains_key(&pid);
        let mut hunt = Hunt::new(|| descendants::of(own, is_thread));
        while !hunt.round() {
            if Instant::now() > deadline {
                return false;
            }
            sleep(Duration::from_millis(2)).await;
        }
        true
    }

    /// Notes in the worker's own log what belongs to no thread.
    pub fn log(&self, tag: &str, content: &str) {
        ThreadLog::open(&own_log(self.store.layout(), &self.bundle), now_ms).write(tag, content);
    }
}

/// `logs/<HASH>/worker.log`, which is there only when a worker had trouble.
pub fn own_log(layout: &Layout, bundle: &Hash) -> PathBuf {
    layout.logs_dir().join(bundle.as_str()).join("worker.log")
}
