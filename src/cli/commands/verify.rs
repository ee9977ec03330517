use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::super::Context;
use super::super::error::CommandError;
use super::super::progress::Progress;
use crate::bundle::Registry;
use crate::object::Hash;
use crate::store::causes;
use crate::store::verify::{Problem, Referrer, verify};

/// Hash every blob again, walk every thread, and name what is missing or damaged
///
/// Exits with 1 where something is.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow cas verify
  uncaged-workflow cas verify --json")]
pub(in super::super) struct VerifyArgs {}

pub(super) fn cmd_verify(context: &Context, _args: &VerifyArgs) -> Result<ExitCode, CommandError> {
    let progress = Progress::new();
    let report = verify(&context.store, &|done, total| progress.at("reading", done, total));
    progress.clear();
    let report = report?;
    let registry = Registry::load(&context.store.layout().registry());
    let missing = missing_bundles(context, registry.as_ref().ok())?;
    let registry = registry.err();
    let (blobs, threads) = (report.blobs, report.threads);
    let count = report.problems.len() + missing.len() + usize::from(registry.is_some());
    if context.ui.json() {
        let mut problems: Vec<Value> = report.problems.iter().map(value).collect();
        let bundle =
            |(hash, by)| json!({ "kind": "missing-bundle", "hash": hash, "neededBy": [by] });
        problems.extend(missing.iter().map(bundle));
        let broken = |error| json!({ "kind": "registry", "problem": causes(error) });
        problems.extend(registry.iter().map(|error| broken(error)));
        let report = json!({ "blobs": blobs, "threads": threads, "problems": problems });
        context.ui.value(&report)?;
    } else {
        for problem in &report.problems {
            context.ui.line(text(problem))?;
        }
        for (bundle, by) in &missing {
            context.ui.line(format!("missing bundle {bundle}, needed by {by}"))?;
        }
        if let Some(error) = &registry {
            context.ui.line(format!("damaged registry: {}", causes(error)))?;
        }
        context
            .ui
            .line(format!("verified {blobs} blobs and {threads} threads: {count} problems"))?;
    }
    Ok(ExitCode::from(u8::from(count > 0)))
}

/// The bundles that are not there, with who needs each first: a workflow, or an
/// active thread.
fn missing_bundles(
    context: &Context,
    registry: Option<&Registry>,
) -> Result<BTreeMap<Hash, String>, CommandError> {
    let mut needed: BTreeMap<Hash, String> = BTreeMap::new();
    for (name, workflow) in registry.into_iter().flat_map(Registry::workflows) {
        needed.entry(workflow.hash).or_insert_with(|| format!("workflow \"{name}\""));
    }
    for (bundle, thread, _) in context.store.active_threads()?.records {
        needed.entry(bundle).or_insert_with(|| format!("thread {thread}"));
    }
    needed.retain(|bundle, _| !context.store.layout().bundle(bundle).exists());
    Ok(needed)
}

fn text(problem: &Problem) -> String {
    match problem {
        Problem::Index(damage) => format!("damaged index: {damage}"),
        Problem::DamagedBlob { hash, path, referrers } => {
            format!("damaged blob {hash}: {}{}", path.display(), needed_by(referrers))
        }
        Problem::MissingBlob { hash, referrers } => {
            format!("missing blob {hash}{}", needed_by(referrers))
        }
        Problem::WrongNode { hash, referrers } => {
            format!("blob {hash} is a node of another kind{}", needed_by(referrers))
        }
        Problem::DamagedBundle { hash, path } => {
            format!("damaged bundle {hash}: {}", path.display())
        }
    }
}

fn needed_by(referrers: &[Referrer]) -> String {
    let names: Vec<String> = referrers.iter().map(name).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(", needed by {}", names.join(", ")),
    }
}

fn name(referrer: &Referrer) -> String {
    match referrer {
        Referrer::Head(thread) => format!("thread {thread} (head)"),
        Referrer::Start(thread) => format!("thread {thread} (start)"),
        Referrer::Blob(hash) => format!("blob {hash}"),
    }
}

fn value(problem: &Problem) -> Value {
    let named = |referrers: &[Referrer]| referrers.iter().map(name).collect::<Vec<_>>();
    match problem {
        Problem::Index(damage) => {
            json!({ "kind": "index", "path": damage.path, "line": damage.line, "problem": damage.problem })
        }
        Problem::DamagedBlob { hash, path, referrers } => {
            json!({ "kind": "damaged-blob", "hash": hash, "path": path, "neededBy": named(referrers) })
        }
        Problem::MissingBlob { hash, referrers } => {
            json!({ "kind": "missing-blob", "hash": hash, "neededBy": named(referrers) })
        }
        Problem::WrongNode { hash, referrers } => {
            json!({ "kind": "wrong-node", "hash": hash, "neededBy": named(referrers) })
        }
        Problem::DamagedBundle { hash, path } => {
            json!({ "kind": "damaged-bundle", "hash": hash, "path": path })
        }
    }
}
