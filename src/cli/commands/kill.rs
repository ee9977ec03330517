use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::worker::control::{self, Told};

/// End a thread at once, as code 130
#[derive(Args, Debug)]
pub(in super::super) struct KillArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
}

pub(super) fn cmd_kill(context: &Context, args: &KillArgs) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    match control::kill(&context.store, &context.workers, &thread)? {
        Told::Sent => context.ui.line(format!("kill sent for thread {thread}")),
        _ => context.ui.line(format!("thread {thread} is already ending")),
    }
}
