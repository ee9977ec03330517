use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use crate::bundle::Registry;
use crate::bundle::Workflow;
use crate::engine::{self, EngineError, IndexedThread};
use crate::object::{Hash, Node, StartNode, ThreadId, WorkflowName, yaml};
use crate::store::gc::GcReport;
use crate::store::{Listing, Record, Store};
use crate::worker::Client;
use crate::worker::protocol::ThreadState;

/// A registered workflow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkflowRow {
    /// Its name.
    pub name: WorkflowName,
    /// The current bundle.
    pub hash: Hash,
    /// When that was registered, in milliseconds since 1970.
    pub timestamp: i64,
    /// What its threads may do, as the registry has it; only where that is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Value>,
}

/// A registered workflow with what its bundle says of itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkflowBody {
    /// Its name.
    pub name: WorkflowName,
    /// The current bundle.
    pub hash: Hash,
    /// When that was registered, in milliseconds since 1970.
    pub timestamp: i64,
    /// Earlier versions, newest first, as the registry has them.
    pub history: Value,
    /// What its threads may do, as the registry has it; only where that is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Value>,
    /// The current bundle's descriptor; null where it cannot be read.
    pub descriptor: Value,
}

/// A version of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VersionRow {
    /// The bundle.
    pub hash: Hash,
    /// When it was registered, in milliseconds since 1970.
    pub timestamp: i64,
    /// Whether the name points at it.
    pub current: bool,
}

/// A thread in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadRow {
    /// Its id.
    pub thread_id: ThreadId,
    /// Its bundle.
    pub hash: Hash,
    /// The workflow that it was started as; `?` where its start node cannot be read.
    pub name: String,
    /// `running`, `paused`, `interrupted` or `completed`.
    pub state: &'static str,
    /// Its newest node.
    pub head: Hash,
    /// Its start node.
    pub start: Hash,
    /// The state of its parent that asked for it.
    pub parent_state: Option<Hash>,
    /// How it ended; null before, and where its last state cannot be read.
    pub return_code: Option<i64>,
}

/// What a collection of garbage did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GcBody {
    /// Threads whose nodes were kept.
    pub scanned_threads: usize,
    /// Blobs that they lead to.
    pub active_refs: usize,
    /// Blobs removed.
    pub deleted_entries: usize,
    /// Their hashes, sorted.
    pub deleted_hashes: Vec<Hash>,
}

impl From<GcReport> for GcBody {
    fn from(report: GcReport) -> GcBody {
        GcBody {
            scanned_threads: report.scanned_threads,
            active_refs: report.active_refs,
            deleted_entries: report.deleted_entries,
            deleted_hashes: report.deleted_hashes,
        }
    }
}

/// All workflows, by name.
pub fn workflows(registry: &Registry) -> Vec<WorkflowRow> {
    let row = |(name, entry): (&WorkflowName, &Workflow)| WorkflowRow {
        name: name.clone(),
        hash: entry.hash,
        timestamp: entry.timestamp,
        permissions: permissions(entry),
    };
    registry.workflows().map(row).collect()
}

/// One workflow; none where the name is not registered.
pub fn workflow(store: &Store, registry: &Registry, name: &WorkflowName) -> Option<WorkflowBody> {
    let entry = registry.get(name)?;
    let descriptor = std::fs::read_to_string(store.layout().descriptor(&entry.hash));
    Some(WorkflowBody {
        name: name.clone(),
        hash: entry.hash,
        timestamp: entry.timestamp,
        history: entry.history_value(),
        permissions: permissions(entry),
        descriptor: descriptor
            .ok()
            .and_then(|text| yaml::decode(&text).ok())
            .unwrap_or(Value::Null),
    })
}

fn permissions(entry: &Workflow) -> Option<Value> {
    entry.permissions.as_ref().map(|permissions| permissions.to_value())
}

/// A workflow's versions, the current one first.
pub fn versions(entry: &Workflow) -> Vec<VersionRow> {
    let current = VersionRow { hash: entry.hash, timestamp: entry.timestamp, current: true };
    let earlier = entry.history.iter().map(|old| VersionRow {
        hash: old.hash,
        timestamp: old.timestamp,
        current: false,
    });
    std::iter::once(current).chain(earlier).collect()
}

/// Which threads to list.
#[derive(Debug, Clone, Default)]
pub struct ThreadRows {
    /// Only those that were started as this workflow.
    pub workflow: Option<String>,
    /// Only those without an end.
    pub active: bool,
    /// Only so many, the newest by id.
    pub last: Option<usize>,
}

/// Threads by id with the workflow that each was started as, and what of the
/// index is damaged. Asks no worker and reads no steps.
pub fn named_threads(
    store: &Store,
    workflow: Option<&str>,
) -> Result<Listing<(IndexedThread, String)>, EngineError> {
    let Listing { records, damage } = engine::all_threads(store)?;
    let mut names = Starts { store, known: HashMap::new() };
    let named = records.into_iter().map(|thread| {
        let name = names.of(&thread.2.start()).0;
        (thread, name)
    });
    let records = named.filter(|(_, name)| workflow.is_none_or(|wanted| wanted == name)).collect();
    Ok(Listing { records, damage })
}

/// Threads by id, and what of the index is damaged.
pub fn threads(
    store: &Store,
    workers: &Client,
    which: &ThreadRows,
) -> Result<Listing<ThreadRow>, EngineError> {
    let found = match which.active {
        true => active_threads(store)?,
        false => engine::all_threads(store)?,
    };
    let mut starts = Starts { store, known: HashMap::new() };
    let mut reader = RowReader { store, workers, paused: HashMap::new() };
    let mut rows = Vec::new();
    let wanted = which.last.unwrap_or(usize::MAX);
    for (bundle, thread, record) in found.records.into_iter().rev() {
        if rows.len() >= wanted {
            break;
        }
        let (name, parent_state) = starts.of(&record.start());
        if which.workflow.as_ref().is_some_and(|workflow| *workflow != name) {
            continue;
        }
        let (head, start) = (record.head(), record.start());
        let state = reader.state(&bundle, &thread, &record)?;
        let return_code = reader.return_code(&record);
        let hash = bundle;
        rows.push(ThreadRow {
            thread_id: thread,
            hash,
            name,
            state,
            head,
            start,
            parent_state,
            return_code,
        });
    }
    rows.reverse();
    Ok(Listing { records: rows, damage: found.damage })
}

fn active_threads(store: &Store) -> Result<Listing<IndexedThread>, EngineError> {
    let active = store.active_threads()?;
    let record = |(bundle, thread, entry)| (bundle, thread, Record::Active(entry));
    let mut records: Vec<IndexedThread> = active.records.into_iter().map(record).collect();
    records.sort_by(|(_, a, _), (_, b, _)| a.cmp(b));
    Ok(Listing { records, damage: active.damage })
}

/// Start nodes, each read once: threads of one prompt share theirs.
struct Starts<'a> {
    store: &'a Store,
    known: HashMap<Hash, (String, Option<Hash>)>,
}

impl Starts<'_> {
    /// The workflow's name and the parent's state.
    fn of(&mut self, start: &Hash) -> (String, Option<Hash>) {
        let read = || match self.store.node(start) {
            Ok(Some(Node::Start(StartNode { name, parent_state, .. }))) => (name, parent_state),
            _ => ("?".to_owned(), None),
        };
        self.known.entry(*start).or_insert_with(read).clone()
    }
}

/// What rows have in common is asked for once.
struct RowReader<'a> {
    store: &'a Store,
    workers: &'a Client,
    paused: HashMap<Hash, Vec<ThreadId>>,
}

impl RowReader<'_> {
    fn state(
        &mut self,
        bundle: &Hash,
        thread: &ThreadId,
        record: &Record,
    ) -> Result<&'static str, EngineError> {
        if matches!(record, Record::Completed(_)) {
            return Ok("completed");
        }
        if !self.store.is_running(bundle, thread)? {
            return Ok("interrupted");
        }
        let workers = self.workers;
        let paused = self.paused.entry(*bundle).or_insert_with(|| {
            let told = workers.status(bundle).ok().flatten().unwrap_or_default();
            let paused = told.into_iter().filter(|told| told.state == ThreadState::Paused);
            paused.map(|told| told.thread).collect()
        });
        Ok(if paused.contains(thread) { "paused" } else { "running" })
    }

    fn return_code(&self, record: &Record) -> Option<i64> {
        let Record::Completed(done) = record else { return None };
        match self.store.node(&done.head) {
            Ok(Some(Node::State(state))) => engine::ending(&state).map(|end| end.return_code),
            _ => None,
        }
    }
}
