//! The thread index: which threads there are and where each one's head is.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::error::{Damage, StoreError};
use super::index::Index;
use super::{Store, completed, durable};
use crate::object::{Hash, ThreadId};

/// An active thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadEntry {
    /// The newest node; the start node until there is a state.
    pub head: Hash,
    /// The start node.
    pub start: Hash,
    /// Milliseconds since 1970.
    pub updated_at: i64,
}

impl ThreadEntry {
    /// The error is the field at fault.
    pub(super) fn from_value(value: &Value) -> Result<ThreadEntry, &'static str> {
        let hash = |field: &'static str| {
            let text = value.get(field).and_then(Value::as_str).ok_or(field)?;
            text.parse().map_err(|_| field)
        };
        let updated_at = value.get("updatedAt");
        let ms = updated_at.and_then(|ms| ms.as_i64().or(ms.as_f64().map(|ms| ms as i64)));
        Ok(ThreadEntry { head: hash("head")?, start: hash("start")?, updated_at: ms.unwrap_or(0) })
    }
}

/// A thread that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedThread {
    /// Its id.
    pub thread: ThreadId,
    /// Its `__end__` state.
    pub head: Hash,
    /// The start node.
    pub start: Hash,
    /// Milliseconds since 1970.
    pub completed_at: i64,
}

/// Where a thread was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The bundle whose index has it.
    pub bundle: Hash,
    /// What the index says.
    pub record: Record,
}

/// What the index says of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// It has not ended.
    Active(ThreadEntry),
    /// It has.
    Completed(CompletedThread),
}

impl Record {
    /// The newest node.
    pub fn head(&self) -> Hash {
        match self {
            Record::Active(entry) => entry.head,
            Record::Completed(thread) => thread.head,
        }
    }

    /// The start node.
    pub fn start(&self) -> Hash {
        match self {
            Record::Active(entry) => entry.start,
            Record::Completed(thread) => thread.start,
        }
    }
}

/// What could be read, and what could not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<T> {
    /// The good records.
    pub records: Vec<T>,
    /// The files and lines that make no sense.
    pub damage: Vec<Damage>,
}

impl<T> Listing<T> {
    fn new() -> Listing<T> {
        Listing { records: Vec::new(), damage: Vec::new() }
    }

    /// The records if nothing is damaged, else the first damage as an error.
    pub fn whole(mut self) -> Result<Vec<T>, StoreError> {
        if self.damage.is_empty() {
            return Ok(self.records);
        }
        Err(StoreError::Index(self.damage.swap_remove(0)))
    }
}

impl Store {
    /// Enters a new thread. Its nodes are put before, under a [`super::Claim`] on
    /// it: without one a collection could take them as garbage.
    pub fn begin_thread(
        &self,
        bundle: &Hash,
        thread: &ThreadId,
        entry: ThreadEntry,
    ) -> Result<(), StoreError> {
        self.lock_index(bundle)?.begin(thread, entry)
    }

    /// Moves the head of an active thread.
    pub fn advance_thread(
        &self,
        bundle: &Hash,
        thread: &ThreadId,
        head: Hash,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        self.lock_index(bundle)?.advance(thread, head, now_ms)
    }

    /// Moves an active thread to the history, with its last node. Ending it
    /// again is an error.
    pub fn finish_thread(
        &self,
        bundle: &Hash,
        thread: &ThreadId,
        head: Hash,
        completed_at_ms: i64,
    ) -> Result<(), StoreError> {
        self.lock_index(bundle)?.finish(thread, head, completed_at_ms)
    }

    /// Forgets a thread, its limits and its log, wherever it is; its nodes become garbage.
    /// Gives what was forgotten.
    pub fn remove_thread(&self, thread: &ThreadId) -> Result<Option<Located>, StoreError> {
        let Some(Located { bundle, .. }) = self.find_thread(thread)? else { return Ok(None) };
        // Of two that remove it at once, one has done so.
        let Some(record) = self.lock_index(&bundle)?.forget(thread)? else { return Ok(None) };
        durable::remove_file(&self.layout.log(&bundle, thread), self.durability)?;
        durable::remove_file(&self.layout.limits(&bundle, thread), self.durability)?;
        if self.layout.running(&bundle, thread).exists()
            && let Some(left_by_the_dead) = self.claim(&bundle, thread)?
        {
            left_by_the_dead.release()?;
        }
        Ok(Some(Located { bundle, record }))
    }

    /// Looks for a thread in the index of every bundle.
    pub fn find_thread(&self, thread: &ThreadId) -> Result<Option<Located>, StoreError> {
        let mut damage = Vec::new();
        let bundles = self.bundles_with_threads()?;
        for bundle in &bundles {
            let path = self.layout.threads_json(bundle);
            let index = Index::read(&path)?;
            if let Some(entry) = index.get(thread) {
                let ended = self.find_completed(bundle, thread, Some(entry.updated_at))?;
                let record = ended.map_or(Record::Active(entry), Record::Completed);
                return Ok(Some(Located { bundle: *bundle, record }));
            }
            damage.extend(index.entries(&path).1);
        }
        for bundle in bundles {
            if let Some(ended) = self.find_completed(&bundle, thread, None)? {
                return Ok(Some(Located { bundle, record: Record::Completed(ended) }));
            }
        }
        // It may be in the part that cannot be read.
        damage.extend(self.completed_threads()?.damage);
        match damage.into_iter().next() {
            Some(damage) => Err(StoreError::Index(damage)),
            None => Ok(None),
        }
    }

    /// The active threads of every bundle, with what of the index is damaged.
    pub fn active_threads(&self) -> Result<Listing<(Hash, ThreadId, ThreadEntry)>, StoreError> {
        let mut all = Listing::new();
        for bundle in self.bundles_with_threads()? {
            let path = self.layout.threads_json(&bundle);
            let (entries, damage) = Index::read(&path)?.entries(&path);
            all.damage.extend(damage);
            let oldest = entries.iter().map(|(_, entry)| entry.updated_at).min();
            let ended = match oldest {
                Some(ms) => self.completed_since(&bundle, ms)?,
                None => HashMap::new(),
            };
            let active = entries.into_iter().filter(|(thread, _)| !ended.contains_key(thread));
            all.records.extend(active.map(|(thread, entry)| (bundle, thread, entry)));
        }
        Ok(all)
    }

    /// The completed threads of every bundle, with what of the history is damaged.
    pub fn completed_threads(&self) -> Result<Listing<(Hash, CompletedThread)>, StoreError> {
        let mut all = Listing::new();
        for bundle in self.bundles_with_threads()? {
            let (records, damage) = self.history_of(&bundle)?;
            all.damage.extend(damage);
            all.records.extend(records.into_iter().map(|record| (bundle, record)));
        }
        Ok(all)
    }

    /// All threads of one bundle: the active ones, then the completed ones. Each
    /// stands there once, also when it ends while this reads.
    pub fn threads_of(&self, bundle: &Hash) -> Result<Listing<(ThreadId, Record)>, StoreError> {
        let mut all = Listing::new();
        let path = self.layout.threads_json(bundle);
        let (entries, damage) = Index::read(&path)?.entries(&path);
        all.damage.extend(damage);
        let (completed, damage) = self.history_of(bundle)?;
        all.damage.extend(damage);
        let ended: HashSet<&ThreadId> = match entries.is_empty() {
            true => HashSet::new(),
            false => completed.iter().map(|record| &record.thread).collect(),
        };
        let active = entries.into_iter().filter(|(thread, _)| !ended.contains(thread));
        all.records.extend(active.map(|(thread, entry)| (thread, Record::Active(entry))));
        let completed = completed.into_iter();
        all.records.extend(completed.map(|r| (r.thread.clone(), Record::Completed(r))));
        Ok(all)
    }

    /// The bundles that have or had threads, in the registry or not.
    pub fn bundles_with_threads(&self) -> Result<Vec<Hash>, StoreError> {
        let names = durable::names(&self.layout.bundles_dir())?;
        Ok(names.iter().filter_map(|name| folder_name(name)).collect())
    }

    fn history_of(&self, bundle: &Hash) -> Result<(Vec<CompletedThread>, Vec<Damage>), StoreError> {
        let (mut records, mut damage) = (Vec::new(), Vec::new());
        for path in completed::files(&self.layout.history_dir(bundle))? {
            for (line, record) in completed::read(&path, Some(&self.index_lock(bundle)))? {
                match record {
                    Ok(record) => records.push(record),
                    Err(problem) => damage.push(completed::damage(&path, line, problem)),
                }
            }
        }
        Ok((records, damage))
    }

    fn completed_since(
        &self,
        bundle: &Hash,
        ms: i64,
    ) -> Result<HashMap<ThreadId, CompletedThread>, StoreError> {
        let mut all = HashMap::new();
        let files = completed::files(&self.layout.history_dir(bundle))?;
        for path in completed::since(files, ms) {
            let records = completed::read(&path, Some(&self.index_lock(bundle)))?;
            let good = records.into_iter().filter_map(|(_, record)| record.ok());
            all.extend(good.map(|record| (record.thread.clone(), record)));
        }
        Ok(all)
    }

    fn find_completed(
        &self,
        bundle: &Hash,
        thread: &ThreadId,
        since_ms: Option<i64>,
    ) -> Result<Option<CompletedThread>, StoreError> {
        let dir = self.layout.history_dir(bundle);
        completed::find(&dir, thread, since_ms, Some(&self.index_lock(bundle)))
    }
}

/// The bundle that a folder of `bundles/` belongs to.
fn folder_name(name: &str) -> Option<Hash> {
    let hash: Hash = name.parse().ok()?;
    (hash.as_str() == name).then_some(hash)
}
