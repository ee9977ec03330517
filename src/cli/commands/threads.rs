use clap::Args;
use serde_json::{Value, json};

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::bundle::Registry;
use crate::object::{Hash, Node};
use crate::store::{Record, Store};

/// List the threads, active and ended: id, bundle hash, workflow
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow threads
  uncaged-workflow threads hello --json")]
pub(in super::super) struct ThreadsArgs {
    /// Only those of this workflow
    name: Option<String>,
}

pub(super) fn cmd_threads(context: &Context, args: &ThreadsArgs) -> Result<(), CommandError> {
    if let Some(name) = &args.name {
        let registry = Registry::load(&context.store.layout().registry())?;
        find::workflow(&registry, name)?;
    }
    let (threads, damage) = find::all_threads(context)?;
    let mut names = Names::new(context.store.clone());
    let mut rows: Vec<Value> = Vec::new();
    for (bundle, thread, record) in &threads {
        let state = match record {
            Record::Active(_) => "active",
            Record::Completed(_) => "completed",
        };
        let name = names.of(&record.start());
        if args.name.as_deref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        if context.ui.json() {
            rows.push(json!({ "threadId": thread, "hash": bundle, "name": name, "state": state }));
        } else {
            context.ui.line(format!("{thread}\t{bundle}\t{name}"))?;
        }
    }
    if context.ui.json() {
        context.ui.value(&rows)?;
    }
    find::warn(context, &damage);
    Ok(())
}

/// The workflow's name that a thread was started under, by its start node.
pub(super) struct Names {
    store: Store,
    known: std::collections::HashMap<Hash, String>,
}

impl Names {
    pub(super) fn new(store: Store) -> Names {
        Names { store, known: Default::default() }
    }

    /// `?` where the start node is missing or damaged.
    pub(super) fn of(&mut self, start: &Hash) -> String {
        let store = &self.store;
        let read = || match store.node(start) {
            Ok(Some(Node::Start(node))) => node.name,
            _ => "?".to_owned(),
        };
        self.known.entry(*start).or_insert_with(read).clone()
    }
}
