//! Processes that a thread leaves behind, and their end.
//!
//! A thread process and its worker are subreapers: a process whose parent has
//! gone becomes a child of the nearest of them, so that nothing a bundle starts
//! leaves the tree. Only a worker of another bundle does: it serves threads
//! that others started, so it is nobody's descendant here.
//!
//! Linux only. Elsewhere these find nothing, and a thread's end reaches only
//! what listens to its own parent's.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use rustix::process::{self, Pid, Signal};

use super::WORKER_COMMAND;
use crate::object::ThreadId;

/// The environment variable that tells a thread's descendants apart, also when
/// worker and thread process were killed and the tree is in pieces.
pub const MARKER: &str = "UNCAGED_WORKFLOW_THREAD";

const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// A process at one moment. A number alone may by now be somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    pid: Pid,
    parent: i32,
    /// Clock ticks since boot.
    started: u64,
}

impl Process {
    /// Its number.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a signal to this process and to no other that has its number now.
    pub fn signal(&self, signal: Signal) {
        let is_itself = || read(self.pid).is_some_and(|now| now.started == self.started);
        #[cfg(target_os = "linux")]
        if let Ok(fd) = process::pidfd_open(self.pid, process::PidfdFlags::empty()) {
            // Whoever has the number now keeps it for this descriptor.
            if is_itself() {
                let _ = process::pidfd_send_signal(fd, signal);
            }
            return;
        }
        if is_itself() {
            let _ = process::kill_process(self.pid, signal);
        }
    }
}

/// Ends all descendants of this process: asks them first, kills them after
/// `grace`, and returns when the last has gone, or after two seconds more.
pub fn end(grace: Duration) {
    let asked = own();
    for process in &asked {
        process.signal(Signal::TERM);
    }
    let patience = Instant::now() + grace;
    while Instant::now() < patience && !own().is_empty() {
        std::thread::sleep(LOOK_AGAIN);
    }
    kill(Duration::from_secs(2));
}

/// Kills all descendants of this process. Tells whether they went in time.
pub fn kill(within: Duration) -> bool {
    kill_all(within, own)
}

/// Kills what an earlier execution of `thread` left behind.
pub fn kill_leftovers(thread: &ThreadId, within: Duration) -> bool {
    kill_all(within, || marked(thread))
}

fn kill_all(within: Duration, find: impl Fn() -> Vec<Process>) -> bool {
    let deadline = Instant::now() + within;
    loop {
        // Each look may show what was forked since the one before.
        let found = find();
        if found.is_empty() {
            return true;
        }
        for process in &found {
            process.signal(Signal::KILL);
        }
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

fn own() -> Vec<Process> {
    of(process::getpid(), |_| false)
}

/// The living descendants of `ancestor`, without those that `spared` names and
/// theirs.
pub fn of(ancestor: Pid, spared: impl Fn(Pid) -> bool) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all() {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut parents = vec![ancestor.as_raw_pid()];
    while let Some(parent) = parents.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            if !spared(child.pid) && !is_worker(&child) {
                parents.push(child.pid.as_raw_pid());
                found.push(child);
            }
        }
    }
    found
}

/// The living processes, other than this one, whose environment names `thread`.
fn marked(thread: &ThreadId) -> Vec<Process> {
    let own = process::getpid();
    let entry = format!("{MARKER}={thread}");
    let names_it = |process: &Process| {
        let Ok(environment) = std::fs::read(format!("/proc/{}/environ", process.pid.as_raw_pid()))
        else {
            return false;
        };
        environment.split(|b| *b == 0).any(|variable| variable == entry.as_bytes())
    };
    all().into_iter().filter(|process| process.pid != own && names_it(process)).collect()
}

fn is_worker(process: &Process) -> bool {
    let line = std::fs::read(format!("/proc/{}/cmdline", process.pid.as_raw_pid()));
    let word = line.as_ref().ok().and_then(|line| line.split(|b| *b == 0).nth(1));
    word.is_some_and(|word| word == WORKER_COMMAND.as_bytes())
}

fn all() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers.filter_map(Pid::from_raw).filter_map(read).collect()
}

/// The process of that number, unless it is dead and only waits to be reaped.
fn read(pid: Pid) -> Option<Process> {
    let text = std::fs::read(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    // The second field is the name in parentheses and may hold anything.
    let after_name = text.iter().rposition(|b| *b == b')')? + 1;
    let text = std::str::from_utf8(&text[after_name..]).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(Process { pid, parent, started })
}
