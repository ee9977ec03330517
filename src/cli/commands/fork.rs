use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::bundle::parse_size;
use crate::engine;
use crate::history::Keep;
use crate::worker::control;

/// Start a new thread from an earlier point of another
///
/// The new thread shares the steps it keeps; nothing is copied. It has the old
/// one's permissions.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow fork 01KB                      tries the last step again
  uncaged-workflow fork 01KB --from-role coder    tries again what came after the first coder
  uncaged-workflow fork 01KB --all                goes on where it failed")]
pub(in super::super) struct ForkArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
    /// Keep all up to and including the first step of this role; all but the
    /// last step where it is left out
    #[arg(long, value_name = "ROLE")]
    from_role: Option<String>,
    /// Keep every step, to go on after the last: for a thread that failed or was
    /// killed between two steps
    #[arg(long, conflicts_with = "from_role")]
    all: bool,
    /// Memory for the new thread; as much as the old one had where it is left out
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    heap_limit: Option<u64>,
}

pub(super) fn cmd_fork(context: &Context, args: &ForkArgs) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    let keep = match &args.from_role {
        Some(role) => Keep::Through(role),
        None if args.all => Keep::All,
        None => Keep::AllButLast,
    };
    let now = engine::now_ms();
    let forked = engine::fork(&context.store, &thread, keep, args.heap_limit, now)?;
    if context.ui.json() {
        let (id, bundle) = (&forked.thread, forked.bundle);
        context.ui.value(&json!({ "threadId": id, "hash": bundle, "forkedFrom": thread }))?;
    } else {
        context.ui.line(&forked.thread)?;
    }
    control::execute(&context.workers, &forked.bundle, &forked.thread)?;
    Ok(())
}
