use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find, view};
use super::add::{add_file, name_of, read};
use super::cas::{stdin, utf8};
use crate::bundle::{Registry, parse_size};
use crate::engine::{self, Limits, NewThread, Permit, Resolved};
use crate::http::bodies::StartedBody;
use crate::object::WorkflowName;
use crate::worker::control;

/// Start a thread of a workflow and print its id
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow run hello --prompt \"Say hello\" --wait
  uncaged-workflow run ./hello.esm.js --wait     adds the bundle first
  git diff | uncaged-workflow run review --prompt - --max-rounds 4")]
pub(in super::super) struct RunArgs {
    /// The workflow, or a bundle's file; the only registered workflow where it is left out
    #[arg(value_name = "NAME|FILE")]
    name: Option<String>,
    /// The task; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Read the task from a file
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    prompt_file: Option<PathBuf>,
    /// Steps that this thread may take at one go; it is then cut off with code 0,
    /// before the bundle's own `return`
    #[arg(long, value_name = "N", default_value_t = engine::DEFAULT_MAX_ROUNDS)]
    max_rounds: u64,
    /// Memory that its objects, and once more its buffers, may take; 512MB, or
    /// `config.heapLimit` of workflow.yaml, where it is left out
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    heap_limit: Option<u64>,
    /// Show the steps as they come and exit with the thread's return code; Ctrl-C
    /// ends the thread (`live` only watches)
    #[arg(long)]
    wait: bool,
}

pub(super) fn cmd_run(context: &Context, args: &RunArgs) -> Result<ExitCode, CommandError> {
    let prompt = prompt(args.prompt.as_deref(), args.prompt_file.as_deref())?.unwrap_or_default();
    let (workflow, Resolved { bundle, permissions }) = target(context, args.name.as_deref())?;
    let max_rounds = args.max_rounds;
    let limits = Limits { permissions, heap_limit: args.heap_limit };
    let (depth, parent_state) = (0, None);
    let new = NewThread { workflow, bundle, prompt, max_rounds, depth, parent_state, limits };
    let thread = control::start(&context.store, &context.workers, &new)?;
    match (context.ui.json(), args.wait) {
        (false, _) => context.ui.line(&thread)?,
        (true, false) => {
            context.ui.value(&StartedBody { thread_id: thread.clone(), hash: bundle })?;
        }
        // The first of the records that follow says it.
        (true, true) => {}
    }
    match args.wait {
        true => view::wait(context, &thread),
        false => Ok(ExitCode::SUCCESS),
    }
}

/// The task that `--prompt` or `--prompt-file` gives.
pub(super) fn prompt(
    text: Option<&str>,
    file: Option<&Path>,
) -> Result<Option<String>, CommandError> {
    Ok(match (text, file) {
        (Some("-"), _) => Some(stdin()?),
        (Some(text), _) => Some(text.to_owned()),
        (None, Some(file)) => Some(utf8(read(file)?)?),
        (None, None) => None,
    })
}

fn target(context: &Context, name: Option<&str>) -> Result<(WorkflowName, Resolved), CommandError> {
    if let Some(file) = name.filter(|name| is_file(name)) {
        let file = Path::new(file);
        if file.is_dir() {
            let message = format!("{} is a folder; name a bundle's file", file.display());
            return Err(CommandError::user(message));
        }
        let name = name_of(file)?;
        let added = add_file(context, &name, file, None, &Permit::Keep)?;
        let resolved = Resolved { bundle: added.hash, permissions: added.permissions };
        return Ok((name, resolved));
    }
    let registry = Registry::load(&context.store.layout().registry())?;
    let name = match name {
        Some(name) => find::workflow(&registry, name)?,
        None => only(&registry)?,
    };
    let resolved = engine::resolve_workflow(&context.store, &name)?;
    Ok((name, resolved))
}

fn is_file(name: &str) -> bool {
    name.contains(['/', '\\', '.'])
}

fn only(registry: &Registry) -> Result<WorkflowName, CommandError> {
    let names: Vec<WorkflowName> = registry.names().cloned().collect();
    match names.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(CommandError::user("no workflow is registered")
            .hint("`uncaged-workflow add <file.esm.js>` registers one")),
        several => {
            let list: Vec<&str> = several.iter().map(WorkflowName::as_str).collect();
            Err(CommandError::usage("several workflows are registered; name one")
                .hint(list.join(", ")))
        }
    }
}
