//! What ends a run in the foreground: signals, and changes of watched files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::error::CommandError;
use crate::object::Hash;

/// How long files must have been left alone: bundlers write in pieces.
const QUIET: Duration = Duration::from_millis(100);

/// Why a run is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Somebody asked the program to end.
    Signal,
    /// A watched file has other content.
    Changed,
}

/// Signals and changes, as they come. Inside a tokio runtime.
pub(super) struct Stops {
    interrupt: Signal,
    terminate: Signal,
    hangup: Option<Signal>,
    changes: Option<Changes>,
    last: Option<Why>,
}

struct Changes {
    watcher: RecommendedWatcher,
    folders: HashSet<PathBuf>,
    events: mpsc::UnboundedReceiver<()>,
    files: Vec<PathBuf>,
    seen: Vec<Option<Hash>>,
}

impl Stops {
    /// Takes SIGINT, SIGTERM and, unless it is ignored, SIGHUP.
    pub(super) fn new() -> Result<Stops, CommandError> {
        let take = |kind| {
            signal(kind).map_err(|e| CommandError::user(format!("cannot take signals: {e}")))
        };
        let hangup = match hangup_is_ignored() {
            true => None,
            false => Some(take(SignalKind::hangup())?),
        };
        let (interrupt, terminate) =
            (take(SignalKind::interrupt())?, take(SignalKind::terminate())?);
        Ok(Stops { interrupt, terminate, hangup, changes: None, last: None })
    }

    /// Watches these files too.
    pub(super) fn watch(&mut self, files: &[&Path]) -> Result<(), CommandError> {
        let failed = |error| CommandError::user(format!("cannot watch files: {error}"));
        let (sender, events) = mpsc::unbounded_channel();
        // Their folders: an editor that saves puts another file in the place of one.
        let mut folders = HashSet::new();
        for file in files {
            let file = std::path::absolute(file).map_err(|error| failed(error.into()))?;
            folders.extend(file.parent().map(Path::to_owned));
        }
        let named = files.iter().copied().chain(folders.iter().map(PathBuf::as_path));
        let names: Vec<_> = named.filter_map(Path::file_name).map(ToOwned::to_owned).collect();
        let concerns = move |event: &notify::Event| {
            // Others may read in the folder all the time, and write other files.
            let is_ours = |path: &PathBuf| names.iter().any(|name| path.ends_with(name));
            let written = AccessKind::Close(AccessMode::Write);
            let reads = matches!(event.kind, EventKind::Access(kind) if kind != written);
            !reads && (event.need_rescan() || event.paths.iter().any(is_ours))
        };
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // What was missed because of an error is found by looking.
            if event.as_ref().map_or(true, &concerns) {
                let _ = sender.send(());
            }
        })
        .map_err(failed)?;
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let mut changes = Changes { watcher, folders, events, files, seen: Vec::new() };
        for folder in &changes.folders {
            changes.watcher.watch(folder, RecursiveMode::NonRecursive).map_err(failed)?;
        }
        // Builds empty their folder by making another, which is seen in the one around it.
        for around in changes.folders.iter().filter_map(|folder| folder.parent()) {
            let _ = changes.watcher.watch(around, RecursiveMode::NonRecursive);
        }
        self.changes = Some(changes);
        Ok(())
    }

    /// What the files hold now is known: a change is what differs from it.
    pub(super) fn seen(&mut self) {
        self.last = None;
        if let Some(changes) = &mut self.changes {
            changes.seen = changes.look();
        }
    }

    /// Why something was last asked to end, since the last [`Stops::seen`].
    pub(super) fn last(&self) -> Option<Why> {
        self.last
    }

    /// Waits for the next reason to end. May be dropped at any time.
    pub(super) async fn next(&mut self) -> Why {
        let hung_up = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        let changed = async {
            match &mut self.changes {
                Some(changes) => changes.next().await,
                None => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            biased;
            _ = self.interrupt.recv() => Why::Signal,
            _ = self.terminate.recv() => Why::Signal,
            _ = hung_up => Why::Signal,
            () = changed => Why::Changed,
        };
        self.last = Some(why);
        why
    }
}

/// Whether the one who started the program wants it to outlive its terminal, as
/// `nohup` does. Where the system does not tell, nothing is changed.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit is signal 1, which is SIGHUP.
    ignored.is_none_or(|mask| mask & 1 == 1)
}

impl Changes {
    /// Waits until a file has other content. One that is gone is being written.
    async fn next(&mut self) {
        loop {
            // Before looking, or what is written between the two would be missed. A
            // folder that is not there now is watched when it comes.
            for folder in &self.folders {
                let _ = self.watcher.watch(folder, RecursiveMode::NonRecursive);
            }
            let now = self.look();
            let other = now.iter().zip(&self.seen).any(|(now, seen)| now.is_some() && now != seen);
            if other && now.iter().all(Option::is_some) {
                self.seen = now;
                return;
            }
            let _ = self.events.recv().await;
            while let Ok(Some(())) = timeout(QUIET, self.events.recv()).await {}
        }
    }

    fn look(&self) -> Vec<Option<Hash>> {
        let hash = |file: &PathBuf| std::fs::read(file).ok().map(|bytes| Hash::of(&bytes));
        self.files.iter().map(hash).collect()
    }
}
