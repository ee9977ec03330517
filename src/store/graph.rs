//! Which blob refers to which: what [`super::gc`] and [`super::verify`] walk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::blobs::Cas;
use super::error::{Damage, IoError, StoreError};
use super::index::Index;
use super::lock::FileLock;
use super::locked::INDEX_LOCK;
use super::{Store, completed, durable};
use crate::object::{Hash, ThreadId, blob_refs};

/// Every blob of a folder at one moment, by number, sorted by hash.
pub(super) struct Graph {
    pub(super) hashes: Vec<Hash>,
    numbers: HashMap<Hash, u32>,
    blobs: Vec<Blob>,
}

/// What a blob's file holds.
pub(super) enum Blob {
    /// Intact: the blobs that it refers to and that are there, then those that
    /// are not.
    Intact { refs: Box<[u32]>, missing: Box<[Hash]> },
    /// Its bytes are not those that its name says.
    Damaged,
    /// Removed since the folder was listed.
    Gone,
}

impl Graph {
    /// Reads the whole folder, in parallel. `read` is told of each blob done.
    pub(super) fn load(
        cas: &Cas,
        read: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Graph, StoreError> {
        let hashes = cas.list()?;
        let numbers = hashes.iter().copied().zip(0..).collect::<HashMap<Hash, u32>>();
        let done = std::sync::atomic::AtomicUsize::new(0);
        let blobs = hashes.par_iter().with_min_len(64).map(|hash| {
            let blob = match durable::read(&cas.path(hash))? {
                None => Blob::Gone,
                Some(bytes) if Hash::of(&bytes) != *hash => Blob::Damaged,
                Some(bytes) => intact(&bytes, &numbers),
            };
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            if done.is_multiple_of(1024) {
                read(done, hashes.len());
            }
            Ok(blob)
        });
        let blobs = blobs.collect::<Result<Vec<Blob>, StoreError>>()?;
        Ok(Graph { hashes, numbers, blobs })
    }

    pub(super) fn number(&self, hash: &Hash) -> Option<u32> {
        let number = self.numbers.get(hash).copied()?;
        (!matches!(self.blob(number), Blob::Gone)).then_some(number)
    }

    pub(super) fn hash(&self, number: u32) -> Hash {
        self.hashes[number as usize]
    }

    pub(super) fn blob(&self, number: u32) -> &Blob {
        &self.blobs[number as usize]
    }

    pub(super) fn refs(&self, number: u32) -> &[u32] {
        match self.blob(number) {
            Blob::Intact { refs, .. } => refs,
            Blob::Damaged | Blob::Gone => &[],
        }
    }

    /// Sets `marked` for `from` and all that it leads to; gives the new ones.
    pub(super) fn mark(
        &self,
        from: impl IntoIterator<Item = u32>,
        marked: &mut [bool],
    ) -> Vec<u32> {
        let mut new = Vec::new();
        let mut stack: Vec<u32> = from.into_iter().collect();
        while let Some(number) = stack.pop() {
            if !std::mem::replace(&mut marked[number as usize], true) {
                new.push(number);
                stack.extend(self.refs(number));
            }
        }
        new
    }
}

fn intact(bytes: &[u8], numbers: &HashMap<Hash, u32>) -> Blob {
    let text = String::from_utf8_lossy(bytes);
    let refs = blob_refs(&text);
    let (mut there, mut missing) = (Vec::new(), Vec::new());
    // Bundles of older ages put other names than hashes there.
    for hash in refs.iter().filter_map(|text| text.parse().ok()) {
        match numbers.get(&hash) {
            Some(number) => there.push(*number),
            None => missing.push(hash),
        }
    }
    Blob::Intact { refs: there.into(), missing: missing.into() }
}

/// A hash that an index names, and where.
pub(super) struct Root {
    pub(super) bundle: String,
    pub(super) thread: ThreadId,
    pub(super) head: Hash,
    pub(super) start: Hash,
    pub(super) path: PathBuf,
}

/// Takes the lock of an index, so that a change under way is over.
pub(super) type TakeLock = fn(&Path) -> Result<Option<FileLock>, IoError>;

/// Every thread of every index, in the registry or not, with what is damaged.
pub(super) fn roots(store: &Store, lock: TakeLock) -> Result<(Vec<Root>, Vec<Damage>), StoreError> {
    let (mut roots, mut damage) = (Vec::new(), Vec::new());
    for dir in durable::folders(&store.layout().bundles_dir())? {
        let bundle = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        roots_of(&dir, &bundle, lock, &mut roots, &mut damage)?;
    }
    Ok((roots, damage))
}

fn roots_of(
    dir: &Path,
    bundle: &str,
    lock: TakeLock,
    roots: &mut Vec<Root>,
    damage: &mut Vec<Damage>,
) -> Result<(), StoreError> {
    let (path, history) = (dir.join("threads.json"), dir.join("history"));
    if !path.exists() && !history.is_dir() {
        return Ok(());
    }
    // A change under way has already looked whether its nodes are there.
    let _lock = lock(&dir.join(INDEX_LOCK))?;
    let (entries, bad) = Index::read(&path)?.entries(&path);
    damage.extend(bad);
    let mut push = |thread, head, start, path: &Path| {
        let (bundle, path) = (bundle.to_owned(), path.to_owned());
        roots.push(Root { bundle, thread, head, start, path });
    };
    for (thread, entry) in entries {
        push(thread, entry.head, entry.start, &path);
    }
    for path in completed::files(&history)? {
        for (line, record) in completed::read(&path, None)? {
            match record {
                Ok(record) => push(record.thread, record.head, record.start, &path),
                Err(problem) => damage.push(completed::damage(&path, line, problem)),
            }
        }
    }
    Ok(())
}
