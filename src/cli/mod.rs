//! The command line: the only module that prints, reads the environment or
//! sets exit codes.
//!
//! One file a verb under `commands/`, its arguments and its function side by
//! side; the doc comment of the arguments is the help. Every verb has a long
//! spelling (`thread kill`) and most a short one (`kill`).

mod answers_files;
mod args;
mod ask;
mod changes;
mod commands;
mod error;
mod evaluate;
mod find;
mod permit;
mod progress;
mod recording;
mod render;
mod trial;
mod ui;
mod view;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use error::CommandError;

/// Runs the program and gives its exit code.
pub fn main() -> ExitCode {
    if let Some(code) = commands::internal::main() {
        return code;
    }
    if let Some(code) = trial::stand_in() {
        return code;
    }
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let context = match Context::new(&args.global) {
        Ok(context) => context,
        Err(error) => return error.report(),
    };
    match commands::run(&context, args.command) {
        Ok(code) => code,
        Err(error) => error.report(),
    }
}

/// The command tree: names, arguments, help. Completions and documents are made
/// of it, and whoever checks that an example is a valid command line needs it.
pub fn command() -> clap::Command {
    args::command()
}

/// What every command starts from.
#[derive(Clone)]
struct Context {
    store: crate::store::Store,
    workers: crate::worker::Client,
    ui: ui::Ui,
}

impl Context {
    fn new(global: &args::Global) -> Result<Context, CommandError> {
        let store = crate::store::Store::open(storage_root()?);
        let workers = crate::worker::Client::new(&store, program()?);
        let workers = workers.with_environment(environment());
        Ok(Context { store, workers, ui: ui::Ui::new(global.json) })
    }
}

/// `UNCAGED_WORKFLOW_STORAGE_ROOT`, else `WORKFLOW_STORAGE_ROOT`, else `~/.uncaged/workflow`.
fn storage_root() -> Result<PathBuf, CommandError> {
    for name in ["UNCAGED_WORKFLOW_STORAGE_ROOT", "WORKFLOW_STORAGE_ROOT"] {
        if let Some(root) = std::env::var_os(name).filter(|root| !root.is_empty()) {
            return std::path::absolute(&root)
                .map_err(|e| CommandError::user(format!("{name} is not a usable path: {e}")));
        }
    }
    match std::env::home_dir() {
        Some(home) if !home.as_os_str().is_empty() => Ok(home.join(".uncaged").join("workflow")),
        _ => Err(CommandError::user("there is no home directory to keep the store in")
            .hint("set UNCAGED_WORKFLOW_STORAGE_ROOT to a folder for the store")),
    }
}

/// This program's file, which workers and threads are started from.
fn program() -> Result<PathBuf, CommandError> {
    std::env::current_exe()
        .map_err(|e| CommandError::user(format!("cannot find this program's own file: {e}")))
}

/// What a thread started from here sees: our variables and working directory.
fn environment() -> crate::worker::protocol::Environment {
    let text = |text: std::ffi::OsString| text.into_string().ok();
    crate::worker::protocol::Environment {
        variables: std::env::vars_os().filter_map(|(k, v)| Some((text(k)?, text(v)?))).collect(),
        directory: std::env::current_dir().ok().and_then(|dir| text(dir.into_os_string())),
    }
}
