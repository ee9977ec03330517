//! Damaged index files: what is good still lists, nothing is replaced, and a
//! collection removes nothing.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use uncaged_workflow::object::Hash;
use uncaged_workflow::store::gc::{GcError, GcOptions, collect};
use uncaged_workflow::store::{Damage, Record, Store, StoreError, ThreadEntry};

use crate::chains::{NOON, Writer, age, bundle, ended, put_content, temp_store, thread};

/// A store with two active and two completed threads and some garbage, none of
/// it new.
fn full() -> (TempDir, Store, PathBuf, PathBuf) {
    let (dir, store) = temp_store();
    Writer::begin(&store, "active-1").step("planner");
    Writer::begin(&store, "active-2").step("planner");
    ended(&store, "ended-1", &["planner"]);
    ended(&store, "ended-2", &["planner"]);
    put_content(&store, "garbage", &[]);
    age(&store);
    let index = store.layout().threads_json(&bundle());
    let history = store.layout().history_dir(&bundle()).join("2026-05-09.jsonl");
    (dir, store, index, history)
}

fn active(store: &Store) -> (Vec<String>, Vec<Damage>) {
    let all = store.active_threads().unwrap();
    (all.records.iter().map(|(_, id, _)| id.to_string()).collect(), all.damage)
}

fn completed(store: &Store) -> (Vec<String>, Vec<Damage>) {
    let all = store.completed_threads().unwrap();
    (all.records.iter().map(|(_, t)| t.thread.to_string()).collect(), all.damage)
}

fn refuses_to_collect(store: &Store) -> Vec<Damage> {
    let before = store.list().unwrap();
    let refused = collect(store, GcOptions::default(), &|_| {});
    assert_eq!(store.list().unwrap(), before);
    match refused {
        Err(GcError::DamagedIndex(damage)) => damage,
        other => panic!("{other:?}"),
    }
}

fn damage(path: &std::path::Path, line: usize, problem: &str) -> Vec<Damage> {
    vec![Damage { path: path.to_owned(), line: Some(line), problem: problem.to_owned() }]
}

#[test]
fn a_truncated_index_lists_what_is_whole_and_is_never_replaced() {
    let (_dir, store, index, _) = full();
    let text = fs::read_to_string(&index).unwrap();
    let cut = &text[..text.find("active-2").unwrap() + 30];
    fs::write(&index, cut).unwrap();
    let expected = damage(&index, 8, "EOF while parsing a string");
    assert_eq!(active(&store), (vec!["active-1".to_owned()], expected.clone()));
    assert_eq!(completed(&store), (vec!["ended-1".to_owned(), "ended-2".to_owned()], vec![]));
    assert_eq!(refuses_to_collect(&store), expected);

    let node = put_content(&store, "node", &[]);
    let entry = ThreadEntry { head: node, start: node, updated_at: NOON };
    let id = thread("active-1");
    for result in [
        store.begin_thread(&bundle(), &thread("new"), entry),
        store.advance_thread(&bundle(), &id, node, NOON),
        store.finish_thread(&bundle(), &id, node, NOON),
        store.remove_thread(&id).map(|_| ()),
    ] {
        match result {
            Err(StoreError::Index(found)) => assert_eq!(vec![found], expected),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fs::read_to_string(&index).unwrap(), cut);
    assert!(matches!(
        store.find_thread(&id).unwrap().unwrap().record,
        Record::Active(ThreadEntry { updated_at, .. }) if updated_at == NOON + 1
    ));
    assert!(matches!(store.find_thread(&thread("active-2")), Err(StoreError::Index(_))));
}

#[test]
fn every_way_to_break_an_index_is_noticed() {
    let (_dir, store, index, _) = full();
    let good = fs::read_to_string(&index).unwrap();
    let cases = [
        ("", 1, "EOF while parsing a value"),
        ("\0\0\0\0", 1, "expected value"),
        ("[]", 1, "invalid type: sequence, expected an object of threads"),
        ("null", 1, "invalid type: null, expected an object of threads"),
        ("{}\n{}", 2, "trailing characters"),
        ("{\n  \"t\": 7\n}", 2, "`head` of thread t is not a hash"),
        (
            "{\n  \"../t\": {}\n}",
            2,
            "`../t` is not a thread id: expected 1 to 64 letters, digits, `_` or `-`",
        ),
        (
            "{\"a\": {\"head\": \"0000000000000\", \"start\": \"oops\"}}",
            1,
            "`start` of thread a is not a hash",
        ),
    ];
    for (text, line, problem) in cases {
        fs::write(&index, text).unwrap();
        let expected = damage(&index, line, problem);
        assert_eq!(refuses_to_collect(&store), expected, "{text:?}");
        assert_eq!(active(&store).1, expected, "{text:?}");
        assert_eq!(fs::read_to_string(&index).unwrap(), text);
    }
    fs::write(&index, good).unwrap();
    assert_eq!(active(&store).1, []);
    assert_eq!(collect(&store, GcOptions::default(), &|_| {}).unwrap().deleted_entries, 1);
}

#[test]
fn torn_lines_of_a_history_are_named_and_the_others_list() {
    let (_dir, store, _, history) = full();
    let good = fs::read(&history).unwrap();
    let first = good.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let both = vec!["ended-1".to_owned(), "ended-2".to_owned()];
    let one = vec!["ended-1".to_owned()];
    let nul = "expected value";
    let cases: [(Vec<u8>, &[String], usize, &str); 6] = [
        ([&good[..], b"{\"threadId\":"].concat(), &both, 3, "EOF while parsing a value"),
        (good[..good.len() - 9].to_vec(), &one, 2, "EOF while parsing an object"),
        ([&good[..], &[0; 64]].concat(), &both, 3, nul),
        ([&good[..first], &[0; 64], b"\n", &good[first..]].concat(), &both, 2, nul),
        ([b"not json\n", &good[..]].concat(), &both, 1, "expected ident"),
        ([&good[..], b"{\"threadId\":\"x\"}\n"].concat(), &both, 3, "missing field `head`"),
    ];
    for (bytes, ids, line, problem) in cases {
        fs::write(&history, &bytes).unwrap();
        let expected = damage(&history, line, problem);
        assert_eq!(completed(&store), (ids.to_vec(), expected.clone()));
        assert_eq!(refuses_to_collect(&store), expected);
        assert_eq!(fs::read(&history).unwrap(), bytes);
    }
}

#[test]
fn a_record_after_a_torn_line_stands_on_a_line_of_its_own() {
    for torn in [&b"{\"threadId\":\"x"[..], b"\0\0\0\0\0\0"] {
        let (_dir, store, _, history) = full();
        let mut bytes = fs::read(&history).unwrap();
        bytes.extend_from_slice(torn);
        fs::write(&history, &bytes).unwrap();
        ended(&store, "late", &["planner"]);
        let (ids, damage) = completed(&store);
        assert_eq!(ids, ["ended-1", "ended-2", "late"]);
        assert_eq!(damage.iter().map(|d| d.line).collect::<Vec<_>>(), [Some(3)]);
        assert!(fs::read(&history).unwrap().starts_with(&bytes));
    }
}

#[test]
fn a_whole_line_without_its_newline_is_good() {
    let (_dir, store, _, history) = full();
    let text = fs::read_to_string(&history).unwrap();
    fs::write(&history, format!("\u{FEFF}{}", text.trim_end().replace('\n', "\r\n"))).unwrap();
    assert_eq!(completed(&store), (vec!["ended-1".to_owned(), "ended-2".to_owned()], vec![]));
    ended(&store, "late", &[]);
    store.remove_thread(&thread("ended-1")).unwrap();
    assert_eq!(completed(&store), (vec!["ended-2".to_owned(), "late".to_owned()], vec![]));
}

#[test]
fn removing_a_thread_keeps_damaged_lines() {
    let (_dir, store, _, history) = full();
    let good = fs::read_to_string(&history).unwrap();
    let (first, second) = good.split_once('\n').unwrap();
    fs::write(&history, format!("{first}\n{{torn\n{second}")).unwrap();
    store.remove_thread(&thread("ended-1")).unwrap();
    assert_eq!(fs::read_to_string(&history).unwrap(), format!("{{torn\n{second}"));
}

#[test]
fn an_index_of_a_bundle_that_no_registry_knows_counts() {
    let (_dir, store, ..) = full();
    let odd = store.layout().bundles_dir().join("copied by hand");
    fs::create_dir_all(&odd).unwrap();
    let path = odd.join("threads.json");
    fs::write(&path, "{").unwrap();
    assert_eq!(refuses_to_collect(&store), damage(&path, 1, "EOF while parsing an object"));
    let garbage = Hash::of("type: content\npayload: garbage\nrefs: []\n");
    let text = format!("{{\"t\": {{\"head\": \"{garbage}\", \"start\": \"{garbage}\"}}}}");
    fs::write(&path, text).unwrap();
    assert_eq!(collect(&store, GcOptions::default(), &|_| {}).unwrap().deleted_entries, 0);
}

#[test]
fn an_index_that_may_not_be_read_stops_a_collection() {
    let (_dir, store, index, _) = full();
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    let refused = collect(&store, GcOptions::default(), &|_| {});
    match refused {
        Err(GcError::Store(StoreError::Io(e))) => assert_eq!((e.action, e.path), ("read", index)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_damaged_blob_in_use_stops_a_collection_and_one_out_of_use_does_not() {
    let (_dir, store, ..) = full();
    let used = put_content(&store, "planner 1", &[]);
    let unused = put_content(&store, "garbage", &[]);
    for bytes in ["", "type: content\npayload: other\nrefs: []\n"] {
        fs::write(store.layout().blob(&used), bytes).unwrap();
        age(&store);
        let before = store.list().unwrap();
        match collect(&store, GcOptions::default(), &|_| {}) {
            Err(GcError::Store(StoreError::Damaged { hash, path })) => {
                assert_eq!((hash, path), (used, store.layout().blob(&used)));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(store.list().unwrap(), before);
    }
    put_content(&store, "planner 1", &[]);
    fs::write(store.layout().blob(&unused), "").unwrap();
    age(&store);
    let report = collect(&store, GcOptions::default(), &|_| {}).unwrap();
    assert_eq!(report.deleted_hashes, [unused]);
}

#[test]
fn a_thread_whose_head_is_missing_stops_a_collection() {
    let (_dir, store, index, _) = full();
    let head = store.find_thread(&thread("active-1")).unwrap().unwrap().record.head();
    store.delete(&head).unwrap();
    let before = store.list().unwrap();
    match collect(&store, GcOptions::default(), &|_| {}) {
        Err(GcError::MissingRoot { thread: id, path, hash }) => {
            assert_eq!((id, path, hash), (thread("active-1"), index, head));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(store.list().unwrap(), before);
    store.remove_thread(&thread("active-1")).unwrap();
    assert!(collect(&store, GcOptions::default(), &|_| {}).is_ok());
}
