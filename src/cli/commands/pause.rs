use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::worker::control::{self, Told};

/// Halt a thread after its current step
#[derive(Args, Debug)]
pub(in super::super) struct PauseArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
}

pub(super) fn cmd_pause(context: &Context, args: &PauseArgs) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    match control::pause(&context.store, &context.workers, &thread)? {
        Told::Sent => context.ui.line(format!("pause sent for thread {thread}")),
        _ => context.ui.line(format!("thread {thread} is already paused")),
    }
}
