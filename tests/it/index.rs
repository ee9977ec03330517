//! The thread index: `threads.json` and `history/`, and claims.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use uncaged_workflow::object::{Hash, ThreadId};
use uncaged_workflow::store::{CompletedThread, Located, Record, Store, StoreError, ThreadEntry};

use crate::chains::{
    NOON, Stop, Writer, bundle, ended, process, put_content, role, temp_store, thread,
};

fn node(store: &Store, text: &str) -> Hash {
    put_content(store, text, &[])
}

fn entry(store: &Store, text: &str, updated_at: i64) -> ThreadEntry {
    ThreadEntry { head: node(store, text), start: node(store, "start"), updated_at }
}

fn index(store: &Store) -> String {
    fs::read_to_string(store.layout().threads_json(&bundle())).unwrap()
}

#[test]
fn a_thread_is_in_threads_json_while_active_and_in_history_after() {
    let (_dir, store) = temp_store();
    let id = thread("01JTHREAD1");
    store.begin_thread(&bundle(), &id, entry(&store, "a", NOON)).unwrap();
    store.advance_thread(&bundle(), &id, node(&store, "b"), NOON + 1).unwrap();
    let (head, start) = (node(&store, "b"), node(&store, "start"));
    assert_eq!(
        index(&store),
        format!(
            "{{\n  \"01JTHREAD1\": {{\n    \"head\": \"{head}\",\n    \"start\": \"{start}\",\n    \"updatedAt\": 1778328000001\n  }}\n}}\n"
        )
    );
    assert_eq!(
        store.find_thread(&id).unwrap(),
        Some(Located { bundle: bundle(), record: Record::Active(entry(&store, "b", NOON + 1)) })
    );
    store.finish_thread(&bundle(), &id, node(&store, "end"), NOON + 2).unwrap();
    assert_eq!(index(&store), "{}\n");
    let line = fs::read_to_string(store.layout().history_dir(&bundle()).join("2026-05-09.jsonl"));
    let end = node(&store, "end");
    assert_eq!(
        line.unwrap(),
        format!(
            "{{\"threadId\":\"01JTHREAD1\",\"head\":\"{end}\",\"start\":\"{start}\",\"completedAt\":1778328000002}}\n"
        )
    );
    let record = CompletedThread { thread: id.clone(), head: end, start, completed_at: NOON + 2 };
    assert_eq!(store.completed_threads().unwrap().records, [(bundle(), record.clone())]);
    assert_eq!(
        store.find_thread(&id).unwrap(),
        Some(Located { bundle: bundle(), record: Record::Completed(record) })
    );
}

#[test]
fn the_day_of_an_end_is_that_of_utc() {
    let (_dir, store) = temp_store();
    for (id, ms) in [("a", 1_778_371_199_999), ("b", 1_778_371_200_000), ("c", 0)] {
        store.begin_thread(&bundle(), &thread(id), entry(&store, "x", ms)).unwrap();
        store.finish_thread(&bundle(), &thread(id), node(&store, "x"), ms).unwrap();
    }
    let mut names: Vec<_> = fs::read_dir(store.layout().history_dir(&bundle()))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["1970-01-01.jsonl", "2026-05-09.jsonl", "2026-05-10.jsonl"]);
}

#[test]
fn a_thread_never_leads_to_a_node_that_is_not_there() {
    let (_dir, store) = temp_store();
    let (bundle, id, gone) = (bundle(), thread("t"), Hash::of("gone"));
    let missing = |result: Result<(), StoreError>| match result {
        Err(StoreError::MissingHead { hash }) => assert_eq!(hash, gone),
        other => panic!("{other:?}"),
    };
    let good = entry(&store, "a", NOON);
    missing(store.begin_thread(&bundle, &id, ThreadEntry { head: gone, ..good.clone() }));
    missing(store.begin_thread(&bundle, &id, ThreadEntry { start: gone, ..good.clone() }));
    store.begin_thread(&bundle, &id, good.clone()).unwrap();
    missing(store.advance_thread(&bundle, &id, gone, NOON));
    missing(store.finish_thread(&bundle, &id, gone, NOON));
    let active = store.active_threads().unwrap().records;
    assert_eq!(active, [(bundle, id.clone(), good)]);
}

#[test]
fn a_thread_that_is_not_active_is_not_revived() {
    let (_dir, store) = temp_store();
    let (bundle, id) = (bundle(), thread("t"));
    let not_active = |result: Result<(), StoreError>| match result {
        Err(StoreError::NotActive { thread }) => assert_eq!(thread, id),
        other => panic!("{other:?}"),
    };
    not_active(store.advance_thread(&bundle, &id, node(&store, "b"), NOON));
    store.begin_thread(&bundle, &id, entry(&store, "a", NOON)).unwrap();
    let twice = store.begin_thread(&bundle, &id, entry(&store, "a", NOON));
    assert!(matches!(twice, Err(StoreError::ThreadExists { .. })));
    store.remove_thread(&id).unwrap().unwrap();
    not_active(store.advance_thread(&bundle, &id, node(&store, "b"), NOON));
    not_active(store.finish_thread(&bundle, &id, node(&store, "b"), NOON));
    assert_eq!(store.find_thread(&id).unwrap(), None);
    store.begin_thread(&bundle, &id, entry(&store, "a", NOON)).unwrap();
    store.finish_thread(&bundle, &id, node(&store, "b"), NOON).unwrap();
    not_active(store.advance_thread(&bundle, &id, node(&store, "c"), NOON));
    not_active(store.finish_thread(&bundle, &id, node(&store, "c"), NOON));
}

#[test]
fn removing_forgets_an_active_and_a_completed_thread_and_its_log() {
    let (_dir, store) = temp_store();
    store.begin_thread(&bundle(), &thread("active"), entry(&store, "a", NOON)).unwrap();
    ended(&store, "first", &["coder"]);
    ended(&store, "second", &["coder"]);
    for id in ["active", "first"] {
        let log = store.layout().log(&bundle(), &thread(id));
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        fs::write(&log, "").unwrap();
        assert!(store.remove_thread(&thread(id)).unwrap().is_some());
        assert_eq!(store.find_thread(&thread(id)).unwrap(), None);
        assert!(!log.exists());
    }
    assert_eq!(store.remove_thread(&thread("active")).unwrap(), None);
    let left = store.completed_threads().unwrap().records;
    assert_eq!(left.iter().map(|(_, t)| t.thread.as_str()).collect::<Vec<_>>(), ["second"]);
    store.remove_thread(&thread("second")).unwrap();
    assert!(!store.layout().history_dir(&bundle()).join("2026-05-09.jsonl").exists());
}

#[test]
fn a_rewrite_keeps_order_unknown_keys_and_entries_that_make_no_sense() {
    let (_dir, store) = temp_store();
    let path = store.layout().threads_json(&bundle());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let (a, b) = (node(&store, "a"), node(&store, "b"));
    let text = format!(
        "\u{FEFF}{{\r\n \"z\": {{\"head\": \"{a}\", \"owner\": {{\"x\": [1.5]}}, \"start\": \"{b}\", \"updatedAt\": 5}},\r\n \"odd\": 7,\r\n \"a\": {{\"head\": \"{a}\", \"start\": \"{b}\", \"updatedAt\": 6}}\r\n}}\r\n"
    );
    fs::write(&path, text).unwrap();
    store.advance_thread(&bundle(), &thread("z"), b, NOON).unwrap();
    assert_eq!(
        index(&store),
        format!(
            "{{\n  \"z\": {{\n    \"head\": \"{b}\",\n    \"owner\": {{\n      \"x\": [\n        1.5\n      ]\n    }},\n    \"start\": \"{b}\",\n    \"updatedAt\": {NOON}\n  }},\n  \"odd\": 7,\n  \"a\": {{\n    \"head\": \"{a}\",\n    \"start\": \"{b}\",\n    \"updatedAt\": 6\n  }}\n}}\n"
        )
    );
}

#[test]
fn a_thread_whose_end_was_cut_short_has_ended() {
    let (_dir, store) = temp_store();
    let head = ended(&store, "t", &["coder"]);
    let path = store.layout().threads_json(&bundle());
    let before = format!(
        "{{\"t\": {{\"head\": \"{head}\", \"start\": \"{head}\", \"updatedAt\": {NOON}}}}}"
    );
    fs::write(&path, before).unwrap();
    assert_eq!(store.active_threads().unwrap().records, []);
    assert!(matches!(
        store.find_thread(&thread("t")).unwrap().unwrap().record,
        Record::Completed(_)
    ));
    assert_eq!(store.threads_of(&bundle()).unwrap().records.len(), 1);
    let again = store.finish_thread(&bundle(), &thread("t"), head, NOON);
    assert!(matches!(again, Err(StoreError::NotActive { .. })));
    assert_eq!(index(&store), "{}\n");
    assert_eq!(store.completed_threads().unwrap().records.len(), 1);
}

#[test]
fn writers_in_many_processes_lose_no_update() {
    let (dir, store) = temp_store();
    let mut writers: Vec<_> = (0..8)
        .map(|n| {
            let mut writer = process("index::another_process", &format!("write {n}"));
            writer.env("ROOT", dir.path()).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for writer in &mut writers {
        assert!(writer.wait().unwrap().success());
    }
    let active = store.active_threads().unwrap();
    assert_eq!(active.damage, []);
    let mut ids: Vec<String> = active.records.iter().map(|(_, id, _)| id.to_string()).collect();
    ids.sort();
    let expected: Vec<String> =
        (0..8).flat_map(|n| (0..20).map(move |i| format!("{n}-{i:02}"))).collect();
    assert_eq!(ids, expected);
    let completed = store.completed_threads().unwrap();
    assert_eq!((completed.records.len(), completed.damage), (160, vec![]));
}

#[test]
fn a_claim_is_held_until_its_last_holder_is_gone() {
    let (dir, store) = temp_store();
    let id = thread("t");
    let mut child = process("index::another_process", "claim")
        .env("ROOT", dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("claimed")));
    assert!(store.is_running(&bundle(), &id).unwrap());
    assert!(store.claim(&bundle(), &id).unwrap().is_none());
    let running = store.running_threads().unwrap();
    assert_eq!(
        running.iter().map(|r| (r.bundle, &r.thread)).collect::<Vec<_>>(),
        [(bundle(), &id)]
    );
    child.kill().unwrap();
    child.wait().unwrap();
    let marker = store.layout().running(&bundle(), &id);
    assert!(marker.exists());
    assert!(!store.is_running(&bundle(), &id).unwrap());
    let claim = store.claim(&bundle(), &id).unwrap().unwrap();
    claim.release().unwrap();
    assert!(!marker.exists());
}

#[test]
fn looking_whether_a_thread_runs_never_keeps_it_from_being_claimed() {
    let (_dir, store) = temp_store();
    let id = thread("t");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    store.is_running(&bundle(), &id).unwrap();
                }
            });
        }
        for _ in 0..500 {
            let claim = store.claim(&bundle(), &id).unwrap().expect("nobody else claims it");
            claim.release().unwrap();
        }
    });
}

#[test]
fn one_of_many_claimers_wins_each_time() {
    let (_dir, store) = temp_store();
    let (holders, won) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..300 {
                    let Some(claim) = store.claim(&bundle(), &thread("t")).unwrap() else {
                        continue;
                    };
                    assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                    won.fetch_add(1, Ordering::SeqCst);
                    holders.fetch_sub(1, Ordering::SeqCst);
                    claim.release().unwrap();
                }
            });
        }
    });
    assert!(won.into_inner() > 0);
}

/// Not a test of its own: see [`process`].
#[test]
fn another_process() {
    let Some(role) = role() else { return };
    let store = Store::open(std::env::var_os("ROOT").unwrap());
    match role.split_once(' ') {
        Some(("write", n)) => {
            for i in 0..20 {
                let active: ThreadId = thread(&format!("{n}-{i:02}"));
                store.begin_thread(&bundle(), &active, entry(&store, "a", NOON)).unwrap();
                let done = format!("done-{n}-{i}");
                Writer::begin(&store, &done).end();
                assert_eq!(store.active_threads().unwrap().damage, []);
                assert_eq!(store.completed_threads().unwrap().damage, []);
            }
        }
        _ => {
            let _claim = store.claim(&bundle(), &thread("t")).unwrap().unwrap();
            println!("claimed");
            std::io::stdout().flush().unwrap();
            std::io::stdin().lines().for_each(drop);
        }
    }
}
