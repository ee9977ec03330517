use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use super::kill::active;
use crate::worker::Obeyed;

/// Halt a thread after its current step
#[derive(Args, Debug)]
pub(in super::super) struct PauseArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
}

pub(super) fn cmd_pause(context: &Context, args: &PauseArgs) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    let bundle = active(&context.store, &thread)?;
    match context.workers.pause(&bundle, &thread)? {
        Obeyed::Done => context.ui.line(format!("pause sent for thread {thread}")),
        Obeyed::Already => context.ui.line(format!("thread {thread} is already paused")),
        Obeyed::Ending => Err(CommandError::user(format!("thread {thread} is just ending"))),
        Obeyed::NotRunning => Err(CommandError::user(format!("thread {thread} is not running"))
            .hint(format!("`uncaged-workflow resume {thread}` continues it"))),
    }
}
