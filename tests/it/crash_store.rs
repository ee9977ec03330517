//! Whenever a writer dies, no head points at nothing and every step that it
//! announced is there.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use uncaged_workflow::history::{Chain, Keep, compact, fork};
use uncaged_workflow::object::{Hash, ThreadId};
use uncaged_workflow::store::durable::{self, WriteStep};
use uncaged_workflow::store::{Durability, Record, Store};

use crate::chains::{
    NOON, Writer, bundle, gc, process, put_content, role, temp_store, thread, verified,
};

/// How often a writer is killed at a random moment; `STORE_CRASHES` sets another.
const CRASHES: u64 = 25;

/// What a writer said it has done, thread by thread.
#[derive(Default)]
struct Announced {
    /// The contents of its steps.
    begun: BTreeMap<ThreadId, Vec<Hash>>,
    ended: BTreeSet<ThreadId>,
    removing: BTreeSet<ThreadId>,
}

impl Announced {
    fn hear(&mut self, line: &str) {
        let Some(at) = line.find('@') else { return };
        let words: Vec<&str> = line[at + 1..].split(' ').collect();
        let id = || thread(words[1]);
        match words[0] {
            "begun" => {
                let kept = words[2..].iter().map(|hash| hash.parse().unwrap()).collect();
                self.begun.insert(id(), kept);
            }
            "step" => self.begun.get_mut(&id()).unwrap().push(words[2].parse().unwrap()),
            "ended" => drop(self.ended.insert(id())),
            "removing" => drop(self.removing.insert(id())),
            other => panic!("{other}"),
        }
    }

    /// Holds the store to it. Nobody writes.
    fn check(&self, store: &Store) {
        assert_eq!(verified(store).problems, []);
        let (active, completed) =
            (store.active_threads().unwrap(), store.completed_threads().unwrap());
        assert_eq!((active.damage, completed.damage), (vec![], vec![]));
        let mut seen = BTreeSet::new();
        let active = active.records.into_iter().map(|(_, id, _)| id);
        for id in active.chain(completed.records.into_iter().map(|(_, record)| record.thread)) {
            assert!(seen.insert(id.clone()), "{id} is in two places");
            let claim = store.claim(&bundle(), &id).unwrap();
            claim.expect("the writer is dead").release().unwrap();
        }
        for (id, contents) in &self.begun {
            if self.removing.contains(id) {
                continue;
            }
            let located = store.find_thread(id).unwrap();
            let located = located.unwrap_or_else(|| panic!("{id} is lost"));
            let chain = Chain::load(store, located.record.head()).unwrap();
            let steps: Vec<Hash> = chain.steps().map(|(_, state)| state.content).collect();
            assert_eq!(steps.get(..contents.len()), Some(&contents[..]), "{id}");
            let completed = matches!(located.record, Record::Completed(_));
            assert!(completed || !self.ended.contains(id), "{id} has ended");
        }
    }
}

#[test]
fn a_writer_killed_at_a_random_moment_loses_nothing_that_it_announced() {
    let crashes = std::env::var("STORE_CRASHES").map_or(CRASHES, |n| n.parse().unwrap());
    let mut steps = 0;
    for round in 0..crashes.div_ceil(25) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path());
        let mut announced = Announced::default();
        for crash in 0..(crashes - round * 25).min(25) {
            kill_one(dir.path(), &format!("loop {crash}"), &mut announced);
            announced.check(&store);
            if crash % 5 == 4 {
                gc(&store);
                announced.check(&store);
            }
        }
        steps += announced.begun.values().map(Vec::len).sum::<usize>();
    }
    println!("{crashes} writers killed at random moments, {steps} announced steps all there");
}

/// Starts a writer and kills it at some moment after some announcement.
fn kill_one(root: &Path, role: &str, announced: &mut Announced) {
    let random = RandomState::new().build_hasher().finish();
    let (lines, micros) = (random % 24, (random >> 16) % 6000);
    let mut child = process("crash_store::another_process", role)
        .env("ROOT", root)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    let mut heard = 0;
    while heard < lines {
        line.clear();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the writer died by itself");
        heard += u64::from(line.contains('@'));
        announced.hear(line.trim_end());
    }
    // No waiting for anything: this is the random moment.
    std::thread::sleep(Duration::from_micros(micros));
    child.kill().unwrap();
    child.wait().unwrap();
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    rest.lines().for_each(|line| announced.hear(line));
}

#[test]
fn a_writer_that_dies_before_any_of_its_writes_loses_nothing_that_it_announced() {
    let next = AtomicU64::new(1);
    let writes = Mutex::new(u64::MAX);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at > *writes.lock().unwrap() {
                        break;
                    }
                    if die_at(at) {
                        let mut writes = writes.lock().unwrap();
                        *writes = (*writes).min(at);
                    }
                }
            });
        }
    });
    let writes = writes.into_inner().unwrap() - 1;
    assert!(writes > 100, "the script has only {writes} writes");
    println!("died before each of {writes} writes, all that was announced is there");
}

/// Runs the script to its `at`th write and looks at what is left. True when the
/// script has fewer.
fn die_at(at: u64) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let output = process("crash_store::another_process", &format!("script {at}"))
        .env("ROOT", dir.path())
        .output()
        .unwrap();
    let mut announced = Announced::default();
    String::from_utf8(output.stdout).unwrap().lines().for_each(|line| announced.hear(line));
    let store = Store::with_durability(dir.path(), Durability::Unsynced);
    announced.check(&store);
    // Others go on with what is left.
    Writer::begin(&store, "after").end();
    gc(&store);
    announced.check(&store);
    assert!(output.status.success() || output.status.code().is_none(), "{:?}", output.status);
    output.status.success()
}

#[test]
fn content_state_and_index_are_each_on_the_disk_before_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let output =
        process("crash_store::another_process", "trace").env("ROOT", dir.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let trace: Vec<&str> =
        text.lines().filter_map(|line| Some(line.split_once("@trace ")?.1)).collect();
    assert_eq!(
        trace,
        [
            "CreateTemp content",
            "Write content",
            "SyncFile content",
            "Rename content",
            "SyncDir cas",
            // The state names the content, the index the state.
            "Touch content",
            "CreateTemp state",
            "Write state",
            "SyncFile state",
            "Rename state",
            "SyncDir cas",
            "Touch state",
            "CreateTemp threads.json",
            "Write threads.json",
            "SyncFile threads.json",
            "Rename threads.json",
            "SyncDir bundle",
            "step",
            // The end: first the history, then the index.
            "Touch state",
            "CreateDir history",
            "SyncDir bundle",
            "Append 2026-05-09.jsonl",
            "SyncFile 2026-05-09.jsonl",
            "SyncDir history",
            "CreateTemp threads.json",
            "Write threads.json",
            "SyncFile threads.json",
            "Rename threads.json",
            "SyncDir bundle",
            "end",
        ]
    );
}

/// Not a test of its own: see [`process`].
#[test]
fn another_process() {
    let Some(role) = role() else { return };
    let root = std::env::var_os("ROOT").unwrap();
    let store = Store::open(&root);
    match role.split_once(' ') {
        Some(("loop", n)) => {
            for i in 0.. {
                a_thread(&store, &format!("{n}-{i}"));
            }
        }
        Some(("script", at)) => {
            DIE_AT.store(at.parse().unwrap(), Ordering::Relaxed);
            durable::on_write(|_, _| {
                if DIE_AT.fetch_sub(1, Ordering::Relaxed) == 1 {
                    std::process::abort();
                }
            });
            // The death of a process does not undo what the disk has not got yet.
            script(&Store::with_durability(root, Durability::Unsynced));
        }
        _ => trace(&store),
    }
}

static DIE_AT: AtomicU64 = AtomicU64::new(0);

fn announce(text: String) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "@{text}").unwrap();
    out.flush().unwrap();
}

/// A thread that begins, takes three steps and ends; every third is removed.
fn a_thread(store: &Store, id: &str) {
    let claim = store.claim(&bundle(), &thread(id)).unwrap().unwrap();
    let mut writer = Writer::begin(store, id);
    announce(format!("begun {id}"));
    for role in ["planner", "coder", "reviewer"] {
        let content = put_content(store, &format!("{role} of {id}"), &[]);
        writer.step_with(role, content);
        announce(format!("step {id} {content}"));
    }
    writer.end();
    announce(format!("ended {id}"));
    claim.release().unwrap();
    if id.ends_with(['3', '6', '9']) {
        announce(format!("removing {id}"));
        store.remove_thread(&thread(id)).unwrap();
    }
}

/// Everything that writes, once.
fn script(store: &Store) {
    a_thread(store, "first");
    a_thread(store, "a-3");
    let mut writer = Writer::begin(store, "second");
    announce("begun second".to_owned());
    let contents: Vec<Hash> = (0..3)
        .map(|n| {
            let content = put_content(store, &format!("step {n}"), &[]);
            writer.step_with("coder", content);
            announce(format!("step second {content}"));
            content
        })
        .collect();
    fork(store, &thread("second"), Keep::AllButLast, &thread("forked"), NOON).unwrap();
    announce(format!("begun forked {} {}", contents[0], contents[1]));
    compact(store, &thread("second"), 1, "they began", NOON).unwrap();
    compact(store, &thread("first"), 1, "they began", NOON).unwrap();
    announce("removing forked".to_owned());
    store.remove_thread(&thread("forked")).unwrap();
    gc(store);
}

/// One step and the end of a thread, each write by name.
fn trace(store: &Store) {
    let mut writer = Writer::begin(store, "t");
    // The same step in a store of its own tells its hashes beforehand.
    let (_dir, rehearsal) = temp_store();
    let mut rehearsed = Writer::begin(&rehearsal, "t");
    let content = put_content(&rehearsal, "text", &[]);
    let state = rehearsed.step_with("coder", content);
    let names = [(content, "content"), (state, "state"), (bundle(), "bundle")];
    NAMES.set(names.map(|(hash, name)| (hash.to_string(), name))).unwrap();
    durable::on_write(|step: WriteStep, path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        // A temporary file is `.<name>.<random>.tmp`.
        let name = match name.strip_prefix('.') {
            Some(temp) => temp.rsplitn(3, '.').last().unwrap(),
            None => name,
        };
        let stem = name.strip_suffix(".txt").unwrap_or(name);
        let known = NAMES.get().unwrap().iter().find(|(hash, _)| hash == stem);
        announce(format!("trace {step:?} {}", known.map_or(name, |(_, known)| known)));
    });
    let content = put_content(store, "text", &[]);
    let head = writer.step_with("coder", content);
    announce("trace step".to_owned());
    store.finish_thread(&bundle(), &thread("t"), head, NOON).unwrap();
    announce("trace end".to_owned());
}

static NAMES: OnceLock<[(String, &str); 3]> = OnceLock::new();
