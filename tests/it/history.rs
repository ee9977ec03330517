//! Chains: append, walk, the skip list.

use uncaged_workflow::history::{self, Chain, HistoryError};
use uncaged_workflow::object::{Hash, Node};
use uncaged_workflow::store::StoreError;

use crate::chains::{
    NOON, Writer, bundle, ended, put_content, put_start, roles, step, temp_store, thread,
};

#[test]
fn a_step_names_its_parent_and_ten_more_ancestors() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    let hashes: Vec<Hash> = (0..15).map(|_| writer.step("coder")).collect();
    for (n, hash) in hashes.iter().enumerate() {
        let Some(Node::State(state)) = store.node(hash).unwrap() else { panic!() };
        let newest_first: Vec<Hash> = hashes[..n].iter().rev().take(11).copied().collect();
        assert_eq!(state.ancestors, newest_first);
        assert_eq!(state.start, writer.to.start);
    }
    let active = store.active_threads().unwrap().records;
    assert_eq!((active[0].2.head, active[0].2.updated_at), (hashes[14], NOON + 15));
}

#[test]
fn a_chain_is_read_from_either_end() {
    let (_dir, store) = temp_store();
    let head = ended(&store, "t", &["planner", "coder", "reviewer"]);
    let chain = Chain::load(&store, head).unwrap();
    assert_eq!(roles(&chain.states), ["planner", "coder", "reviewer", "__end__"]);
    assert_eq!(chain.steps().count(), 3);
    assert_eq!(chain.start.name, "golden");
    let newest_first: Vec<_> = history::walk(&store, head).map(|s| s.unwrap().1.role).collect();
    assert_eq!(newest_first, ["__end__", "reviewer", "coder", "planner"]);
}

#[test]
fn a_thread_without_steps_has_its_start_as_head() {
    let (_dir, store) = temp_store();
    let start = put_start(&store, "prompt");
    let chain = Chain::load(&store, start).unwrap();
    assert_eq!((chain.start_hash, chain.states), (start, vec![]));
    assert_eq!(history::last_n(&store, start, 3).unwrap(), []);
    assert_eq!(history::context(&store, start).unwrap().steps, []);
}

#[test]
fn the_last_steps_are_read_without_the_older_ones() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    let hashes: Vec<Hash> = (0..30).map(|_| writer.step("coder")).collect();
    // What is not there cannot have been read.
    store.delete(&hashes[26]).unwrap();
    let last = history::last_n(&store, hashes[29], 3).unwrap();
    assert_eq!(last.iter().map(|(hash, _)| *hash).collect::<Vec<_>>(), hashes[27..]);
    let all = history::last_n(&store, hashes[29], 4);
    assert!(matches!(all, Err(HistoryError::Missing { hash }) if hash == hashes[26]));
}

#[test]
fn a_chain_that_is_broken_names_what_is_missing() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    let (first, second) = (writer.step("coder"), writer.step("coder"));
    let content = put_content(&store, "text", &[]);
    assert!(matches!(
        Chain::load(&store, content),
        Err(HistoryError::Kind { expected: "state", .. })
    ));
    store.delete(&first).unwrap();
    let broken = Chain::load(&store, second);
    assert!(matches!(broken, Err(HistoryError::Missing { hash }) if hash == first));
    std::fs::write(store.layout().blob(&second), "").unwrap();
    let damaged = Chain::load(&store, second);
    assert!(matches!(damaged, Err(HistoryError::Store(StoreError::Damaged { .. }))));
}

#[test]
fn a_thread_that_was_removed_takes_no_step() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    writer.step("coder");
    store.remove_thread(&thread("t")).unwrap();
    let content = put_content(&store, "late", &[]);
    let parent = writer.head.as_ref().map(|(hash, state)| (*hash, state));
    let late = history::append(&store, &writer.to, parent, step("coder", content, NOON));
    assert!(matches!(late, Err(HistoryError::Store(StoreError::NotActive { .. }))));
    assert_eq!(store.threads_of(&bundle()).unwrap().records, []);
}
