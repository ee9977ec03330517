use std::process::ExitCode;

use clap::Args;

use super::super::error::CommandError;
use super::super::view::{self, ViewOptions};
use super::super::{Context, find};
use crate::store::Record;

/// Watch a thread's steps as they come
///
/// Ctrl-C stops watching; the thread goes on.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow live --latest
  uncaged-workflow live 01KB --role coder
  uncaged-workflow live 01KB --debug")]
pub(in super::super) struct LiveArgs {
    /// The thread's id, or a unique beginning of it
    #[arg(required_unless_present = "latest")]
    id: Option<String>,
    /// The thread that was started last
    #[arg(long, conflicts_with = "id")]
    latest: bool,
    /// Also show the lines of the thread's log
    #[arg(long)]
    debug: bool,
    /// Only the steps of this role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
}

pub(super) fn cmd_live(context: &Context, args: &LiveArgs) -> Result<ExitCode, CommandError> {
    let thread = match &args.id {
        Some(id) => find::thread(context, id)?,
        None => latest(context)?,
    };
    let options =
        ViewOptions { debug: args.debug, role: args.role.clone(), ..ViewOptions::default() };
    view::live(context, &thread, &options)
}

fn latest(context: &Context) -> Result<crate::object::ThreadId, CommandError> {
    let threads = crate::engine::all_threads(&context.store)?.records;
    let newest = threads.into_iter().max_by_key(|(_, thread, record)| {
        let since = match record {
            Record::Active(entry) => entry.updated_at,
            Record::Completed(done) => done.completed_at,
        };
        (thread.timestamp_ms().map_or(since, |ms| ms as i64), thread.clone())
    });
    newest.map(|(_, thread, _)| thread).ok_or_else(|| {
        CommandError::user("there is no thread yet").hint("`uncaged-workflow run` starts one")
    })
}
