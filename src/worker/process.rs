//! The worker as a process of its own: cut off from whoever started it.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use tokio::task::LocalSet;

use super::place::Place;
use super::threads::{self, Worker};
use super::{server, spawn};
use crate::engine::{ThreadLog, now_ms};
use crate::object::Hash;
use crate::store::Store;

/// What a worker prints on its standard output once it serves. Anything else
/// there says why it does not.
pub const READY: &str = "ready";

/// Runs the worker of `bundle` until it has nothing left to do.
///
/// For the process that [`super::WORKER_COMMAND`] starts, before it has made an
/// OS thread or opened a file.
pub fn run(root: &Path, bundle: Hash) -> ExitCode {
    match work(root, bundle) {
        Ok(()) => ExitCode::SUCCESS,
        Err(source) => {
            // Read by the client while it waits; into nothing afterwards.
            let _ = writeln!(io::stdout(), "{source}");
            let _ = io::stdout().flush();
            ExitCode::FAILURE
        }
    }
}

fn work(root: &Path, bundle: Hash) -> io::Result<()> {
    let root = std::path::absolute(root)?;
    close_inherited_files();
    // Fails where this process leads a group, and then it needs no new session.
    let _ = rustix::process::setsid();
    std::env::set_current_dir("/")?;
    adopt_orphans()?;
    spawn::name_process();
    let store = Store::open(&root);
    let place = Place::new(store.layout(), &bundle);
    place.create()?;
    if place.connect()?.is_some() {
        return Err(io::Error::other("this bundle has a worker already"));
    }
    let listener = place.listen()?;
    place.announce().map_err(io::Error::other)?;
    report_panics(threads::own_log(store.layout(), &bundle));
    let worker = Worker::new(store, root, bundle);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = LocalSet::new().block_on(&runtime, server::serve(listener, worker, place, ready));
    // A thread that writes an end may hang on a dead disk; the process must not.
    runtime.shutdown_background();
    served
}

/// Tells the client, and lets go of everything that came from it.
fn ready() -> io::Result<()> {
    let mut stdout = io::stdout();
    writeln!(stdout, "{READY}")?;
    stdout.flush()?;
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// A shell or a CI system may have given the client other files than the three
/// standard ones, and may wait for their end.
fn close_inherited_files() {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let open: Vec<i32> = numbers.filter(|number| *number > 2).collect();
    for number in open {
        // One of them was the directory itself.
        let _ = nix::unistd::close(number);
    }
}

#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Standard error leads nowhere, so a fault of the worker goes to its log.
fn report_panics(file: std::path::PathBuf) {
    std::panic::set_hook(Box::new(move |panic| {
        ThreadLog::open(&file, now_ms).write("V6RC3XKE", &panic.to_string());
    }));
}
