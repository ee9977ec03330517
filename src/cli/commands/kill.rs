use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::engine;
use crate::object::{Hash, ThreadId};
use crate::store::{Claim, Record, Store};
use crate::worker::{Obeyed, descendants};

/// How long the processes of a thread that nobody runs may take to go.
const LEFTOVERS: Duration = Duration::from_secs(2);

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
    let say = |text: String, kill: &str| {
        context.ui.said(text, &json!({ "threadId": thread, "kill": kill }))
    };
    match kill(context, &thread)? {
        true => say(format!("kill sent for thread {thread}"), "sent"),
        false => say(format!("thread {thread} is already ending"), "ending"),
    }
}

/// Ends a thread, whoever runs it or nobody; `false` where it is ending already.
pub(in super::super) fn kill(context: &Context, thread: &ThreadId) -> Result<bool, CommandError> {
    let store = &context.store;
    let bundle = active(store, thread)?;
    match context.workers.kill(&bundle, thread)? {
        Obeyed::Done => return Ok(true),
        Obeyed::Already | Obeyed::Ending => return Ok(false),
        // Nobody runs it, so nobody but us can end it.
        Obeyed::NotRunning => {}
    }
    let Some(claim) = claim(store, &bundle, thread)? else {
        return Err(
            CommandError::user(format!("thread {thread} is just being started")).hint("try again")
        );
    };
    descendants::kill_leftovers(thread, LEFTOVERS);
    let (code, summary) = (engine::KILLED, engine::KILLED_SUMMARY);
    engine::end_thread(store, &bundle, thread, code, summary, None, engine::now_ms())?;
    claim.release()?;
    Ok(true)
}

/// The claim on a thread without a worker. Its last process may just be dying.
fn claim(store: &Store, bundle: &Hash, thread: &ThreadId) -> Result<Option<Claim>, CommandError> {
    let deadline = Instant::now() + LEFTOVERS;
    loop {
        let claim = store.claim(bundle, thread)?;
        if claim.is_some() || Instant::now() > deadline {
            return Ok(claim);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The bundle of an active thread.
pub(super) fn active(store: &Store, thread: &ThreadId) -> Result<Hash, CommandError> {
    match store.find_thread(thread)? {
        Some(located) if matches!(located.record, Record::Active(_)) => Ok(located.bundle),
        Some(_) => Err(CommandError::user(format!("thread {thread} has already ended"))
            .hint(format!("`uncaged-workflow thread {thread}` shows how"))),
        None => Err(CommandError::user(format!("there is no thread {thread}"))),
    }
}
