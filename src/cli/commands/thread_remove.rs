use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::{Context, find};
use super::gc::collect;
use crate::store::gc::GcOptions;

/// Remove a thread, then collect the garbage it leaves
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow thread rm 01KB")]
pub(in super::super) struct ThreadRemoveArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
}

pub(super) fn cmd_thread_remove(
    context: &Context,
    args: &ThreadRemoveArgs,
) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    let Some(located) = context.store.find_thread(&thread)? else {
        return Err(CommandError::user(format!("there is no thread {thread}")));
    };
    // Held meanwhile, so that nobody resumes what is being removed.
    let Some(claim) = context.store.claim(&located.bundle, &thread)? else {
        return Err(CommandError::user(format!("thread {thread} is running"))
            .hint(format!("`uncaged-workflow kill {thread}` ends it first")));
    };
    context.store.remove_thread(&thread)?;
    claim.release()?;
    context.ui.said(format!("removed thread {thread}"), &json!({ "threadId": thread }))?;
    collect(context, GcOptions::default())?;
    Ok(())
}
