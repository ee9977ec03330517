//! What the store costs beside what the machine can do at all.
//!
//! Each group begins with its physical limit, measured in the same run: the
//! same bytes moved without a store. `cargo bench --bench store`; `TMPDIR` says
//! on which file system.
//!
//! The figures below are of one run on two cores that others were using too:
//! only those of one line can be compared. Where the disk matters it was ext4,
//! else memory (`TMPDIR=/dev/shm`).

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Map, json};
use tempfile::TempDir;
use uncaged_workflow::history::{self, AppendTo, Step};
use uncaged_workflow::object::{
    ContentNode, END_ROLE, Hash, Node, StartNode, StateNode, ThreadId, yaml,
};
use uncaged_workflow::store::gc::{GcOptions, collect};
use uncaged_workflow::store::verify::verify;
use uncaged_workflow::store::{Durability, Store, ThreadEntry};

criterion_group!(benches, hash, text, blobs, append, list, fork, gc);
criterion_main!(benches);

/// Limit: memory bandwidth, here a copy of the same 16 MB. Measured: copy 3.0
/// GiB/s (it writes as well), hash 4.4 GiB/s.
fn hash(c: &mut Criterion) {
    let bytes = vec![0x5A; 16 << 20];
    let mut copy = vec![0; bytes.len()];
    let mut group = c.benchmark_group("hash 16 MB");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("limit: memory copy", |b| {
        b.iter(|| copy.copy_from_slice(black_box(&bytes)));
    });
    group.bench_function("hash", |b| b.iter(|| Hash::of(black_box(&bytes))));
    group.finish();
}

/// Limit: a copy of the node's text. Measured for 2 KB of content: copy 0.2 µs,
/// encode 21 µs, decode 53 µs.
fn text(c: &mut Criterion) {
    let ancestors = (0..11).map(|n| Hash::of(format!("{n}"))).collect();
    for (name, node) in [
        ("content node of 2 KB", content(1)),
        ("state node", Node::from(state(1, Hash::of("s"), Hash::of("c"), ancestors))),
    ] {
        let (value, text) = (node.to_value(), node.encode());
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("limit: copy", |b| b.iter(|| black_box(&text).clone()));
        group.bench_function("encode", |b| b.iter(|| yaml::encode(black_box(&value))));
        group.bench_function("decode", |b| b.iter(|| yaml::decode(black_box(&text)).unwrap()));
        group.finish();
    }
}

/// Limit: creating, or reading, a file with the same bytes. `Synced` waits for
/// the disk twice, for the file and for its name in the folder. Measured on ext4:
/// create 7.4 ms, put 7.7 ms synced; in memory: create 19 µs, put 120 µs; read
/// 8.5 µs, get 9.4 µs, put what is there 49 µs.
fn blobs(c: &mut Criterion) {
    let mut group = c.benchmark_group("blob of 2 KB");
    group.sample_size(20);
    for durability in [Durability::Unsynced, Durability::Synced] {
        let (dir, store) = temp_store(durability);
        let raw = dir.path().join("raw");
        fs::create_dir(&raw).unwrap();
        let mut n = 0;
        group.bench_function(format!("limit: create a file, {durability:?}"), |b| {
            b.iter(|| {
                n += 1;
                create(&raw, n, &markdown(n), durability);
            });
        });
        group.bench_function(format!("put, {durability:?}"), |b| {
            b.iter(|| {
                n += 1;
                store.put_node(&content(n)).unwrap()
            });
        });
    }
    let (_dir, store) = temp_store(Durability::Unsynced);
    let hash = store.put_node(&content(1)).unwrap();
    let path = store.layout().blob(&hash);
    group.bench_function("limit: read a file", |b| b.iter(|| fs::read(black_box(&path)).unwrap()));
    group.bench_function("get", |b| b.iter(|| store.get(black_box(&hash)).unwrap()));
    group.bench_function("put what is there", |b| b.iter(|| store.put_node(&content(1)).unwrap()));
    group.finish();
}

/// Limit: creating the three files of a step (content, state, index) without
/// looking at anything. Measured on ext4: create 24 ms, append 20 ms synced; in
/// memory: create 64 µs, append 470 µs.
fn append(c: &mut Criterion) {
    let mut group = c.benchmark_group("append a step");
    group.sample_size(20);
    for durability in [Durability::Unsynced, Durability::Synced] {
        let (dir, store) = temp_store(durability);
        let mut n = 0;
        group.bench_function(format!("limit: create three files, {durability:?}"), |b| {
            b.iter(|| {
                for _ in 0..3 {
                    n += 1;
                    create(dir.path(), n, &markdown(n), durability);
                }
            });
        });
        let mut thread = Thread::begin(&store);
        group.bench_function(format!("append, {durability:?}"), |b| b.iter(|| thread.step()));
    }
    group.finish();
}

/// Limit: reading the ten files that 10,000 completed threads stand in. Measured
/// in memory: read 0.4 ms, list 12 ms, find 2.6 ms.
fn list(c: &mut Criterion) {
    let (_dir, store) = temp_store(Durability::Unsynced);
    let dir = store.layout().history_dir(&bundle());
    (0..10_000).for_each(|n| completed(&dir, n, Hash::from_u64(n as u64), Hash::from_u64(0)));
    let mut group = c.benchmark_group("10,000 completed threads");
    group.sample_size(20);
    group.bench_function("limit: read the files", |b| {
        b.iter(|| {
            let files = fs::read_dir(&dir).unwrap();
            files.map(|file| fs::read(file.unwrap().path()).unwrap().len()).sum::<usize>()
        });
    });
    group.bench_function("list", |b| {
        b.iter(|| assert_eq!(store.threads_of(&bundle()).unwrap().records.len(), 10_000));
    });
    let oldest: ThreadId = id(0).parse().unwrap();
    group.bench_function("find the oldest", |b| {
        b.iter(|| store.find_thread(&oldest).unwrap().unwrap());
    });
    group.finish();
}

/// Limit: creating the two files that a fork writes (marker and index) and
/// reading the states of the source, of which it has to know the roles. Measured
/// in memory: files 1.4 ms, fork 6.0 ms.
fn fork(c: &mut Criterion) {
    let (dir, store) = temp_store(Durability::Unsynced);
    let mut thread = Thread::begin(&store);
    (0..100).for_each(|_| thread.step());
    let mut group = c.benchmark_group("fork a thread of 100 steps");
    group.sample_size(20);
    let path = store.layout().blob(&thread.head.as_ref().unwrap().0);
    let mut n = 0;
    group.bench_function("limit: create two files, read 100", |b| {
        b.iter(|| {
            for _ in 0..2 {
                n += 1;
                create(dir.path(), n, "x", Durability::Unsynced);
            }
            (0..100).map(|_| fs::read(&path).unwrap().len()).sum::<usize>()
        });
    });
    let new: ThreadId = "01JFORK".parse().unwrap();
    group.bench_function("fork", |b| {
        b.iter_batched(
            || store.remove_thread(&new).unwrap(),
            |_| {
                history::fork(&store, &thread.to.thread, history::Keep::AllButLast, &new, 0)
                    .unwrap()
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

/// Limit: reading 100,000 files and removing half of them, on one thread and
/// without looking at their bytes. Measured in memory: read and remove 6.5 s, gc
/// 5.9 s.
fn gc(c: &mut Criterion) {
    let mut group = c.benchmark_group("100,000 blobs of which half are garbage");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    let (_dir, store) = temp_store(Durability::Unsynced);
    fill(&store, 8_333);
    let garbage: Vec<(PathBuf, String)> = (0..50_000)
        .map(|n| {
            let text = content(100_000 + n).encode();
            (store.layout().blob(&Hash::of(&text)), text)
        })
        .collect();
    let timed = |rounds: u64, collect: &dyn Fn()| {
        let mut time = Duration::ZERO;
        for _ in 0..rounds {
            garbage.iter().for_each(|(path, text)| fs::write(path, text).unwrap());
            // What is as new as the collection itself would be kept.
            let newest = fs::metadata(&garbage.last().unwrap().0).unwrap().modified().unwrap();
            let probe = store.layout().root().join("probe");
            while {
                fs::write(&probe, "").unwrap();
                fs::metadata(&probe).unwrap().modified().unwrap() <= newest
            } {}
            let begin = Instant::now();
            collect();
            time += begin.elapsed();
        }
        time
    };
    group.bench_function("limit: read all, remove half", |b| {
        b.iter_custom(|rounds| {
            timed(rounds, &|| {
                for file in fs::read_dir(store.layout().cas_dir()).unwrap() {
                    black_box(fs::read(file.unwrap().path()).unwrap());
                }
                garbage.iter().for_each(|(path, _)| fs::remove_file(path).unwrap());
            })
        });
    });
    group.bench_function("gc", |b| {
        b.iter_custom(|rounds| {
            timed(rounds, &|| {
                let report = collect(&store, GcOptions::default(), &|_| {}).unwrap();
                assert_eq!(report.deleted_entries, 50_000);
            })
        });
    });
    group.bench_function("verify the live half", |b| {
        b.iter(|| assert_eq!(verify(&store, &|_, _| {}).unwrap().problems, []));
    });
    group.finish();
}

/// A thread that grows.
struct Thread {
    store: Store,
    to: AppendTo,
    head: Option<(Hash, StateNode)>,
    steps: usize,
}

impl Thread {
    fn begin(store: &Store) -> Thread {
        let start = put_start(store, "prompt");
        let thread: ThreadId = "01JTHREAD".parse().unwrap();
        let entry = ThreadEntry { head: start, start, updated_at: 0 };
        store.begin_thread(&bundle(), &thread, entry).unwrap();
        let to = AppendTo { bundle: bundle(), thread, start };
        Thread { store: store.clone(), to, head: None, steps: 0 }
    }

    fn step(&mut self) {
        self.steps += 1;
        let step = Step {
            role: "coder".to_owned(),
            meta: Map::from_iter([("n".to_owned(), json!(self.steps))]),
            content: self.store.put_node(&content(self.steps)).unwrap(),
            timestamp: self.steps as i64,
            child_thread: None,
            compact: None,
        };
        let parent = self.head.as_ref().map(|(hash, state)| (*hash, state));
        self.head = Some(history::append(&self.store, &self.to, parent, step).unwrap());
    }
}

/// Completed threads of six blobs each: prompt, start, and content and state of
/// a step and of the end.
fn fill(store: &Store, threads: usize) {
    let dir = store.layout().history_dir(&bundle());
    for n in 0..threads {
        let start = put_start(store, &format!("prompt {n}"));
        let text = store.put_node(&content(n)).unwrap();
        let first = store.put_node(&Node::from(state(n, start, text, vec![]))).unwrap();
        let text = ContentNode { text: format!("end {n}"), refs: Vec::new() };
        let text = store.put_node(&Node::from(text)).unwrap();
        let end = StateNode { role: END_ROLE.to_owned(), ..state(n, start, text, vec![first]) };
        completed(&dir, n, store.put_node(&Node::from(end)).unwrap(), start);
    }
}

/// A line of the history, a thousand a day.
fn completed(dir: &Path, n: usize, head: Hash, start: Hash) {
    fs::create_dir_all(dir).unwrap();
    let line = json!({ "threadId": id(n), "head": head, "start": start, "completedAt": 0 });
    let path = dir.join(format!("2026-05-{:02}.jsonl", 1 + n / 1000));
    let mut file = File::options().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn id(n: usize) -> String {
    format!("01JTHREAD{n:017}")
}

fn put_start(store: &Store, prompt: &str) -> Hash {
    let prompt = ContentNode { text: prompt.to_owned(), refs: Vec::new() };
    let start = StartNode {
        name: "bench".to_owned(),
        hash: bundle(),
        max_rounds: Some(10),
        depth: 0,
        parent_state: None,
        prompt: store.put_node(&Node::from(prompt)).unwrap(),
    };
    store.put_node(&Node::from(start)).unwrap()
}

fn create(dir: &Path, n: usize, text: &str, durability: Durability) {
    let mut file = File::create(dir.join(n.to_string())).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    if durability == Durability::Synced {
        file.sync_all().unwrap();
        File::open(dir).unwrap().sync_all().unwrap();
    }
}

/// A step's text of some 2 KB, as an agent writes it.
fn markdown(n: usize) -> String {
    let paragraph = "Changed `parse` so that an empty list is kept: see *tests*. ";
    format!("# Step {n}\n\n{}\n- done: yes\n", paragraph.repeat(32))
}

fn content(n: usize) -> Node {
    Node::from(ContentNode { text: markdown(n), refs: Vec::new() })
}

fn state(n: usize, start: Hash, content: Hash, ancestors: Vec<Hash>) -> StateNode {
    StateNode {
        role: "coder".to_owned(),
        meta: Map::from_iter([
            ("files".to_owned(), json!(["src/lib.rs", "tests/it.rs"])),
            ("summary".to_owned(), json!(format!("step {n}: keeps an empty list"))),
        ]),
        start,
        content,
        ancestors,
        compact: None,
        timestamp: 1_778_328_000_000 + n as i64,
        child_thread: None,
    }
}

fn temp_store(durability: Durability) -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::with_durability(dir.path(), durability);
    (dir, store)
}

fn bundle() -> Hash {
    Hash::of("bundle")
}
