use clap::Args;
use serde_json::{Value, json};

use super::super::Context;
use super::super::error::CommandError;
use crate::bundle::Registry;

/// List the registered workflows: name, bundle hash, when (ms since 1970)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow list
  uncaged-workflow list --json")]
pub(in super::super) struct ListArgs {}

pub(super) fn cmd_list(context: &Context, _args: &ListArgs) -> Result<(), CommandError> {
    let registry = Registry::load(&context.store.layout().registry())?;
    let mut rows: Vec<Value> = Vec::new();
    for (name, entry) in registry.workflows() {
        if context.ui.json() {
            let (hash, timestamp) = (entry.hash, entry.timestamp);
            let mut row = json!({ "name": name, "hash": hash, "timestamp": timestamp });
            if let Some(permissions) = &entry.permissions {
                row["permissions"] = permissions.to_value();
            }
            rows.push(row);
        } else {
            context.ui.line(format!("{name}\t{}\t{}", entry.hash, entry.timestamp))?;
        }
    }
    if context.ui.json() {
        return context.ui.value(&rows);
    }
    Ok(())
}
