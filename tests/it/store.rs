//! Blobs: what is put comes back, exactly once on disk.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use uncaged_workflow::object::Hash;
use uncaged_workflow::store::{Cas, Store, StoreError, durable};

use crate::chains::{age_file, put_content, temp_store};

fn names(dir: &std::path::Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn opening_creates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path().join("root"));
    assert_eq!(store.list().unwrap(), []);
    assert_eq!(store.get(&Hash::of("x")).unwrap(), None);
    assert_eq!(store.active_threads().unwrap().records, []);
    assert_eq!(store.completed_threads().unwrap().records, []);
    assert!(!store.delete(&Hash::of("x")).unwrap());
    assert!(!store.touch(&Hash::of("x")).unwrap());
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn text_is_stored_as_a_content_node() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    let hash = store.put("hello").unwrap();
    let text = "type: content\npayload: hello\nrefs: []\n";
    assert_eq!(hash, Hash::of(text));
    assert_eq!(store.get(&hash).unwrap().as_deref(), Some(text));
    assert_eq!(fs::read(store.layout().blob(&hash)).unwrap(), text.as_bytes());
    assert_eq!(store.list().unwrap(), [hash]);
}

#[test]
fn a_node_is_stored_as_it_stands() {
    let (_dir, store) = temp_store();
    let text = "{type: content, payload: 'x', refs: []}";
    assert_eq!(store.put(text).unwrap(), Hash::of(text));
}

#[test]
fn the_golden_chain_is_stored_byte_for_byte() {
    let golden = include_str!("../data/golden/thread-chain.json");
    let golden: Value = serde_json::from_str(golden).unwrap();
    let (_dir, store) = temp_store();
    for node in golden["nodes"].as_array().unwrap() {
        let (blob, hash) = (node["blob"].as_str().unwrap(), node["hash"].as_str().unwrap());
        let stored = store.put(blob).unwrap();
        assert_eq!(stored.as_str(), hash);
        assert_eq!(store.get(&stored).unwrap().as_deref(), Some(blob));
        let again = store.put_node(&store.node(&stored).unwrap().unwrap()).unwrap();
        assert_eq!(again, stored);
    }
    let head: Hash = golden["headHash"].as_str().unwrap().parse().unwrap();
    let chain = uncaged_workflow::history::Chain::load(&store, head).unwrap();
    assert_eq!(chain.start_hash.as_str(), golden["startHash"].as_str().unwrap());
}

#[test]
fn equal_content_is_not_written_again_but_its_time_is_renewed() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    let hash = put_content(&store, "same", &[]);
    let path = store.layout().blob(&hash);
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    age_file(&path, hour_ago);
    let before = inode(&path);
    assert_eq!(put_content(&store, "same", &[]), hash);
    assert_eq!(inode(&path), before);
    assert!(fs::metadata(&path).unwrap().modified().unwrap() > hour_ago);
}

#[test]
fn putting_a_node_renews_what_it_refers_to() {
    let (_dir, store) = temp_store();
    let artifact = put_content(&store, "artifact", &[]);
    let path = store.layout().blob(&artifact);
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    age_file(&path, hour_ago);
    put_content(&store, "report", &[artifact]);
    assert!(fs::metadata(&path).unwrap().modified().unwrap() > hour_ago);
}

#[test]
fn an_altered_blob_is_an_error_until_the_content_is_put_again() {
    for bytes in [&b""[..], b"type: content\npayload: other\nrefs: []\n", b"\xFF\0\0", b"type: con"]
    {
        let (_dir, store) = temp_store();
        let hash = put_content(&store, "text", &[]);
        let path = store.layout().blob(&hash);
        fs::write(&path, bytes).unwrap();
        match store.get(&hash) {
            Err(StoreError::Damaged { hash: h, path: p }) => {
                assert_eq!((h, p), (hash, path.clone()))
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(store.node(&hash), Err(StoreError::Damaged { .. })));
        assert_eq!(put_content(&store, "text", &[]), hash);
        assert_eq!(fs::read(&path).unwrap(), b"type: content\npayload: text\nrefs: []\n");
        assert_eq!(names(&store.layout().cas_dir()), [".lock".to_owned(), format!("{hash}.txt")]);
    }
}

#[test]
fn only_files_named_by_a_hash_are_listed() {
    let (_dir, store) = temp_store();
    let hash = put_content(&store, "x", &[]);
    let cas = store.layout().cas_dir();
    for name in ["README.txt", ".hidden.txt", "0123456789ABC.md", "zzzzzzzzzzzzg.txt"] {
        fs::write(cas.join(name), "").unwrap();
    }
    assert_eq!(store.list().unwrap(), [hash]);
}

#[test]
fn a_folder_of_blobs_needs_no_store_around_it() {
    let dir = tempfile::tempdir().unwrap();
    let cas = Cas::at(dir.path().join("deep/cas"));
    let hash = cas.put("x").unwrap();
    assert_eq!(cas.get(&hash).unwrap().unwrap(), "type: content\npayload: x\nrefs: []\n");
    assert!(cas.delete(&hash).unwrap());
    assert!(!cas.delete(&hash).unwrap());
    assert_eq!(cas.list().unwrap(), []);
}

#[test]
fn many_writers_of_one_text_leave_one_blob() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    let hashes: Vec<Hash> = std::thread::scope(|scope| {
        let writers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| store.put("the same text").unwrap())).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(hashes, vec![hashes[0]; 8]);
    let expected = [".lock".to_owned(), format!("{}.txt", hashes[0])];
    assert_eq!(names(&store.layout().cas_dir()), expected);
}

#[test]
fn replacing_a_file_keeps_its_permissions_and_its_link() {
    let dir = tempfile::tempdir().unwrap();
    let (real, link) = (dir.path().join("real.yaml"), dir.path().join("workflow.yaml"));
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    durable::write_atomic(&link, "new").unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(names(dir.path()), ["real.yaml", "workflow.yaml"]);
}

fn inode(path: &std::path::Path) -> u64 {
    std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap())
}
