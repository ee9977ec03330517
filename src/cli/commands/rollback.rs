use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::bundle::{Registry, closest_beginning};
use crate::object::Hash;

/// Point a workflow at an earlier version
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow rollback hello           to the version before the current one
  uncaged-workflow rollback hello C9NM      to the version whose hash begins so")]
pub(in super::super) struct RollbackArgs {
    /// The workflow
    name: String,
    /// The version; the one before the current where it is left out
    hash: Option<String>,
}

pub(super) fn cmd_rollback(context: &Context, args: &RollbackArgs) -> Result<(), CommandError> {
    let path = context.store.layout().registry();
    let registry = Registry::load(&path)?;
    let name = find::workflow(&registry, &args.name)?;
    let hash = match &args.hash {
        Some(text) => Some(version(&registry, &name, text)?),
        None => None,
    };
    let hash = Registry::update(&path, |registry| registry.rollback(&name, hash))?;
    let said = format!("rolled back workflow \"{name}\" to {hash}");
    context.ui.said(said, &json!({ "name": name, "hash": hash }))
}

/// The version of a workflow that `text` names, or is a unique beginning of.
fn version(
    registry: &Registry,
    name: &crate::object::WorkflowName,
    text: &str,
) -> Result<Hash, CommandError> {
    let upper = text.to_ascii_uppercase();
    let history = registry.get(name).map(|entry| entry.history.as_slice()).unwrap_or_default();
    let mut matches = history.iter().map(|v| v.hash).filter(|h| h.as_str().starts_with(&upper));
    match (matches.next(), matches.next()) {
        (Some(hash), None) if !text.is_empty() => Ok(hash),
        (Some(_), _) => {
            Err(CommandError::user(format!("`{text}` is the beginning of several versions"))
                .hint(format!("`uncaged-workflow history {name}` lists them")))
        }
        (None, _) => {
            let error = CommandError::user(format!("`{name}` has no earlier version {text}"));
            let known = history.iter().map(|version| version.hash.as_str());
            Err(find::did_you_mean(error, closest_beginning(text, known))
                .hint(format!("`uncaged-workflow history {name}` lists them")))
        }
    }
}
