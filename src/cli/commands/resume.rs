use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::http::bodies::ToldBody;
use crate::object::ThreadId;
use crate::worker::control::{self, Told};

/// Continue a paused or interrupted thread from its newest step
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow resume 01KB
  uncaged-workflow resume --all            after a crash of the machine")]
pub(in super::super) struct ResumeArgs {
    /// The thread's id, or a unique beginning of it
    #[arg(required_unless_present = "all")]
    id: Option<String>,
    /// Continue every interrupted thread
    #[arg(long, conflicts_with = "id")]
    all: bool,
}

pub(super) fn cmd_resume(context: &Context, args: &ResumeArgs) -> Result<(), CommandError> {
    if let Some(id) = &args.id {
        let thread = find::thread(context, id)?;
        return resume(context, &thread);
    }
    let mut failed = None;
    let listing = context.store.active_threads()?;
    find::warn(context, &listing.damage);
    for (bundle, thread, _) in listing.records {
        // A claim alone says little: right after a crash, a dying process may hold it.
        let known = context.workers.status(&bundle).ok().flatten().unwrap_or_default();
        if known.iter().any(|status| status.thread == thread) {
            continue;
        }
        if let Err(error) = resume(context, &thread) {
            error.report();
            failed = Some(thread);
        }
    }
    match failed {
        None => Ok(()),
        Some(_) => Err(CommandError::user("not every interrupted thread could be resumed")),
    }
}

fn resume(context: &Context, thread: &ThreadId) -> Result<(), CommandError> {
    let told = control::resume(&context.store, &context.workers, thread)?;
    let text = match told {
        Told::Sent => format!("resume sent for thread {thread}"),
        Told::Already => format!("thread {thread} is already running"),
        Told::Ended => format!("thread {thread} has already ended"),
    };
    context.ui.said(text, &ToldBody { thread_id: thread.clone(), outcome: told.into() })
}
