use clap::Args;

use super::super::Context;
use super::super::error::CommandError;
use super::super::progress::Progress;
use crate::http::bodies::GcBody;
use crate::store::gc::{self, GcOptions, GcProgress, GcReport};

/// Delete every blob that no thread refers to
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow gc --dry-run
  uncaged-workflow gc")]
pub(in super::super) struct GcArgs {
    /// Only say what would be deleted
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn cmd_gc(context: &Context, args: &GcArgs) -> Result<(), CommandError> {
    let report = collect(context, GcOptions { dry_run: args.dry_run })?;
    if context.ui.json() {
        return context.ui.value(&GcBody::from(report));
    }
    if args.dry_run {
        for hash in &report.deleted_hashes {
            context.ui.line(hash)?;
        }
    }
    let verb = if args.dry_run { "would delete" } else { "deleted" };
    context.ui.line(format!(
        "scanned {} threads, {} active refs, {verb} {} entries",
        report.scanned_threads, report.active_refs, report.deleted_entries
    ))
}

pub(super) fn collect(context: &Context, options: GcOptions) -> Result<GcReport, CommandError> {
    let progress = Progress::new();
    let report = gc::collect(&context.store, options, &|at| match at {
        GcProgress::Mark { done, total } => progress.at("reading", done, total),
        GcProgress::Sweep { done, total } => progress.at("deleting", done, total),
    });
    progress.clear();
    Ok(report?)
}
