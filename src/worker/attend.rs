//! One thread of a worker: its process, and what becomes of the thread when
//! the process has gone.

use std::future::pending;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use rustix::process::{self, Signal, WaitStatus};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};

use super::descendants;
use super::lines::Lines;
use super::output::{self, Output};
use super::protocol::{Event, MAX_LINE, Order};
use super::spawn::Spawned;
use super::threads::{Standing, Worker};
use crate::engine::{self, ThreadLog};
use crate::object::ThreadId;
use crate::store::Claim;

/// From a kill to the process's death: `finally` blocks have two seconds.
const KILL_PATIENCE: Duration = Duration::from_secs(4);
/// From a thread's end to its process's own: descendants have two seconds.
const EXIT_PATIENCE: Duration = Duration::from_secs(4);
/// From the loss of its worker to the process's death.
const LEAVE_PATIENCE: Duration = Duration::from_secs(2);
/// For what a dead process has left in its socket.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// A machine that shuts down signals thread and worker in any order.
const SHUTDOWN_WINDOW: Duration = Duration::from_millis(250);

/// What happened to a thread process while it lived.
#[derive(Default)]
struct Course {
    /// It was told to end as aborted.
    killed: bool,
    /// It said that it was through.
    finished: bool,
    /// Why it gave up.
    interrupted: Option<String>,
    /// Why its thread has failed, where it could not write that itself.
    failed: Option<String>,
    /// This worker lost its patience with it.
    shot: bool,
}

/// A thread process and what leads to it.
pub struct Attended {
    pid: process::Pid,
    control: UnixStream,
    stdout: Output,
    stderr: Output,
    log: Rc<ThreadLog>,
}

impl Attended {
    /// Begins to take what the process prints.
    pub fn new(process: Spawned, log: ThreadLog) -> io::Result<Attended> {
        let log = Rc::new(log);
        process.control.set_nonblocking(true)?;
        Ok(Attended {
            pid: process.pid,
            control: UnixStream::from_std(process.control)?,
            stdout: output::read(process.stdout, "B8W3KQ5N", log.clone())?,
            stderr: output::read(process.stderr, "F6TJ9XPD", log.clone())?,
            log,
        })
    }
}

impl Course {
    fn take(&mut self, event: Event) {
        match event {
            Event::Started | Event::Paused => {}
            Event::Ended => self.finished = true,
            Event::Failed { reason } => self.failed = Some(reason),
            Event::Interrupted { reason } => {
                self.finished = true;
                self.interrupted = Some(reason);
            }
        }
    }
}

/// Serves a thread process until it has gone and its thread has an end, or is
/// left as interrupted.
pub async fn attend(
    worker: Rc<Worker>,
    thread: ThreadId,
    claim: Claim,
    process: Attended,
    orders: mpsc::UnboundedReceiver<Order>,
    exit: oneshot::Receiver<WaitStatus>,
) {
    let Attended { pid, control, stdout, stderr, log } = process;
    let (course, status) = serve(&worker, &thread, pid, control, orders, exit).await;
    descendants::kill_group(pid);
    stdout.finish().await;
    let stderr = stderr.finish().await;
    // One that came to its own end has ended its descendants itself.
    if !course.finished && !worker.kill_orphans().await {
        log.write("H2RM7VZC", "processes of this thread cannot be ended");
    }
    conclude(&worker, &thread, &log, course, status, stderr).await;
    if let Err(source) = claim.release() {
        worker.log("Q4DN8SGE", &format!("{thread}: {source}"));
    }
    worker.forget(&thread);
}

/// Passes orders and events on until the process has gone.
async fn serve(
    worker: &Worker,
    thread: &ThreadId,
    pid: process::Pid,
    control: UnixStream,
    mut orders: mpsc::UnboundedReceiver<Order>,
    mut exit: oneshot::Receiver<WaitStatus>,
) -> (Course, Option<WaitStatus>) {
    let (events, control) = control.into_split();
    let mut events = Some(Lines::new(events, MAX_LINE));
    let mut control = Some(control);
    let mut course = Course::default();
    let mut deadline = None;
    loop {
        tokio::select! {
            status = &mut exit => {
                // Its last words may still be in the socket.
                while events.is_some() {
                    match timeout(LAST_WORDS, next_event(&mut events)).await {
                        Ok(Some(event)) => course.take(event),
                        Ok(None) | Err(_) => events = None,
                    }
                }
                return (course, status.ok());
            }
            event = next_event(&mut events) => match event {
                Some(event) => {
                    worker.note(thread, &event);
                    course.take(event);
                    if course.finished {
                        hasten(&mut deadline, EXIT_PATIENCE);
                    }
                }
                None => events = None,
            },
            Some(order) = orders.recv() => {
                if order == Order::Kill {
                    course.killed = true;
                    hasten(&mut deadline, KILL_PATIENCE);
                }
                if let (Some(control), Ok(mut text)) = (&mut control, serde_json::to_vec(&order)) {
                    text.push(b'\n');
                    let _ = control.write_all(&text).await;
                }
            }
            () = worker.leaving.cancelled(), if control.is_some() => {
                // The end of the control stream tells it that it is alone.
                control = None;
                hasten(&mut deadline, LEAVE_PATIENCE);
            }
            () = reached(deadline) => {
                course.shot = true;
                deadline = None;
                let _ = process::kill_process(pid, Signal::KILL);
            }
        }
    }
}

/// Moves a deadline forward, never back.
fn hasten(deadline: &mut Option<Instant>, patience: Duration) {
    let moment = Instant::now() + patience;
    *deadline = Some(deadline.map_or(moment, |earlier| earlier.min(moment)));
}

async fn reached(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}

/// `None` when no more will come. What is no event is passed over: the
/// process may be wrecked, and its death will be noticed.
async fn next_event(events: &mut Option<Lines<OwnedReadHalf>>) -> Option<Event> {
    let Some(lines) = events else { return pending().await };
    loop {
        let line = lines.next().await.ok()??;
        if let Ok(event) = serde_json::from_slice(&line.bytes) {
            return Some(event);
        }
    }
}

/// Gives the thread an end unless it has one or may be executed again.
async fn conclude(
    worker: &Worker,
    thread: &ThreadId,
    log: &ThreadLog,
    course: Course,
    status: Option<WaitStatus>,
    stderr: Vec<String>,
) {
    let sent_by_others = !course.shot && status.is_some_and(is_polite_or_final);
    if sent_by_others {
        let _ = timeout(SHUTDOWN_WINDOW, worker.leaving.cancelled()).await;
    }
    if let Some(reason) = course.interrupted {
        log.write("M5YC1TRK", &format!("interrupted: {reason}"));
        return;
    }
    match worker.standing(thread) {
        Ok(Standing::Active) => {}
        Ok(Standing::Ended | Standing::Unknown) => return,
        Err(message) => return log.write("X9GE4B7W", &message),
    }
    if course.killed {
        return end(worker, thread, log, engine::KILLED, engine::KILLED_SUMMARY.to_owned(), None)
            .await;
    }
    if worker.leaving.is_cancelled() {
        return log.write("2KVA6HJS", "interrupted: the worker was told to stop");
    }
    if let Some(reason) = course.failed {
        return end(worker, thread, log, 1, format!("failed: {reason}"), None).await;
    }
    let summary = format!("failed: the thread's process {}", cause(status));
    let content = (!stderr.is_empty()).then(|| format!("{summary}\n\n{}", stderr.join("\n")));
    end(worker, thread, log, 1, summary, content).await;
}

async fn end(
    worker: &Worker,
    thread: &ThreadId,
    log: &ThreadLog,
    return_code: i64,
    summary: String,
    content: Option<String>,
) {
    log.write("T3PZ0QFN", &summary);
    let (store, bundle, thread) = (worker.store.clone(), worker.bundle, thread.clone());
    let write = move || {
        engine::end_thread(
            &store,
            &bundle,
            &thread,
            return_code,
            &summary,
            content.as_deref(),
            engine::now_ms(),
        )
        .map_err(|e| e.to_string())
    };
    let written = tokio::task::spawn_blocking(write).await.unwrap_or_else(|e| Err(e.to_string()));
    if let Err(message) = written {
        // Interrupted, then: `resume` will find it where it stopped.
        log.write("C7XW2MDV", &format!("its end cannot be written: {message}"));
    }
}

/// A signal that people and shutdowns send; the others are a program's own fault.
fn is_polite_or_final(status: WaitStatus) -> bool {
    let sent = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP];
    status.terminating_signal().is_some_and(|n| sent.iter().any(|signal| signal.as_raw() == n))
}

/// How the process went, after "the thread's process".
fn cause(status: Option<WaitStatus>) -> String {
    let Some(status) = status else { return "was lost".to_owned() };
    if let Some(code) = status.exit_status() {
        return format!("exited with code {code} before the thread had ended");
    }
    match status.terminating_signal() {
        Some(number) => format!("was killed by {}", signal_name(number)),
        None => "was lost".to_owned(),
    }
}

fn signal_name(number: i32) -> String {
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    let known = names.iter().find(|(signal, _)| signal.as_raw() == number);
    known.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}
