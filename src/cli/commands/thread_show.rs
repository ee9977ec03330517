use clap::Args;
use serde_json::{Value, json};

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::history;
use crate::object::{Hash, Node, StateNode};
use crate::store::Record;

/// Show one thread as JSON: its start and its steps
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow thread 01KB             any unique beginning of the id
  uncaged-workflow thread 01KB --last 1")]
pub(in super::super) struct ThreadShowArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
    /// Only the newest N steps
    #[arg(long, value_name = "N")]
    last: Option<usize>,
}

pub(super) fn cmd_thread_show(
    context: &Context,
    args: &ThreadShowArgs,
) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    let store = &context.store;
    let Some(located) = store.find_thread(&thread)? else {
        return Err(CommandError::user(format!("there is no thread {thread}")));
    };
    let (head, start, source) = match &located.record {
        Record::Active(entry) => (entry.head, entry.start, "active"),
        Record::Completed(done) => (done.head, done.start, "history"),
    };
    let states = match args.last {
        Some(count) => history::last_n(store, head, count)?,
        None => history::Chain::load(store, head)?.states,
    };
    let steps = states.iter().map(|(hash, state)| step(context, hash, state));
    let steps = steps.collect::<Result<Vec<Value>, CommandError>>()?;
    context.ui.value(&json!({
        "threadId": thread,
        "bundleHash": located.bundle,
        "head": head,
        "start": start_value(context, &start)?,
        "source": source,
        "steps": steps,
    }))
}

fn start_value(context: &Context, start: &Hash) -> Result<Value, CommandError> {
    let Some(Node::Start(node)) = context.store.node(start)? else {
        return Err(CommandError::user(format!("the start node {start} is missing"))
            .hint("`uncaged-workflow cas verify` lists what is missing"));
    };
    Ok(json!({
        "hash": start,
        "name": node.name,
        "maxRounds": node.max_rounds,
        "depth": node.depth,
        "parentState": node.parent_state,
        "prompt": history::content(&context.store, node.prompt)?.text,
    }))
}

fn step(context: &Context, hash: &Hash, state: &StateNode) -> Result<Value, CommandError> {
    let (content, refs) = match context.store.node(&state.content)? {
        Some(Node::Content(node)) => (Value::String(node.text), node.refs),
        _ => (Value::Null, Vec::new()),
    };
    Ok(json!({
        "hash": hash,
        "role": state.role,
        "contentHash": state.content,
        "content": content,
        "meta": state.meta,
        "refs": refs,
        "parent": state.parent(),
        "compact": state.compact,
        "childThread": state.child_thread,
        "timestamp": state.timestamp,
    }))
}
