use clap::Args;

use super::super::Context;
use super::super::error::CommandError;
use crate::bundle::Registry;
use crate::http::bodies;

/// List the registered workflows: name, bundle hash, when (ms since 1970)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow list
  uncaged-workflow list --json")]
pub(in super::super) struct ListArgs {}

pub(super) fn cmd_list(context: &Context, _args: &ListArgs) -> Result<(), CommandError> {
    let registry = Registry::load(&context.store.layout().registry())?;
    let rows = bodies::workflows(&registry);
    if context.ui.json() {
        return context.ui.value(&rows);
    }
    for row in rows {
        context.ui.line(format!("{}\t{}\t{}", row.name, row.hash, row.timestamp))?;
    }
    Ok(())
}
