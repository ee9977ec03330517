//! A compaction hides steps from a context and from nothing else.

use uncaged_workflow::history::{self, Chain, HistoryError, Keep, compact, context, fork_plan};
use uncaged_workflow::object::{Hash, Node, StateNode};
use uncaged_workflow::store::{Record, Store};

use crate::chains::{
    NOON, Writer, age, bundle, ended, gc, put_content, roles, step, temp_store, thread, verified,
};

fn texts(store: &Store, steps: &[(Hash, StateNode)]) -> Vec<String> {
    let text = |(_, state): &(Hash, StateNode)| match store.node(&state.content).unwrap() {
        Some(Node::Content(content)) => content.text,
        other => panic!("{other:?}"),
    };
    steps.iter().map(text).collect()
}

#[test]
fn a_context_begins_with_the_summary_and_goes_on_with_what_was_kept() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    for role in ["planner", "coder", "reviewer", "coder"] {
        writer.step(role);
    }
    let before = Chain::load(&store, writer.head.as_ref().unwrap().0).unwrap();
    let head = compact(&store, &thread("t"), 2, "they planned and coded", NOON + 50).unwrap();
    let context = context(&store, head).unwrap();
    assert_eq!(texts(&store, &context.steps), ["reviewer 3", "coder 4"]);
    assert_eq!(context.summary, Some(put_content(&store, "they planned and coded", &[])));
    assert_eq!(context.start_hash, writer.to.start);

    let after = Chain::load(&store, head).unwrap();
    let all: Vec<_> = after.steps().cloned().collect();
    assert_eq!(texts(&store, &all), texts(&store, &before.states));
    assert_eq!(all[..2], before.states[..2]);
    let meta = |states: &[(Hash, StateNode)]| {
        states
            .iter()
            .map(|(_, s)| (s.role.clone(), s.meta.clone(), s.timestamp))
            .collect::<Vec<_>>()
    };
    assert_eq!(meta(&all), meta(&before.states));
    let located = store.find_thread(&thread("t")).unwrap().unwrap();
    assert!(matches!(located.record, Record::Active(entry) if entry.head == head));
}

#[test]
fn nothing_need_be_kept() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    writer.step("planner");
    let head = compact(&store, &thread("t"), 0, "all of it", NOON).unwrap();
    assert_eq!(context(&store, head).unwrap().steps, []);
    writer.head = Some((head, history::state(&store, head).unwrap().unwrap()));
    let head = writer.step("coder");
    let context = context(&store, head).unwrap();
    assert_eq!(roles(&context.steps), ["coder"]);
    assert!(context.summary.is_some());
    assert_eq!(Chain::load(&store, head).unwrap().steps().count(), 2);
}

#[test]
fn a_later_compaction_takes_the_place_of_an_earlier_one() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    for role in ["a", "b", "c", "d"] {
        writer.step(role);
    }
    compact(&store, &thread("t"), 3, "a", NOON).unwrap();
    let head = compact(&store, &thread("t"), 1, "a b c", NOON).unwrap();
    let context = context(&store, head).unwrap();
    assert_eq!(roles(&context.steps), ["d"]);
    assert_eq!(context.summary, Some(put_content(&store, "a b c", &[])));
    assert_eq!(Chain::load(&store, head).unwrap().steps().count(), 4);
}

#[test]
fn a_completed_thread_is_compacted_where_it_is() {
    let (_dir, store) = temp_store();
    ended(&store, "other", &["x"]);
    ended(&store, "t", &["planner", "coder"]);
    ended(&store, "last", &["x"]);
    let head = compact(&store, &thread("t"), 1, "planned", NOON + 50).unwrap();
    let completed = store.completed_threads().unwrap();
    let ids: Vec<_> = completed.records.iter().map(|(_, t)| t.thread.as_str()).collect();
    assert_eq!((ids, completed.damage), (vec!["other", "t", "last"], vec![]));
    assert_eq!(completed.records[1].1.head, head);
    assert_eq!(completed.records[1].1.completed_at, NOON + 3);
    assert_eq!(roles(&history::last_n(&store, head, 2).unwrap()), ["coder", "__end__"]);
    assert_eq!(roles(&context(&store, head).unwrap().steps), ["coder"]);
    assert_eq!(roles(&fork_plan(&store, head, Keep::AllButLast).unwrap().kept), ["planner"]);
    age(&store);
    gc(&store);
    assert_eq!(verified(&store).problems, []);
}

#[test]
fn a_running_thread_and_one_that_is_short_enough_stay_as_they_are() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    let head = writer.step("planner");
    let claim = store.claim(&bundle(), &thread("t")).unwrap().unwrap();
    let refused = compact(&store, &thread("t"), 0, "s", NOON);
    assert!(matches!(refused, Err(HistoryError::Running { .. })));
    claim.release().unwrap();
    let refused = compact(&store, &thread("t"), 1, "s", NOON);
    assert!(matches!(refused, Err(HistoryError::NothingToCompact { steps: 1, .. })));
    let refused = compact(&store, &thread("nobody"), 1, "s", NOON);
    assert!(matches!(refused, Err(HistoryError::UnknownThread { .. })));
    assert_eq!(store.find_thread(&thread("t")).unwrap().unwrap().record.head(), head);
}

#[test]
fn a_state_that_another_program_compacted_is_not_in_its_summary() {
    let (_dir, store) = temp_store();
    let mut writer = Writer::begin(&store, "t");
    writer.step("planner");
    let summary = put_content(&store, "planned", &[]);
    let content = put_content(&store, "code", &[]);
    let parent = writer.head.as_ref().map(|(hash, state)| (*hash, state));
    let compacted = history::Step { compact: Some(summary), ..step("coder", content, NOON) };
    let (head, _) = history::append(&store, &writer.to, parent, compacted).unwrap();
    let context = context(&store, head).unwrap();
    assert_eq!((roles(&context.steps), context.summary), (vec!["coder"], Some(summary)));
}
