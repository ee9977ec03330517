//! Processes that a thread leaves behind, and their end.
//!
//! A thread process and its worker are subreapers: a process whose parent has
//! gone becomes a child of the nearest of them, so that nothing a bundle starts
//! leaves the tree. Only a worker of another bundle does: it serves threads
//! that others started, so it is nobody's descendant here.
//!
//! Linux only: elsewhere nothing is found here, and what is left of a thread is
//! only what stayed in the process group that [`kill_group`] reaches.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{self, Pid, Signal, WaitId, WaitIdOptions};

use super::WORKER_COMMAND;
use crate::object::ThreadId;

/// The environment variable that tells a thread's descendants apart, also when
/// worker and thread process were killed and the tree is in pieces.
pub const MARKER: &str = "UNCAGED_WORKFLOW_THREAD";

/// How long descendants have after SIGTERM.
const GRACE: Duration = Duration::from_millis(200);
/// How long to go on after that with those that cannot be killed.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// A process at one moment. A number alone may by now be somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    pid: Pid,
    parent: i32,
    /// Dead, and waits to be reaped.
    dead: bool,
    /// Clock ticks since boot.
    started: u64,
}

/// What one look at the system's processes found.
#[derive(Debug)]
pub struct Found {
    /// Those that were looked for and live.
    pub living: Vec<Process>,
    /// No process changed its parent while this looked. Otherwise one may have
    /// been missed.
    pub certain: bool,
}

impl Process {
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
/// 200 ms, and returns when the last has gone, or after two seconds more. Tells
/// whether there were any.
pub fn end() -> bool {
    if is_childless() {
        return false;
    }
    for process in own().living {
        process.signal(Signal::TERM);
    }
    let patience = Instant::now() + GRACE;
    while Instant::now() < patience && !own().living.is_empty() {
        std::thread::sleep(LOOK_AGAIN);
    }
    kill(PATIENCE);
    true
}

/// Kills all descendants of this process. Tells whether they went in time.
pub fn kill(within: Duration) -> bool {
    is_childless() || kill_all(within, own)
}

/// Kills what an earlier execution of `thread` left behind.
pub fn kill_leftovers(thread: &ThreadId, within: Duration) -> bool {
    kill_all(within, || marked(thread))
}

/// Where the system cannot tell who descends from whom: kills what a thread
/// process, which led a group of that number, left in its group.
#[cfg(not(target_os = "linux"))]
pub fn kill_group(leader: Pid) {
    let _ = process::kill_process_group(leader, Signal::KILL);
}

/// Nothing: [`of`] finds more than a group's members here.
#[cfg(target_os = "linux")]
pub fn kill_group(_leader: Pid) {}

fn kill_all(within: Duration, find: impl Fn() -> Found) -> bool {
    let deadline = Instant::now() + within;
    let mut hunt = Hunt::new(find);
    while !hunt.round() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    true
}

/// Kills what it finds, round by round, until nothing is left.
pub struct Hunt<F> {
    find: F,
    quiet: u32,
}

impl<F: Fn() -> Found> Hunt<F> {
    /// A hunt for what `find` finds.
    pub fn new(find: F) -> Hunt<F> {
        Hunt { find, quiet: 0 }
    }

    /// Looks once and kills what is there. `true` when nothing is left: what
    /// was forked behind the back of one look is seen by the next.
    pub fn round(&mut self) -> bool {
        let found = (self.find)();
        for process in &found.living {
            process.signal(Signal::KILL);
        }
        let quiet = found.living.is_empty() && found.certain;
        self.quiet = if quiet { self.quiet + 1 } else { 0 };
        self.quiet >= 2
    }
}

/// Whether this process has no children, dead ones included, and therefore no
/// descendants: a subreaper's tree always hangs on a child.
fn is_childless() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(process::waitid(WaitId::All, options), Err(Errno::CHILD))
}

fn own() -> Found {
    of(process::getpid(), |_| false)
}

/// The descendants of `ancestor`, without those that `spared` names and theirs.
pub fn of(ancestor: Pid, spared: impl Fn(Pid) -> bool) -> Found {
    let (all, certain) = snapshot();
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(process);
    }
    let mut living = Vec::new();
    let mut parents = vec![ancestor.as_raw_pid()];
    while let Some(parent) = parents.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            if spared(child.pid) || is_worker(&child) {
                continue;
            }
            parents.push(child.pid.as_raw_pid());
            if !child.dead {
                living.push(child);
            }
        }
    }
    Found { living, certain }
}

/// The processes, other than this one, whose environment names `thread`.
fn marked(thread: &ThreadId) -> Found {
    let own = process::getpid();
    let entry = format!("{MARKER}={thread}");
    let names_it = |process: &Process| {
        let environment = std::fs::read(format!("/proc/{}/environ", process.pid.as_raw_pid()));
        environment.is_ok_and(|text| text.split(|b| *b == 0).any(|word| word == entry.as_bytes()))
    };
    let (mut living, _) = snapshot();
    living.retain(|process| !process.dead && process.pid != own && names_it(process));
    Found { living, certain: true }
}

fn is_worker(process: &Process) -> bool {
    let line = std::fs::read(format!("/proc/{}/cmdline", process.pid.as_raw_pid()));
    let word = line.as_ref().ok().and_then(|line| line.split(|b| *b == 0).nth(1));
    word.is_some_and(|word| word == WORKER_COMMAND.as_bytes())
}

/// All processes, and whether each hangs where it was seen to hang.
fn snapshot() -> (Vec<Process>, bool) {
    let Ok(entries) = std::fs::read_dir("/proc") else { return (Vec::new(), true) };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let all: Vec<Process> = numbers.filter_map(Pid::from_raw).filter_map(read).collect();
    let seen: HashSet<i32> = all.iter().map(|process| process.pid.as_raw_pid()).collect();
    // A parent that is not there has died meanwhile, and its child belongs to
    // somebody else by now; or it is hidden from this user and still the parent.
    let certain = all.iter().all(|process| {
        seen.contains(&process.parent)
            || read(process.pid).is_none_or(|now| now.parent == process.parent)
    });
    (all, certain)
}

fn read(pid: Pid) -> Option<Process> {
    let text = std::fs::read(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    // The second field is the name in parentheses and may hold anything.
    let after_name = text.iter().rposition(|b| *b == b')')? + 1;
    let text = std::str::from_utf8(&text[after_name..]).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let dead = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Process { pid, parent, dead, started })
}
