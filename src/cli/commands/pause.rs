use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::{Context, find};
use super::kill::active;
use crate::worker::Obeyed;

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
    let bundle = active(&context.store, &thread)?;
    let say = |text: String, pause: &str| {
        context.ui.said(text, &json!({ "threadId": thread, "pause": pause }))
    };
    match context.workers.pause(&bundle, &thread)? {
        Obeyed::Done => say(format!("pause sent for thread {thread}"), "sent"),
        Obeyed::Already => say(format!("thread {thread} is already paused"), "already"),
        Obeyed::Ending => Err(CommandError::user(format!("thread {thread} is just ending"))),
        Obeyed::NotRunning => Err(CommandError::user(format!("thread {thread} is not running"))
            .hint(format!("`uncaged-workflow resume {thread}` continues it"))),
    }
}
