use clap::Args;
use serde_json::{Value, json};

use super::super::error::CommandError;
use super::super::{Context, find};
use super::threads::Names;
use crate::object::Hash;
use crate::worker::protocol::ThreadState;

/// List the active threads: id, bundle hash, workflow, and `paused` or
/// `interrupted` where one does not run
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow ps
  uncaged-workflow ps --json")]
pub(in super::super) struct PsArgs {}

pub(super) fn cmd_ps(context: &Context, _args: &PsArgs) -> Result<(), CommandError> {
    let mut names = Names::new(context.store.clone());
    let mut rows: Vec<Value> = Vec::new();
    let mut paused: std::collections::HashMap<Hash, Vec<String>> = Default::default();
    let listing = context.store.active_threads()?;
    for (bundle, thread, entry) in listing.records {
        let state = if !context.store.is_running(&bundle, &thread)? {
            "interrupted"
        } else {
            let paused = paused.entry(bundle).or_insert_with(|| paused_threads(context, &bundle));
            if paused.iter().any(|id| id == thread.as_str()) { "paused" } else { "running" }
        };
        let name = names.of(&entry.start);
        if context.ui.json() {
            rows.push(json!({ "threadId": thread, "hash": bundle, "name": name, "state": state }));
        } else {
            let state = if state == "running" { String::new() } else { format!("\t{state}") };
            context.ui.line(format!("{thread}\t{bundle}\t{name}{state}"))?;
        }
    }
    if context.ui.json() {
        context.ui.value(&rows)?;
    }
    find::warn(context, &listing.damage);
    Ok(())
}

fn paused_threads(context: &Context, bundle: &Hash) -> Vec<String> {
    let threads = context.workers.status(bundle).ok().flatten().unwrap_or_default();
    let paused = threads.iter().filter(|t| t.state == ThreadState::Paused);
    paused.map(|t| t.thread.to_string()).collect()
}
