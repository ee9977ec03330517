use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::bundle::Registry;
use crate::http::bodies::{self, ThreadRows};

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
    if context.ui.json() {
        let which = ThreadRows { workflow: args.name.clone(), ..ThreadRows::default() };
        let listing = bodies::threads(&context.store, &context.workers, &which)?;
        context.ui.value(&listing.records)?;
        find::warn(context, &listing.damage);
        return Ok(());
    }
    let listing = bodies::named_threads(&context.store, args.name.as_deref())?;
    for ((bundle, thread, _), name) in &listing.records {
        context.ui.line(format!("{thread}\t{bundle}\t{name}"))?;
    }
    find::warn(context, &listing.damage);
    Ok(())
}
