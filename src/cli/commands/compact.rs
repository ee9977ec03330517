use std::path::Path;

use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::{Context, find};
use super::add::read;
use super::cas::utf8;
use crate::{engine, history};

/// Stand a summary in for a thread's earlier steps
///
/// A context that is built from the thread, such as buildThreadContext() gives,
/// begins after the summary; the steps themselves stay and can still be shown.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow thread compact 01KB --summary \"The plan is made\" --keep 2
  uncaged-workflow thread compact 01KB --summary summary.md")]
pub(in super::super) struct CompactArgs {
    /// The thread's id, or a unique beginning of it
    id: String,
    /// The newest steps to keep beside the summary
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep: usize,
    /// The summary, or the name of a file that holds it
    #[arg(long, value_name = "TEXT|FILE")]
    summary: String,
}

pub(super) fn cmd_compact(context: &Context, args: &CompactArgs) -> Result<(), CommandError> {
    let thread = find::thread(context, &args.id)?;
    let file = Path::new(&args.summary);
    let summary = match file.is_file() {
        true => utf8(read(file)?)?,
        false => args.summary.clone(),
    };
    let head = history::compact(&context.store, &thread, args.keep, &summary, engine::now_ms())?;
    let said = format!("compacted thread {thread}: {head}");
    context.ui.said(said, &json!({ "threadId": thread, "head": head }))
}
