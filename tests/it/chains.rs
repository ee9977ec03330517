//! Stores and threads made without a bundle, and processes made of this test
//! binary, for the tests of store and history.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::{Map, json};
use tempfile::TempDir;
use uncaged_workflow::history::{self, AppendTo, Step};
use uncaged_workflow::object::{ContentNode, END_ROLE, Hash, Node, StartNode, StateNode, ThreadId};
use uncaged_workflow::store::gc::{GcOptions, GcReport, collect};
use uncaged_workflow::store::verify::{Report, verify};
use uncaged_workflow::store::{Durability, Store, ThreadEntry};

/// Milliseconds since 1970: 2026-05-09T12:00:00Z.
pub const NOON: i64 = 1_778_328_000_000;

/// A store of its own that waits for no disk, and the folder that it is in.
pub fn temp_store() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::with_durability(dir.path(), Durability::Unsynced);
    (dir, store)
}

pub fn bundle() -> Hash {
    Hash::of("a bundle")
}

pub fn thread(id: &str) -> ThreadId {
    id.parse().unwrap()
}

pub fn put_content(store: &Store, text: &str, refs: &[Hash]) -> Hash {
    let refs = refs.iter().map(Hash::to_string).collect();
    store.put_node(&Node::from(ContentNode { text: text.to_owned(), refs })).unwrap()
}

pub fn put_start(store: &Store, prompt: &str) -> Hash {
    let start = StartNode {
        name: "golden".to_owned(),
        hash: bundle(),
        max_rounds: Some(10),
        depth: 0,
        parent_state: None,
        prompt: put_content(store, prompt, &[]),
    };
    store.put_node(&Node::from(start)).unwrap()
}

/// A thread that a test writes step by step.
pub struct Writer {
    pub store: Store,
    pub to: AppendTo,
    pub head: Option<(Hash, StateNode)>,
    pub clock: i64,
}

impl Writer {
    /// Begins a thread at [`NOON`].
    pub fn begin(store: &Store, id: &str) -> Writer {
        let start = put_start(store, &format!("prompt of {id}"));
        let entry = ThreadEntry { head: start, start, updated_at: NOON };
        store.begin_thread(&bundle(), &thread(id), entry).unwrap();
        let to = AppendTo { bundle: bundle(), thread: thread(id), start };
        Writer { store: store.clone(), to, head: None, clock: NOON }
    }

    /// A step whose text is `<role> <n>`.
    pub fn step(&mut self, role: &str) -> Hash {
        let content = format!("{role} {}", self.clock + 1 - NOON);
        let content = put_content(&self.store, &content, &[]);
        self.step_with(role, content)
    }

    pub fn step_with(&mut self, role: &str, content: Hash) -> Hash {
        self.clock += 1;
        let parent = self.head.as_ref().map(|(hash, state)| (*hash, state));
        let step = step(role, content, self.clock);
        let head = history::append(&self.store, &self.to, parent, step).unwrap();
        let hash = head.0;
        self.head = Some(head);
        hash
    }

    /// Ends the thread.
    pub fn end(mut self) -> Hash {
        let head = self.step(END_ROLE);
        self.store.finish_thread(&self.to.bundle, &self.to.thread, head, self.clock).unwrap();
        head
    }
}

pub fn step(role: &str, content: Hash, timestamp: i64) -> Step {
    let meta = Map::from_iter([("at".to_owned(), json!(timestamp - NOON))]);
    Step { role: role.to_owned(), meta, content, timestamp, child_thread: None, compact: None }
}

/// A thread of these roles that has ended, and its head.
pub fn ended(store: &Store, id: &str, roles: &[&str]) -> Hash {
    let mut writer = Writer::begin(store, id);
    for role in roles {
        writer.step(role);
    }
    writer.end()
}

/// The roles of states, in order.
pub fn roles(states: &[(Hash, StateNode)]) -> Vec<&str> {
    states.iter().map(|(_, state)| state.role.as_str()).collect()
}

/// Makes every blob look an hour old, as nothing that just ran.
pub fn age(store: &Store) {
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    for hash in store.list().unwrap() {
        age_file(&store.layout().blob(&hash), hour_ago);
    }
}

pub fn age_file(path: &Path, at: SystemTime) {
    std::fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

pub fn gc(store: &Store) -> GcReport {
    collect(store, GcOptions::default(), &|_| {}).unwrap()
}

pub fn verified(store: &Store) -> Report {
    verify(store, &|_, _| {}).unwrap()
}

/// Sets a flag when dropped, also by a panic, so that threads which wait for it
/// do not wait for ever.
pub struct Stop<'a>(pub &'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Another process: this binary, running only the test `entry` with `role` in
/// its environment. Without that a test that is such an entry does nothing.
pub fn process(entry: &str, role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", entry, "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).stdin(Stdio::null());
    command
}

/// The role of this process, where it is one that [`process`] started.
pub fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

const ROLE: &str = "STORE_TEST_ROLE";
