use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::bundle::Registry;
use crate::http::bodies;
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
    let registry = Registry::load(&context.store.layout().registry())?;
    let name = find::workflow(&registry, &args.name)?;
    let Some(body) = bodies::workflow(&context.store, &registry, &name) else { return Ok(()) };
    match context.ui.json() {
        true => context.ui.value(&body),
        false => {
            let value = serde_json::to_value(body).map_err(CommandError::internal)?;
            context.ui.write(yaml::encode(&value).as_bytes())
        }
    }
}
