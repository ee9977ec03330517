//! Making and ending threads: what a thread is in the store before and after
//! its process lives.

use serde_json::{Map, Value, json};

use super::{EngineError, Limits};
use crate::bundle::{Grants, Registry};
use crate::history;
use crate::object::{
    ContentNode, END_ROLE, Hash, Node, StartNode, StateNode, ThreadId, WorkflowName,
};
use crate::store::{Claim, Record, Store, ThreadEntry};

/// Rounds that one execution may take where nothing else was said.
pub const DEFAULT_MAX_ROUNDS: u64 = 10;

/// What a new thread is made from.
#[derive(Debug, Clone)]
pub struct NewThread {
    /// The workflow's name.
    pub workflow: WorkflowName,
    /// The bundle that the thread stays on for ever.
    pub bundle: Hash,
    /// The prompt.
    pub prompt: String,
    /// Steps allowed in one execution.
    pub max_rounds: u64,
    /// 0 for a thread that a person started.
    pub depth: u64,
    /// The parent's state that asked for it.
    pub parent_state: Option<Hash>,
    /// What it is limited to, for ever.
    pub limits: Limits,
}

/// Writes a new thread into the store, durable before this returns: from then
/// on it can be shown and resumed, whatever happens to the process that runs it.
pub fn create_thread(store: &Store, new: &NewThread, now_ms: i64) -> Result<ThreadId, EngineError> {
    load_bundle(store, &new.bundle)?;
    let thread = ThreadId::generate();
    // Keeps a collection from taking the nodes before the index leads to them.
    let claim = store.claim(&new.bundle, &thread)?;
    let prompt = store.put_node(&content(&new.prompt))?;
    let start = store.put_node(&Node::from(StartNode {
        name: new.workflow.to_string(),
        hash: new.bundle,
        max_rounds: Some(new.max_rounds),
        depth: new.depth,
        parent_state: new.parent_state,
        prompt,
    }))?;
    new.limits.write(store, &new.bundle, &thread)?;
    let entry = ThreadEntry { head: start, start, updated_at: now_ms };
    store.begin_thread(&new.bundle, &thread, entry)?;
    claim.map_or(Ok(()), Claim::release)?;
    Ok(thread)
}

/// Ends an active thread: an `__end__` state, then the move to history.
/// `content` is the end's text; the summary where nothing else is to be kept.
///
/// Ends nothing and gives `false` where the thread has already ended.
pub fn end_thread(
    store: &Store,
    bundle: &Hash,
    thread: &ThreadId,
    return_code: i64,
    summary: &str,
    content_text: Option<&str>,
    now_ms: i64,
) -> Result<bool, EngineError> {
    let Some(located) = store.find_thread(thread)? else { return Ok(false) };
    let Record::Active(entry) = located.record else { return Ok(false) };
    let head = history::state(store, entry.head)?;
    if let Some(end) = head.as_ref().filter(|state| state.role == END_ROLE) {
        // A crash came between the end and the move: only the move is left.
        store.finish_thread(bundle, thread, entry.head, end.timestamp)?;
        return Ok(false);
    }
    let mut meta = Map::new();
    meta.insert("returnCode".into(), json!(return_code));
    meta.insert("summary".into(), json!(summary));
    let text = content_text.unwrap_or(summary);
    let step = history::Step {
        role: END_ROLE.to_owned(),
        meta,
        content: store.put_node(&content(text))?,
        timestamp: now_ms,
        child_thread: None,
        compact: None,
    };
    let (head, _) = history::put_state(
        store,
        entry.start,
        head.as_ref().map(|state| (entry.head, state)),
        step,
    )?;
    store.finish_thread(bundle, thread, head, now_ms)?;
    Ok(true)
}

/// The bundle's source, its hash checked.
pub fn load_bundle(store: &Store, bundle: &Hash) -> Result<String, EngineError> {
    let path = store.layout().bundle(bundle);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            return Err(EngineError::BundleMissing { bundle: *bundle, path });
        }
        Err(source) => return Err(EngineError::Io { action: "read", path, source }),
    };
    let found = Hash::of(&bytes);
    if found != *bundle {
        return Err(EngineError::BundleAltered { bundle: *bundle, found, path });
    }
    String::from_utf8(bytes).map_err(|_| EngineError::BundleNotText { path })
}

/// What a workflow's name stands for at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The bundle that it points at.
    pub bundle: Hash,
    /// What the bundle may do under this name; none: whatever the user may.
    pub permissions: Option<Grants>,
}

/// The bundle that a workflow's name points at now, and its permissions.
pub fn resolve_workflow(store: &Store, name: &WorkflowName) -> Result<Resolved, EngineError> {
    let registry = Registry::load(&store.layout().registry())?;
    match registry.get(name) {
        Some(entry) => Ok(Resolved { bundle: entry.hash, permissions: entry.permissions.clone() }),
        None => Err(EngineError::UnknownWorkflow {
            name: name.clone(),
            known: registry.names().map(|n| n.to_string()).collect(),
        }),
    }
}

/// The thread as its bundle sees it (SPEC section 6).
pub fn thread_context(
    store: &Store,
    bundle: &Hash,
    thread: &ThreadId,
    chain: &history::Chain,
    entry: &ThreadEntry,
) -> Result<Value, EngineError> {
    let prompt = history::content(store, chain.start.prompt)?.text;
    let started = thread.timestamp_ms().map_or(entry.updated_at, |ms| ms as i64);
    let steps = chain.steps().map(|(_, state)| step_context(store, state));
    let steps = steps.collect::<Result<Vec<Value>, EngineError>>()?;
    Ok(json!({
        "threadId": thread,
        "depth": chain.start.depth,
        "bundleHash": bundle,
        "start": {
            "role": crate::object::START_ROLE,
            "content": prompt,
            "meta": { "maxRounds": chain.start.max_rounds.unwrap_or(DEFAULT_MAX_ROUNDS) },
            "timestamp": started,
            "parentState": chain.start.parent_state,
        },
        "steps": steps,
    }))
}

/// A persisted step as its bundle sees it: `refs` are those of the content node
/// and, last, the content itself.
fn step_context(store: &Store, state: &StateNode) -> Result<Value, EngineError> {
    let mut refs = history::content(store, state.content)?.refs;
    let content = state.content.to_string();
    if !refs.contains(&content) {
        refs.push(content);
    }
    Ok(json!({
        "role": state.role,
        "contentHash": state.content,
        "meta": state.meta,
        "refs": refs,
        "timestamp": state.timestamp,
    }))
}

fn content(text: &str) -> Node {
    ContentNode { text: text.to_owned(), refs: Vec::new() }.into()
}
