use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::http::bodies;

/// Show one thread as JSON: its start and its steps
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow thread 01KB             any unique beginning of the id
  uncaged-workflow thread 01KB --last 1")]
pub(in super::super) struct ThreadShowArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
    /// Only the newest N steps
    #[arg(long, value_name = "N")]
    last: Option<usize>,
}

pub(super) fn cmd_thread_show(
    context: &Context,
    args: &ThreadShowArgs,
) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    match bodies::thread(&context.store, &thread, args.last)? {
        Some(body) => context.ui.value(&body),
        None => Err(CommandError::user(format!("there is no thread {thread}"))),
    }
}
