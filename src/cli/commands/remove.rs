use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::bundle::Registry;

/// Take a workflow's name out of the registry
///
/// Its bundles and threads stay; adding the file again brings the name back.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow remove hello")]
pub(in super::super) struct RemoveArgs {
    /// The workflow
    name: String,
}

pub(super) fn cmd_remove(context: &Context, args: &RemoveArgs) -> Result<(), CommandError> {
    let path = context.store.layout().registry();
    let name = find::workflow(&Registry::load(&path)?, &args.name)?;
    Registry::update(&path, |registry| registry.remove(&name))?;
    context.ui.said(format!("removed workflow \"{name}\""), &json!({ "name": name }))
}
