use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::http::bodies::ToldBody;
use crate::worker::control::{self, Told};

/// Halt a thread after its current step
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow pause 01KB")]
pub(in super::super) struct PauseArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
}

pub(super) fn cmd_pause(context: &Context, args: &PauseArgs) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    let told = control::pause(&context.store, &context.workers, &thread)?;
    let text = match told {
        Told::Sent => format!("pause sent for thread {thread}"),
        _ => format!("thread {thread} is already paused"),
    };
    context.ui.said(text, &ToldBody { thread_id: thread, outcome: told.into() })
}
