use clap::Args;
use jiff::Timestamp;

use super::super::error::CommandError;
use super::super::{Context, find};
use crate::bundle::Registry;
use crate::http::bodies::{self, VersionRow};

/// List a workflow's versions, the current one first
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow history hello")]
pub(in super::super) struct HistoryArgs {
    /// The workflow
    name: String,
}

pub(super) fn cmd_history(context: &Context, args: &HistoryArgs) -> Result<(), CommandError> {
    let registry = Registry::load(&context.store.layout().registry())?;
    let name = find::workflow(&registry, &args.name)?;
    let Some(entry) = registry.get(&name) else { return Ok(()) };
    let rows = bodies::versions(entry);
    if context.ui.json() {
        return context.ui.value(&rows);
    }
    for VersionRow { hash, timestamp, current } in rows {
        let mark = if current { "\t(current)" } else { "" };
        context.ui.line(format!("{hash}\t{}{mark}", iso(timestamp)))?;
    }
    Ok(())
}

/// `2024-05-06T02:40:00.000Z`, as JavaScript's `toISOString` writes it.
pub(super) fn iso(ms: i64) -> String {
    match Timestamp::from_millisecond(ms) {
        Ok(timestamp) => timestamp.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string(),
        Err(_) => ms.to_string(),
    }
}
