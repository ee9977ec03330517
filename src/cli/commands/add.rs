use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::evaluate::evaluate_unless;
use super::super::permit::PermitArgs;
use super::super::{Context, render};
use crate::bundle::Grants;
use crate::engine::{self, AddOptions, Added, Permit};
use crate::object::WorkflowName;

/// Check a bundle and register it under its hash
///
/// The same file added twice is one version. Earlier versions stay and can be
/// rolled back to.
///
/// A bundle may do whatever you may. With one of the permission flags it may do
/// what they grant and nothing else; a refusal is an error that it can catch, and
/// that says how to grant what was refused. The permissions belong to the name:
/// later bundles keep them until new flags replace all of them. Threads keep those
/// that they started with, also when they are resumed or forked.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow add hello.esm.js            registers `hello`
  uncaged-workflow add greeter hello.esm.js    registers `greeter`
  uncaged-workflow add hello.esm.js --allow-read=data --allow-net=api.example.com")]
pub(in super::super) struct AddArgs {
    /// [NAME] FILE: the name comes from the file's where it is left out
    #[arg(required = true, num_args = 1..=2, value_name = "NAME|FILE")]
    target: Vec<String>,
    /// Type declarations to keep beside the bundle
    #[arg(long, value_name = "FILE")]
    types: Option<PathBuf>,
    #[command(flatten)]
    permit: PermitArgs,
}

pub(super) fn cmd_add(context: &Context, args: &AddArgs) -> Result<(), CommandError> {
    let (name, file) = match args.target.as_slice() {
        [name, file] => (name.parse()?, Path::new(file)),
        [file] => (name_of(Path::new(file))?, Path::new(file)),
        _ => return Err(CommandError::usage("give a name and a file")),
    };
    let permit = args.permit.permit()?;
    let added = add_file(context, &name, file, args.types.as_deref(), &permit)?;
    if context.ui.json() {
        let mut value = json!({ "name": name, "file": file, "hash": added.hash });
        if let Some(permissions) = &added.permissions {
            value["permissions"] = permissions.to_value();
        }
        return context.ui.value(&value);
    }
    let file = file.display();
    context.ui.line(format!("registered workflow \"{name}\" from {file} as {}", added.hash))
}

/// Adds the bundle in `file`; its warnings go to standard error.
pub(super) fn add_file(
    context: &Context,
    name: &WorkflowName,
    file: &Path,
    types: Option<&Path>,
    permit: &Permit,
) -> Result<Added, CommandError> {
    let added = store_file(context, name, file, types, permit, &|| false)?;
    for warning in render::findings(&file.display().to_string(), &added.report) {
        context.ui.note(warning);
    }
    if let (Permit::Keep, Some(kept)) = (permit, &added.permissions) {
        context.ui.note(keeps(name, kept));
    }
    Ok(added)
}

/// What to say where a name keeps the permissions that it had.
pub(in super::super) fn keeps(name: &WorkflowName, kept: &Grants) -> String {
    format!("note: \"{name}\" keeps its permissions: {}", kept.to_flags())
}

/// The same without a word about warnings, and for as long as nobody has `given_up`.
pub(in super::super) fn store_file(
    context: &Context,
    name: &WorkflowName,
    file: &Path,
    types: Option<&Path>,
    permit: &Permit,
    given_up: &dyn Fn() -> bool,
) -> Result<Added, CommandError> {
    let source = read(file)?;
    let options = AddOptions {
        name: name.clone(),
        file_name: file.display().to_string(),
        source: source.clone(),
        types: types.map(read).transpose()?,
        permit: permit.clone(),
        now_ms: engine::now_ms(),
    };
    let evaluate = |file: &Path, source: &[u8]| evaluate_unless(given_up, file, source);
    engine::add(&context.store, options, &evaluate)
        .map_err(|error| render::add_error(&file.display().to_string(), &source, error))
}

/// The workflow's name that a file's name suggests.
pub(in super::super) fn name_of(file: &Path) -> Result<WorkflowName, CommandError> {
    let file_name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = file_name.split('.').next().unwrap_or_default();
    stem.parse().map_err(|_| {
        CommandError::user(format!("`{stem}` is not a workflow name")).hint(format!(
            "name it yourself: uncaged-workflow add <name> {}; names are lower-case words joined by `-`",
            file.display()
        ))
    })
}

pub(in super::super) fn read(file: &Path) -> Result<Vec<u8>, CommandError> {
    std::fs::read(file)
        .map_err(|error| CommandError::user(format!("cannot read {}: {error}", file.display())))
}

/// Runs a future on this thread, as an isolate needs it.
pub(in super::super) fn block_on<F: Future>(future: F) -> Result<F::Output, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| CommandError::user(format!("cannot start: {e}")))?;
    let output = runtime.block_on(future);
    // What a bundle still reads or waits for on another OS thread is nobody's
    // business any more; without this it would be waited for.
    runtime.shutdown_background();
    Ok(output)
}
