//! Collects the blobs that no thread leads to (SPEC section 11).
//!
//! # What is kept
//!
//! Everything that is reachable from the head and start of every thread, and
//! everything written or touched since the oldest execution under way began,
//! with all that it refers to. The second rule is for blobs that a running
//! thread is about to refer to: its state may not have been written yet.
//!
//! Times are compared only as the file system gave them: a put sets the blob's,
//! a [`super::Claim`] the marker's, and a collection that of its own lock file.
//!
//! Blobs go after those that refer to them, and the time of each is looked at
//! once more while no writer can touch it. So a blob that somebody picks up
//! during the sweep is either gone as a whole or stays with all that it needs.

use std::time::SystemTime;

use super::error::{Damage, StoreError};
use super::graph::{self, Blob, Graph};
use super::lock::FileLock;
use super::{Store, durable};
use crate::object::{Hash, ThreadId};

/// Blobs removed under one hold of the lock that writers need: some
/// milliseconds of work.
const BATCH: usize = 128;

/// How to collect.
#[derive(Debug, Clone, Copy, Default)]
pub struct GcOptions {
    /// Only say what would be removed.
    pub dry_run: bool,
}

/// What a collection did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GcReport {
    /// Threads whose nodes were kept.
    pub scanned_threads: usize,
    /// Blobs that they lead to.
    pub active_refs: usize,
    /// Blobs removed.
    pub deleted_entries: usize,
    /// Their hashes, sorted.
    pub deleted_hashes: Vec<Hash>,
}

/// How far a collection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GcProgress {
    /// Blobs are being read.
    Mark {
        /// So far.
        done: usize,
        /// Of these.
        total: usize,
    },
    /// Garbage is being removed.
    Sweep {
        /// So far.
        done: usize,
        /// Of these.
        total: usize,
    },
}

/// Why nothing was removed.
#[derive(Debug, thiserror::Error)]
pub enum GcError {
    /// The store could not be read, or a blob that is in use is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Threads may stand in what cannot be read.
    #[error("{} damaged entries in the thread index, first {}", .0.len(), .0[0])]
    DamagedIndex(Vec<Damage>),
    /// A thread's head or start is not in the store, and what it led to cannot
    /// be told from garbage.
    #[error("thread {thread} of {} names {hash}, which is not in the store", path.display())]
    MissingRoot {
        /// The thread.
        thread: ThreadId,
        /// The index that has it.
        path: std::path::PathBuf,
        /// The head or start.
        hash: Hash,
    },
}

/// Collects garbage. One collection runs at a time; others wait for it.
pub fn collect(
    store: &Store,
    options: GcOptions,
    progress: &(dyn Fn(GcProgress) + Sync),
) -> Result<GcReport, GcError> {
    if !store.cas().dir().is_dir() {
        let (roots, damage) = graph::roots(store, |path| FileLock::shared(path).map(Some))?;
        // The store's first thread may have begun between the two looks.
        if !store.cas().dir().is_dir() {
            check(&roots, damage, None)?;
            return Ok(GcReport::default());
        }
    }
    let lock = FileLock::exclusive(&store.cas().gc_lock()).map_err(StoreError::from)?;
    // In this order: an execution that has ended by the time the claims are
    // read has its thread in the index by then.
    let cutoff = cutoff(store, &lock)?;
    let (roots, damage) = graph::roots(store, |path| FileLock::shared(path).map(Some))?;
    let graph =
        Graph::load(store.cas(), &|done, total| progress(GcProgress::Mark { done, total }))?;
    check(&roots, damage, Some(&graph))?;

    let mut marked = vec![false; graph.hashes.len()];
    let numbers = roots.iter().flat_map(|root| [root.head, root.start]);
    let live = graph.mark(numbers.filter_map(|hash| graph.number(&hash)), &mut marked);
    intact(store, &graph, &live)?;
    let mut recent = Vec::new();
    for number in 0..graph.hashes.len() as u32 {
        if !marked[number as usize] && changed_since(store, &graph.hash(number), cutoff)? {
            recent.push(number);
        }
    }
    let kept = graph.mark(recent, &mut marked);
    intact(store, &graph, &kept)?;

    let garbage = referrers_first(&graph, &marked);
    let mut deleted = if options.dry_run {
        garbage.iter().map(|number| graph.hash(*number)).collect()
    } else {
        let deleted = sweep(store, &graph, &garbage, &mut marked, cutoff, progress)?;
        sweep_temps(store, cutoff)?;
        settle(store, &roots)?;
        deleted
    };
    deleted.sort_unstable();
    let threads: std::collections::HashSet<_> =
        roots.iter().map(|root| (&root.bundle, &root.thread)).collect();
    Ok(GcReport {
        scanned_threads: threads.len(),
        active_refs: live.len(),
        deleted_entries: deleted.len(),
        deleted_hashes: deleted,
    })
}

/// The time from which on every blob is kept.
fn cutoff(store: &Store, lock: &FileLock) -> Result<SystemTime, StoreError> {
    durable::touch(lock.path())?;
    let now = lock.file().metadata().and_then(|meta| meta.modified());
    let now = now.map_err(super::IoError::at("look at", lock.path()))?;
    let oldest = store.running_threads()?.into_iter().map(|running| running.since).min();
    Ok(match oldest {
        // The clock was set back under a running thread: no time tells anything.
        Some(since) if since > now => SystemTime::UNIX_EPOCH,
        Some(since) => since,
        None => now,
    })
}

/// Fails closed: what cannot be read may be what leads to a blob.
fn check(roots: &[graph::Root], damage: Vec<Damage>, graph: Option<&Graph>) -> Result<(), GcError> {
    if !damage.is_empty() {
        return Err(GcError::DamagedIndex(damage));
    }
    for root in roots {
        for hash in [root.head, root.start] {
            if graph.is_none_or(|graph| graph.number(&hash).is_none()) {
                let (thread, path) = (root.thread.clone(), root.path.clone());
                return Err(GcError::MissingRoot { thread, path, hash });
            }
        }
    }
    Ok(())
}

fn intact(store: &Store, graph: &Graph, live: &[u32]) -> Result<(), StoreError> {
    let damaged = live.iter().find(|number| matches!(graph.blob(**number), Blob::Damaged));
    let Some(hash) = damaged.map(|number| graph.hash(*number)) else { return Ok(()) };
    Err(StoreError::Damaged { hash, path: store.layout().blob(&hash) })
}

fn changed_since(store: &Store, hash: &Hash, cutoff: SystemTime) -> Result<bool, StoreError> {
    let at = durable::modified(&store.cas().path(hash))?;
    Ok(at.is_some_and(|at| at >= cutoff))
}

/// The unmarked blobs, each after all those that refer to it.
fn referrers_first(graph: &Graph, marked: &[bool]) -> Vec<u32> {
    let unmarked = |number: &u32| !marked[*number as usize];
    let all = 0..graph.hashes.len() as u32;
    let mut referrers = vec![0u32; marked.len()];
    for number in all.clone().filter(unmarked) {
        for to in graph.refs(number).iter().filter(|to| unmarked(to)) {
            referrers[*to as usize] += 1;
        }
    }
    let mut order: Vec<u32> =
        all.clone().filter(|n| unmarked(n) && referrers[*n as usize] == 0).collect();
    let mut next = 0;
    while let Some(number) = order.get(next).copied() {
        next += 1;
        for to in graph.refs(number).iter().filter(|to| unmarked(to)) {
            referrers[*to as usize] -= 1;
            if referrers[*to as usize] == 0 {
                order.push(*to);
            }
        }
    }
    // Only blobs that refer to each other in a ring, which nobody can make
    // without breaking the hash, are left.
    order.extend(all.filter(|n| unmarked(n) && referrers[*n as usize] > 0));
    order
}

fn sweep(
    store: &Store,
    graph: &Graph,
    garbage: &[u32],
    marked: &mut [bool],
    cutoff: SystemTime,
    progress: &(dyn Fn(GcProgress) + Sync),
) -> Result<Vec<Hash>, StoreError> {
    let mut deleted = Vec::with_capacity(garbage.len());
    for (batch, numbers) in garbage.chunks(BATCH).enumerate() {
        progress(GcProgress::Sweep { done: batch * BATCH, total: garbage.len() });
        let _lock = FileLock::exclusive(&store.cas().removal_lock())?;
        for number in numbers {
            if marked[*number as usize] {
                continue;
            }
            let hash = graph.hash(*number);
            if changed_since(store, &hash, cutoff)? {
                graph.mark([*number], marked);
            } else if durable::remove_file(&store.cas().path(&hash), durable::Durability::Unsynced)?
            {
                deleted.push(hash);
            }
        }
    }
    durable::sync_dir(store.cas().dir(), store.durability)?;
    Ok(deleted)
}

/// Takes threads whose end was cut short between its two writes out of the
/// active ones.
fn settle(store: &Store, roots: &[graph::Root]) -> Result<(), StoreError> {
    let mut seen = std::collections::HashSet::new();
    for root in roots.iter().filter(|root| !seen.insert((&root.bundle, &root.thread))) {
        if let Ok(bundle) = root.bundle.parse() {
            store.lock_index(&bundle)?.record(&root.thread)?;
        }
    }
    Ok(())
}

fn sweep_temps(store: &Store, before: SystemTime) -> Result<(), StoreError> {
    let layout = store.layout();
    let mut dirs = vec![layout.root().to_owned(), layout.cas_dir(), layout.workers_dir()];
    dirs.push(layout.bundles_dir());
    for dir in durable::folders(&layout.bundles_dir())? {
        dirs.push(dir.join("history"));
        dirs.push(dir);
    }
    for dir in dirs {
        durable::sweep_temps(&dir, before)?;
    }
    Ok(())
}
