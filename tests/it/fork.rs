//! Forks share their source's nodes.

use serde_json::json;
use uncaged_workflow::history::{Chain, HistoryError, Keep, context, fork};
use uncaged_workflow::object::{FORK_ROLE, Hash, Node, StateNode};
use uncaged_workflow::store::{Record, Store};

use crate::chains::{
    NOON, Writer, age, ended, gc, put_content, roles, temp_store, thread, verified,
};

fn forked(store: &Store, source: &str, keep: Keep<'_>, new: &str) -> Vec<(Hash, StateNode)> {
    let forked = fork(store, &thread(source), keep, &thread(new), NOON + 100).unwrap();
    let located = store.find_thread(&thread(new)).unwrap().unwrap();
    assert!(matches!(&located.record, Record::Active(entry) if entry.head == forked.head));
    let steps = context(store, forked.head).unwrap().steps;
    assert_eq!(steps, forked.kept);
    steps
}

#[test]
fn a_fork_keeps_all_steps_but_the_last() {
    let (_dir, store) = temp_store();
    let head = ended(&store, "source", &["planner", "coder", "reviewer"]);
    let source = Chain::load(&store, head).unwrap();
    let before = store.list().unwrap().len();
    assert_eq!(forked(&store, "source", Keep::AllButLast, "new"), source.states[..2]);
    // The marker and its empty content are all that is new.
    assert_eq!(store.list().unwrap().len(), before + 2);
}

#[test]
fn a_fork_from_a_role_keeps_up_to_its_first_step() {
    let (_dir, store) = temp_store();
    ended(&store, "source", &["planner", "coder", "reviewer", "coder"]);
    assert_eq!(roles(&forked(&store, "source", Keep::Through("coder"), "a")), ["planner", "coder"]);
    assert_eq!(roles(&forked(&store, "source", Keep::Through("planner"), "b")), ["planner"]);
}

#[test]
fn a_fork_that_keeps_all_goes_on_after_the_last_step() {
    let (_dir, store) = temp_store();
    let head = ended(&store, "source", &["planner", "coder"]);
    let source = Chain::load(&store, head).unwrap();
    assert_eq!(forked(&store, "source", Keep::All, "new"), source.states[..2]);
}

#[test]
fn a_fork_of_one_step_begins_anew() {
    let (_dir, store) = temp_store();
    ended(&store, "one", &["planner"]);
    ended(&store, "none", &[]);
    assert_eq!(forked(&store, "one", Keep::AllButLast, "a"), []);
    assert_eq!(forked(&store, "none", Keep::AllButLast, "b"), []);
}

#[test]
fn the_marker_says_where_a_fork_comes_from() {
    let (_dir, store) = temp_store();
    let mut source = Writer::begin(&store, "source");
    let kept = source.step("planner");
    source.step("coder");
    let made = fork(&store, &thread("source"), Keep::AllButLast, &thread("new"), NOON).unwrap();
    let marker = StateNode {
        role: FORK_ROLE.to_owned(),
        meta: json!({ "forkFrom": "source" }).as_object().unwrap().clone(),
        start: source.to.start,
        content: put_content(&store, "", &[]),
        ancestors: vec![kept],
        compact: None,
        timestamp: NOON,
        child_thread: None,
    };
    assert_eq!(store.node(&made.head).unwrap(), Some(Node::State(marker)));
    assert_eq!(made.start, source.to.start);
    assert!(!store.is_running(&made.bundle, &made.thread).unwrap());
}

#[test]
fn an_unknown_role_is_answered_with_those_there_are() {
    let (_dir, store) = temp_store();
    ended(&store, "source", &["planner", "coder", "planner"]);
    let refused = fork(&store, &thread("source"), Keep::Through("tester"), &thread("new"), NOON);
    let Err(HistoryError::UnknownRole { role, roles }) = refused else { panic!() };
    assert_eq!((role.as_str(), roles), ("tester", vec!["planner".to_owned(), "coder".to_owned()]));
    let refused = fork(&store, &thread("nobody"), Keep::AllButLast, &thread("new"), NOON);
    assert!(matches!(refused, Err(HistoryError::UnknownThread { .. })));
    assert_eq!(store.find_thread(&thread("new")).unwrap(), None);
}

#[test]
fn a_fork_of_a_fork_leaves_both_markers_out() {
    let (_dir, store) = temp_store();
    ended(&store, "source", &["planner", "coder", "reviewer"]);
    let first = fork(&store, &thread("source"), Keep::AllButLast, &thread("first"), NOON).unwrap();
    assert_eq!(roles(&forked(&store, "first", Keep::AllButLast, "second")), ["planner"]);
    assert_eq!(Chain::load(&store, first.head).unwrap().states.len(), 3);
}

#[test]
fn a_fork_outlives_its_source() {
    let (_dir, store) = temp_store();
    ended(&store, "source", &["planner", "coder", "reviewer"]);
    let kept = forked(&store, "source", Keep::AllButLast, "new");
    store.remove_thread(&thread("source")).unwrap();
    age(&store);
    assert!(gc(&store).deleted_entries > 0);
    let head = store.find_thread(&thread("new")).unwrap().unwrap().record.head();
    assert_eq!(Chain::load(&store, head).unwrap().steps().cloned().collect::<Vec<_>>(), kept);
    assert_eq!(verified(&store).problems, []);
}
