use std::path::PathBuf;

use super::error::StoreError;
use super::index::Index;
use super::lock::FileLock;
use super::threads::{CompletedThread, Record, ThreadEntry};
use super::{Store, completed};
use crate::object::{Hash, ThreadId};

/// Held while `threads.json` or `history/` beside it changes.
pub(super) const INDEX_LOCK: &str = "threads.lock";

/// The index of one bundle while nobody else may change it.
pub(crate) struct LockedIndex<'s> {
    store: &'s Store,
    bundle: Hash,
    path: PathBuf,
    index: Index,
    _lock: FileLock,
}

impl Store {
    pub(super) fn index_lock(&self, bundle: &Hash) -> PathBuf {
        self.layout.threads_dir(bundle).join(INDEX_LOCK)
    }

    /// Keeps every process, this one included, from changing a bundle's index
    /// for as long as the lock is held; none while somebody changes it.
    pub fn try_hold_index(&self, bundle: &Hash) -> Result<Option<FileLock>, StoreError> {
        Ok(FileLock::try_exclusive(&self.index_lock(bundle))?)
    }

    /// Keeps others from changing a bundle's index.
    pub(crate) fn lock_index(&self, bundle: &Hash) -> Result<LockedIndex<'_>, StoreError> {
        let lock = FileLock::exclusive(&self.index_lock(bundle))?;
        let path = self.layout.threads_json(bundle);
        let index = Index::read_whole(&path)?;
        Ok(LockedIndex { store: self, bundle: *bundle, path, index, _lock: lock })
    }
}

impl LockedIndex<'_> {
    /// Enters a new thread.
    pub(crate) fn begin(
        &mut self,
        thread: &ThreadId,
        entry: ThreadEntry,
    ) -> Result<(), StoreError> {
        if self.index.contains(thread) {
            return Err(StoreError::ThreadExists { thread: thread.clone() });
        }
        self.hold([entry.head, entry.start])?;
        self.index.set(thread, &entry);
        self.save()
    }

    /// The entry of a thread that is active.
    pub(crate) fn active(&mut self, thread: &ThreadId) -> Result<ThreadEntry, StoreError> {
        match self.record(thread)? {
            Some(Record::Active(entry)) => Ok(entry),
            _ => Err(StoreError::NotActive { thread: thread.clone() }),
        }
    }

    /// What the index says of a thread. Cleans up after one whose end was cut
    /// short between its two writes.
    pub(crate) fn record(&mut self, thread: &ThreadId) -> Result<Option<Record>, StoreError> {
        let entry = self.index.get(thread);
        let since_ms = entry.as_ref().map(|entry| entry.updated_at);
        let history = self.store.layout.history_dir(&self.bundle);
        let Some(ended) = completed::find(&history, thread, since_ms, None)? else {
            return Ok(entry.map(Record::Active));
        };
        if self.index.remove(thread) {
            self.save()?;
        }
        Ok(Some(Record::Completed(ended)))
    }

    /// Moves the head of a thread, active or completed.
    pub(crate) fn move_head(
        &mut self,
        thread: &ThreadId,
        head: Hash,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        self.hold([head])?;
        match self.record(thread)? {
            Some(Record::Active(entry)) => {
                self.index.set(thread, &ThreadEntry { head, updated_at: now_ms, ..entry });
                self.save()
            }
            Some(Record::Completed(ended)) => {
                let new = CompletedThread { head, ..ended };
                let history = self.store.layout.history_dir(&self.bundle);
                completed::replace(&history, thread, Some(&new), self.store.durability)
            }
            None => Err(StoreError::NotActive { thread: thread.clone() }),
        }
    }

    /// Moves the head of an active thread.
    pub(super) fn advance(
        &mut self,
        thread: &ThreadId,
        head: Hash,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let entry = self.active(thread)?;
        self.hold([head])?;
        self.index.set(thread, &ThreadEntry { head, updated_at: now_ms, ..entry });
        self.save()
    }

    /// Moves an active thread to the history.
    pub(super) fn finish(
        &mut self,
        thread: &ThreadId,
        head: Hash,
        completed_at: i64,
    ) -> Result<(), StoreError> {
        let start = self.active(thread)?.start;
        self.hold([head])?;
        let record = CompletedThread { thread: thread.clone(), head, start, completed_at };
        // In this order a crash between the two leaves the thread in both
        // places, and readers know that the history is right.
        let history = self.store.layout.history_dir(&self.bundle);
        completed::append(&history, &record, self.store.durability)?;
        self.index.remove(thread);
        self.save()
    }

    /// Forgets a thread, wherever it is, and gives what the index said of it.
    pub(super) fn forget(&mut self, thread: &ThreadId) -> Result<Option<Record>, StoreError> {
        let Some(record) = self.record(thread)? else { return Ok(None) };
        if self.index.remove(thread) {
            self.save()?;
        } else {
            let history = self.store.layout.history_dir(&self.bundle);
            completed::replace(&history, thread, None, self.store.durability)?;
        }
        Ok(Some(record))
    }

    /// Keeps nodes, and all that they lead to, from a collection under way until
    /// the index leads to them. One that begins now waits for our lock before it
    /// reads the index.
    fn hold(&self, nodes: impl IntoIterator<Item = Hash>) -> Result<(), StoreError> {
        for hash in nodes {
            if !self.store.touch(&hash)? {
                return Err(StoreError::MissingHead { hash });
            }
        }
        Ok(())
    }

    fn save(&self) -> Result<(), StoreError> {
        self.index.write(&self.path, self.store.durability)
    }
}
