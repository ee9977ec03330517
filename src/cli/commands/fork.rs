use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::engine;
use crate::worker::control;

/// Start a new thread from an earlier point of another
///
/// The new thread shares the steps it keeps; nothing is copied.
#[derive(Args, Debug)]
pub(in super::super) struct ForkArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
    /// Keep all up to and including the first step of this role; all but the
    /// last step where it is left out
    #[arg(long, value_name = "ROLE")]
    from_role: Option<String>,
}

pub(super) fn cmd_fork(context: &Context, args: &ForkArgs) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    let forked =
        engine::fork(&context.store, &thread, args.from_role.as_deref(), engine::now_ms())?;
    if context.ui.json() {
        let (id, bundle) = (&forked.thread, forked.bundle);
        context.ui.value(&json!({ "threadId": id, "hash": bundle, "forkedFrom": thread }))?;
    } else {
        context.ui.line(&forked.thread)?;
    }
    control::execute(&context.workers, &forked.bundle, &forked.thread)?;
    Ok(())
}
