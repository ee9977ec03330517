use clap::Args;
use serde_json::{Value, json};

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::bundle::Registry;
use crate::object::yaml;

/// Show a workflow's registry entry and its descriptor as YAML
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow show hello
  uncaged-workflow show hello --json")]
pub(in super::super) struct ShowArgs {
    /// The workflow
    name: String,
}

pub(super) fn cmd_show(context: &Context, args: &ShowArgs) -> Result<(), CommandError> {
    let layout = context.store.layout();
    let registry = Registry::load(&layout.registry())?;
    let name = find::workflow(&registry, &args.name)?;
    let Some(entry) = registry.get(&name) else { return Ok(()) };
    let mut value = json!({ "name": name, "hash": entry.hash, "timestamp": entry.timestamp });
    value["history"] = entry.history_value();
    if let Some(permissions) = &entry.permissions {
        value["permissions"] = permissions.to_value();
    }
    value["descriptor"] = match std::fs::read_to_string(layout.descriptor(&entry.hash)) {
        Ok(text) => yaml::decode(&text).unwrap_or(Value::Null),
        Err(_) => Value::Null,
    };
    match context.ui.json() {
        true => context.ui.value(&value),
        false => context.ui.write(yaml::encode(&value).as_bytes()),
    }
}
