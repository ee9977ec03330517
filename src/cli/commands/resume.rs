use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::{Context, find};
use super::kill::active;
use super::run::execute;
use crate::engine::{self, Limits};
use crate::history::Chain;
use crate::object::{Hash, ThreadId};
use crate::worker::{Execution, Obeyed};

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
        let bundle = active(&context.store, &thread)?;
        return resume(context, &bundle, &thread);
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
        if let Err(error) = resume(context, &bundle, &thread) {
            error.report();
            failed = Some(thread);
        }
    }
    match failed {
        None => Ok(()),
        Some(_) => Err(CommandError::user("not every interrupted thread could be resumed")),
    }
}

fn resume(context: &Context, bundle: &Hash, thread: &ThreadId) -> Result<(), CommandError> {
    let say = |text: String, resume: &str| {
        context.ui.said(text, &json!({ "threadId": thread, "resume": resume }))
    };
    let sent = || say(format!("resume sent for thread {thread}"), "sent");
    let already = || say(format!("thread {thread} is already running"), "already");
    match context.workers.resume(bundle, thread)? {
        Obeyed::Done => return sent(),
        Obeyed::Already => return already(),
        Obeyed::Ending => {
            return Err(CommandError::user(format!("thread {thread} is just ending")));
        }
        Obeyed::NotRunning => {}
    }
    // Said here, where somebody reads it, and not only in the thread's log.
    engine::load_bundle(&context.store, bundle)?;
    Limits::read(&context.store, bundle, thread)?;
    if let Some(located) = context.store.find_thread(thread)? {
        Chain::load(&context.store, located.record.head())?;
    }
    match execute(context, bundle, thread)? {
        Execution::Started => sent(),
        Execution::AlreadyRunning => already(),
        Execution::Ended => say(format!("thread {thread} has already ended"), "ended"),
    }
}
