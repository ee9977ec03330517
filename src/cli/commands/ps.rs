use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::http::bodies::{self, ThreadRows};

/// List the active threads: id, bundle hash, workflow, and `paused` or
/// `interrupted` where one does not run
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow ps
  uncaged-workflow ps --json")]
pub(in super::super) struct PsArgs {}

pub(super) fn cmd_ps(context: &Context, _args: &PsArgs) -> Result<(), CommandError> {
    let which = ThreadRows { active: true, ..ThreadRows::default() };
    let listing = bodies::threads(&context.store, &context.workers, &which)?;
    if context.ui.json() {
        context.ui.value(&listing.records)?;
    } else {
        for row in &listing.records {
            let state = if row.state == "running" { "" } else { &format!("\t{}", row.state) };
            context.ui.line(format!("{}\t{}\t{}{state}", row.thread_id, row.hash, row.name))?;
        }
    }
    find::warn(context, &listing.damage);
    Ok(())
}
