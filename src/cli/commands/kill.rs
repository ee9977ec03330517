use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::http::bodies::ToldBody;
use crate::worker::control::{self, Told};

/// End a thread at once, as code 130
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow kill 01KB")]
pub(in super::super) struct KillArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
}

pub(super) fn cmd_kill(context: &Context, args: &KillArgs) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    let told = control::kill(&context.store, &context.workers, &thread)?;
    let text = match told {
        Told::Sent => format!("kill sent for thread {thread}"),
        _ => format!("thread {thread} is already ending"),
    };
    context.ui.said(text, &ToldBody { thread_id: thread, outcome: told.into() })
}
