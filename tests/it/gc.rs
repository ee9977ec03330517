//! What a collection removes, and what it must not.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use uncaged_workflow::object::{Hash, Node};
use uncaged_workflow::store::Store;
use uncaged_workflow::store::gc::{GcOptions, GcReport, collect};

use crate::chains::{
    Stop, Writer, age, age_file, bundle, ended, gc, process, put_content, role, temp_store, thread,
    verified,
};

#[test]
fn garbage_goes_and_what_threads_lead_to_stays() {
    let (_dir, store) = temp_store();
    assert_eq!(gc(&store), GcReport::default());
    let artifact = put_content(&store, "artifact", &[]);
    let mut writer = Writer::begin(&store, "active");
    let content = put_content(&store, "report", &[artifact]);
    writer.step_with("planner", content);
    ended(&store, "done", &["planner"]);
    let live = store.list().unwrap();
    let mut garbage = vec![put_content(&store, "one", &[])];
    garbage.push(put_content(&store, "two", &garbage.clone()));
    garbage.sort();
    age(&store);
    let expected = GcReport {
        scanned_threads: 2,
        active_refs: live.len(),
        deleted_entries: 2,
        deleted_hashes: garbage.clone(),
    };
    let dry = collect(&store, GcOptions { dry_run: true }, &|_| {}).unwrap();
    assert_eq!(dry, expected);
    assert_eq!(store.list().unwrap().len(), live.len() + 2);
    assert_eq!(gc(&store), expected);
    assert_eq!(store.list().unwrap(), live);
    assert_eq!(gc(&store).deleted_entries, 0);
    assert_eq!(verified(&store).problems, []);
}

#[test]
fn refs_are_read_in_every_layout() {
    let (_dir, store) = temp_store();
    let leaf = |n: u8| put_content(&store, &format!("leaf {n}"), &[]);
    let blobs = [
        format!("{{type: content, payload: x, refs: [{}]}}", leaf(1)),
        format!("type: step\npayload: null\nchildren:\n  - {}\n", leaf(2)),
        format!("type: node\nrefs:\n- \"{}\"\npayload: 1\n", leaf(3)),
        format!("type: content\npayload: |\n  refs:\n    - x\nrefs:\n  - {}\n", leaf(4)),
        format!("type: content\r\npayload: x\r\nrefs:\r\n  - {}\r\n", leaf(5)),
        format!("type: node\npayload: {{}}\nrefs:\n  - {} # why\n", leaf(6)),
        format!("type: node\npayload: {{}}\nrefs:\n  - artifact.txt\n  - {}\n", leaf(7)),
    ];
    let hashes: Vec<Hash> = blobs.iter().map(|text| store.put(text).unwrap()).collect();
    let mut writer = Writer::begin(&store, "t");
    let content = put_content(&store, "all", &hashes);
    writer.step_with("planner", content);
    age(&store);
    assert_eq!(gc(&store).deleted_hashes, []);
}

#[test]
fn a_reference_to_nothing_does_not_stop_it() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    let content = put_content(&store, "x", &[Hash::of("gone")]);
    writer.step_with("planner", content);
    age(&store);
    assert_eq!(gc(&store).deleted_hashes, []);
}

/// A process that executes thread `t` and has put `text` without any reference
/// to it so far.
fn runner(root: &std::path::Path, text: &str) -> Child {
    let mut child = process("gc::another_process", text)
        .env("ROOT", root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("it is put")));
    child
}

fn ends(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_a_running_thread_has_put_stays_until_it_is_dead() {
    let (dir, store) = temp_store();
    Writer::begin(&store, "other");
    let child = runner(dir.path(), "about to be named");
    let hash = Hash::of("type: content\npayload: about to be named\nrefs: []\n");
    assert_eq!(gc(&store).deleted_hashes, []);
    ends(child);
    age(&store);
    assert_eq!(gc(&store).deleted_hashes, [hash]);
}

#[test]
fn what_another_had_put_before_stays_when_a_running_thread_puts_it_too() {
    let (dir, store) = temp_store();
    let hash = put_content(&store, "shared", &[]);
    let unused = put_content(&store, "unused", &[]);
    age(&store);
    let child = runner(dir.path(), "shared");
    assert_eq!(gc(&store).deleted_hashes, [unused]);
    ends(child);
    age(&store);
    assert_eq!(gc(&store).deleted_hashes, [hash]);
}

#[test]
fn what_a_running_thread_picks_up_stays_with_all_that_it_needs() {
    let (_dir, store) = temp_store();
    let leaf = put_content(&store, "leaf", &[]);
    let branch = put_content(&store, "branch", &[leaf]);
    let root = put_content(&store, "root", &[branch]);
    let unused = put_content(&store, "unused", &[root]);
    age(&store);
    let claim = store.claim(&bundle(), &thread("t")).unwrap().unwrap();
    assert!(store.get_protected(&root).unwrap().is_some());
    assert_eq!(gc(&store).deleted_hashes, [unused]);
    claim.release().unwrap();
    age(&store);
    let mut all = vec![leaf, branch, root];
    all.sort();
    assert_eq!(gc(&store).deleted_hashes, all);
}

#[test]
fn what_is_picked_up_during_the_sweep_stays_whole_or_goes_whole() {
    let (_dir, store) = temp_store();
    let mut tip = put_content(&store, "0", &[]);
    let mut chain = vec![tip];
    for n in 1..2000 {
        tip = put_content(&store, &n.to_string(), &[tip]);
        chain.push(tip);
    }
    age(&store);
    let picked = chain[1000];
    let touched = AtomicBool::new(false);
    // The sweep has begun with the tip, which refers to all others.
    let report = collect(&store, GcOptions::default(), &|progress| {
        if matches!(progress, uncaged_workflow::store::gc::GcProgress::Sweep { done: 256.., .. })
            && !touched.swap(true, Ordering::Relaxed)
        {
            assert!(store.touch(&picked).unwrap());
        }
    });
    assert_eq!(report.unwrap().deleted_entries, 999);
    let mut kept = chain[..=1000].to_vec();
    kept.sort();
    assert_eq!(store.list().unwrap(), kept);
}

#[test]
fn a_claim_left_by_a_dead_process_protects_nothing() {
    let (_dir, store) = temp_store();
    drop(store.claim(&bundle(), &thread("t")).unwrap().unwrap());
    let hash = put_content(&store, "x", &[]);
    assert!(store.layout().running(&bundle(), &thread("t")).exists());
    age(&store);
    assert_eq!(gc(&store).deleted_hashes, [hash]);
}

#[test]
fn temporary_files_of_dead_writers_go_and_those_of_others_stay() {
    let (_dir, store) = temp_store();
    Writer::begin(&store, "t");
    let layout = store.layout();
    let name = ".x.txt.0123456789abcdef.tmp";
    let mut files = vec![layout.cas_dir().join(name), layout.root().join(name)];
    files.push(layout.threads_dir(&bundle()).join(name));
    let kept = [layout.cas_dir().join(".notes"), layout.cas_dir().join("x.tmp")];
    for path in files.iter().chain(&kept) {
        fs::write(path, "").unwrap();
        age_file(path, SystemTime::now() - Duration::from_secs(60));
    }
    let held = layout.cas_dir().join(".y.txt.0123456789abcdef.tmp");
    let writer = fs::File::create(&held).unwrap();
    writer.lock_shared().unwrap();
    age_file(&held, SystemTime::now() - Duration::from_secs(60));
    gc(&store);
    assert_eq!(files.iter().filter(|path| path.exists()).count(), 0);
    assert!(kept.iter().chain([&held]).all(|path| path.exists()));
}

#[test]
fn a_thread_whose_end_was_cut_short_is_taken_out_of_the_active_ones() {
    let (_dir, store) = temp_store();
    let head = ended(&store, "t", &["planner"]);
    let path = store.layout().threads_json(&bundle());
    fs::write(&path, format!("{{\"t\": {{\"head\": \"{head}\", \"start\": \"{head}\"}}}}"))
        .unwrap();
    assert_eq!(gc(&store).scanned_threads, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n");
}

#[test]
fn writers_and_a_collector_do_not_harm_each_other() {
    let (_dir, store) = temp_store();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                gc(&store);
            }
        });
        let writers: Vec<_> = (0..3)
            .map(|n| {
                let store = &store;
                scope.spawn(move || {
                    for i in 0..40 {
                        let id = thread(&format!("{n}-{i}"));
                        let claim = store.claim(&bundle(), &id).unwrap().unwrap();
                        // All write the same few texts, and the collector takes
                        // those that nobody names any more.
                        let text = put_content(store, &format!("shared {}", i % 3), &[]);
                        let mut writer = Writer::begin(store, id.as_str());
                        let report = put_content(store, "report", &[text]);
                        let head = writer.step_with("planner", report);
                        assert!(matches!(store.node(&text).unwrap(), Some(Node::Content(_))));
                        assert!(store.node(&head).unwrap().is_some());
                        writer.end();
                        claim.release().unwrap();
                        store.remove_thread(&id).unwrap().unwrap();
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
    });
    age(&store);
    gc(&store);
    assert_eq!(store.list().unwrap(), []);
}

#[test]
fn a_collection_while_a_store_gets_its_first_thread_finds_nothing_missing() {
    for n in 0..200 {
        let (_dir, store) = temp_store();
        let begun = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let _begun = Stop(&begun);
            scope.spawn(|| {
                while !begun.load(Ordering::Relaxed) {
                    gc(&store);
                }
            });
            let id = thread(&format!("first-{n}"));
            let claim = store.claim(&bundle(), &id).unwrap().unwrap();
            Writer::begin(&store, id.as_str());
            claim.release().unwrap();
        });
    }
}

/// Not a test of its own: see [`process`].
#[test]
fn another_process() {
    let Some(text) = role() else { return };
    let store = Store::open(std::env::var_os("ROOT").unwrap());
    let _claim = store.claim(&bundle(), &thread("t")).unwrap().unwrap();
    put_content(&store, &text, &[]);
    println!("it is put");
    std::io::stdout().flush().unwrap();
    std::io::stdin().lines().for_each(drop);
}
