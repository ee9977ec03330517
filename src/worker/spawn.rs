//! Starting a thread process.

use std::io::{self, PipeReader};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Pid;

use super::protocol::Environment;
use super::{THREAD_COMMAND, descendants, handover};
use crate::object::{Hash, ThreadId};

/// A thread process that has just begun, and the worker's ends of what leads to it.
pub struct Spawned {
    /// Its number, which stays its own until the worker has reaped it.
    pub pid: Pid,
    /// Orders go in, events come out.
    pub control: UnixStream,
    /// What it and its children print.
    pub stdout: PipeReader,
    /// The same for errors.
    pub stderr: PipeReader,
}

/// This program, also where its file has been replaced since it was started.
pub fn this_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe()
}

/// Gives this process the program's name in lists of processes, which
/// [`this_program`] has cost it.
pub fn name_process() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(c"uncaged-workflo");
}

/// Starts the process of a thread and gives it the claim.
pub fn spawn(
    root: &Path,
    bundle: &Hash,
    thread: &ThreadId,
    environment: Option<Environment>,
    claim: BorrowedFd<'_>,
) -> io::Result<Spawned> {
    let (control, theirs) = UnixStream::pair()?;
    let (stdout, their_stdout) = io::pipe()?;
    let (stderr, their_stderr) = io::pipe()?;
    let mut command = Command::new(this_program()?);
    command
        .arg0(env!("CARGO_PKG_NAME"))
        .arg(THREAD_COMMAND)
        .arg(root)
        .args([bundle.as_str(), thread.as_str()])
        // The one descriptor that a process can take over without a raw number.
        .stdin(OwnedFd::from(theirs))
        .stdout(their_stdout)
        .stderr(their_stderr)
        .process_group(0);
    if let Some(environment) = environment {
        command.env_clear().envs(environment.variables);
        let directory = environment.directory.map(PathBuf::from);
        command.current_dir(directory.filter(|dir| dir.is_dir()).unwrap_or("/".into()));
    }
    command.env(descendants::MARKER, thread.as_str());
    let child = command.spawn()?;
    let pid = Pid::from_child(&child);
    if let Err(source) = handover::send(&control, claim) {
        // It will be reaped like any other child of the worker.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        return Err(source);
    }
    Ok(Spawned { pid, control, stdout, stderr })
}
