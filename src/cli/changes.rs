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
    signals: [Signal; 3],
    changes: Option<Changes>,
    last: Option<Why>,
}

struct Changes {
    _watcher: RecommendedWatcher,
    events: mpsc::UnboundedReceiver<()>,
    files: Vec<PathBuf>,
    seen: Vec<Option<Hash>>,
}

impl Stops {
    /// Takes SIGINT, SIGTERM and SIGHUP.
    pub(super) fn new() -> Result<Stops, CommandError> {
        let take = |kind| {
            signal(kind).map_err(|e| CommandError::user(format!("cannot take signals: {e}")))
        };
        let signals = [
            take(SignalKind::interrupt())?,
            take(SignalKind::terminate())?,
            take(SignalKind::hangup())?,
        ];
        Ok(Stops { signals, changes: None, last: None })
    }

    /// Watches these files too.
    pub(super) fn watch(&mut self, files: &[&Path]) -> Result<(), CommandError> {
        let failed = |error| CommandError::user(format!("cannot watch files: {error}"));
        let (sender, events) = mpsc::unbounded_channel();
        let names: Vec<_> = files.iter().filter_map(|file| file.file_name()).collect();
        let names: Vec<_> = names.into_iter().map(ToOwned::to_owned).collect();
        let concerns = move |event: &notify::Event| {
            // Others may read in the folder all the time, and write other files.
            let is_ours = |path: &PathBuf| names.iter().any(|name| path.ends_with(name));
            let written = AccessKind::Close(AccessMode::Write);
            let reads = matches!(event.kind, EventKind::Access(kind) if kind != written);
            !reads && (event.need_rescan() || event.paths.iter().any(is_ours))
        };
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                // What was missed because of an error is found by looking.
                if event.as_ref().map_or(true, &concerns) {
                    let _ = sender.send(());
                }
            })
            .map_err(failed)?;
        // Their folders: an editor that saves puts another file in the place of one.
        let parent = |file: &&Path| match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        for folder in files.iter().map(parent).collect::<HashSet<_>>() {
            watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(failed)?;
        }
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        self.changes = Some(Changes { _watcher: watcher, events, files, seen: Vec::new() });
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
        let [interrupt, terminate, hangup] = &mut self.signals;
        let changed = async {
            match &mut self.changes {
                Some(changes) => changes.next().await,
                None => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            biased;
            _ = interrupt.recv() => Why::Signal,
            _ = terminate.recv() => Why::Signal,
            _ = hangup.recv() => Why::Signal,
            () = changed => Why::Changed,
        };
        self.last = Some(why);
        why
    }
}

impl Changes {
    /// Waits until a file has other content. One that is gone is being written.
    async fn next(&mut self) {
        loop {
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
