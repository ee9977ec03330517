use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;

use super::super::changes::{Stops, Why};
use super::super::error::CommandError;
use super::super::recording::{self, Replay};
use super::super::trial::{Running, TrialOptions, read_answers};
use super::super::{Context, render, view};
use super::add::block_on;
use super::run::prompt;
use crate::engine::{Completion, DEFAULT_MAX_ROUNDS};
use crate::script::{Answering, Happened, Recording, Script};

/// Run a bundle that you are working on, in a store of its own
///
/// The bundle is checked as `add` does, run like any other, and shown step by
/// step; the store is temporary. Its file has its own path in stacks, in
/// debuggers and as `import.meta.url`.
///
/// Models and child workflows are those of your store. With `--answers` models
/// and the agent programs (`cursor-agent`, `hermes` and those that the file
/// names) answer from a file, and nothing needs to be configured; a request
/// without an answer fails the thread and shows what to add. Requests that the
/// bundle sends by itself go there if they honour OPENAI_BASE_URL, which is set.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow dev triage.esm.js --prompt \"It crashes\"
  uncaged-workflow dev triage.esm.js --answers triage.answers.yaml --watch
  uncaged-workflow dev triage.esm.js --prompt \"It crashes\" --record triage.answers.yaml
  uncaged-workflow dev triage.esm.js --inspect     then open chrome://inspect

An answers file:
  prompt: \"It crashes when I rotate my phone\"
  answers:                        # each is used once, the first that fits
    - role: reporter              # a model's answer for this role:
      meta: { severity: 3 }       #   the typed result (or text: \"...\")
    - match: \"crash(es)?\"         # a regular expression (Rust's) on the request
      text: \"...\"
    - program: hermes             # what an agent program prints
      stdout: \"...\"")]
pub(in super::super) struct DevArgs {
    /// The bundle
    file: PathBuf,
    /// The task; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Read the task from a file
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    prompt_file: Option<PathBuf>,
    /// Steps that the thread may take
    #[arg(long, value_name = "N")]
    max_rounds: Option<u64>,
    /// Answer models and agent programs from this file
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Write what models and agent programs answer into this new file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["answers", "watch"])]
    record: Option<PathBuf>,
    /// Run again whenever the bundle or the answers change
    #[arg(long)]
    watch: bool,
    /// Keep the thread in this store
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Wait for a debugger before the bundle's first line
    #[arg(
        long,
        value_name = "HOST:PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "127.0.0.1:9229",
        value_parser = address
    )]
    inspect: Option<SocketAddr>,
}

/// An address to listen on: `host:port`, or a port alone.
fn address(text: &str) -> Result<SocketAddr, String> {
    let full = match text.parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => text.to_owned(),
    };
    let found = full.to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    found.ok_or_else(|| "give a host and a port, such as 127.0.0.1:9229".to_owned())
}

pub(super) fn cmd_dev(context: &Context, args: &DevArgs) -> Result<ExitCode, CommandError> {
    let prompt = prompt(args.prompt.as_deref(), args.prompt_file.as_deref())?;
    if let Some(file) = args.record.as_ref().filter(|file| file.exists()) {
        let message = format!("{} is there already", file.display());
        return Err(CommandError::user(message).hint("choose another name, or remove it first"));
    }
    if let Some(address) = args.inspect.filter(|address| !address.ip().is_loopback()) {
        context.ui.note(format!(
            "warning: everybody who reaches {address} can run code here, with your rights"
        ));
    }
    block_on(async {
        let mut stops = Stops::new()?;
        if !args.watch {
            return run(context, args, prompt.as_deref(), &mut stops).await;
        }
        let files: Vec<&Path> =
            std::iter::once(args.file.as_path()).chain(args.answers.as_deref()).collect();
        stops.watch(&files)?;
        let shown: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let shown = shown.join(" or ");
        loop {
            stops.seen();
            if let Err(error) = run(context, args, prompt.as_deref(), &mut stops).await {
                error.report();
            }
            if stops.last() != Some(Why::Changed) {
                if stops.last().is_none() {
                    context.ui.note(format!("waiting for a change of {shown}; Ctrl-C ends"));
                    stops.next().await;
                }
                if stops.last() == Some(Why::Signal) {
                    return Ok(ExitCode::from(130));
                }
            }
            context.ui.note(format!("{shown} has changed"));
        }
    })?
}

async fn run(
    context: &Context,
    args: &DevArgs,
    prompt: Option<&str>,
    stops: &mut Stops,
) -> Result<ExitCode, CommandError> {
    let answers = args.answers.as_deref().map(read_answers).transpose()?;
    let of_file = answers.as_ref().and_then(|answers| answers.prompt.clone());
    let prompt = prompt.map(str::to_owned).or(of_file).unwrap_or_default();
    let of_file = answers.as_ref().and_then(|answers| answers.max_rounds);
    let max_rounds = args.max_rounds.or(of_file).unwrap_or(DEFAULT_MAX_ROUNDS);
    let answering = match (answers, &args.record) {
        (Some(answers), _) => Answering::Script(Script::new(answers)),
        (None, Some(_)) => Answering::Recording(Recording::default()),
        (None, None) => Answering::Nobody,
    };
    let options = TrialOptions {
        file: args.file.clone(),
        prompt: prompt.clone(),
        max_rounds,
        answering,
        store: args.store.clone(),
        inspect: args.inspect,
        given_up: Arc::default(),
    };
    let Some(running) = start(context, options, stops).await? else {
        return Ok(ExitCode::from(130));
    };
    let warnings = render::findings(&args.file.display().to_string(), &running.report);
    for note in warnings.into_iter().chain(running.note.clone()) {
        context.ui.note(note);
    }
    let end = follow(context, args, &running, stops).await;
    let happened = running.happened();
    let whole = match (&end, &happened) {
        (Ok(_), Ok(happened)) if stops.last().is_none() => Some(happened),
        _ => None,
    };
    if let Some(happened) = whole {
        conclude(context, &running, happened);
    }
    if let Some(file) = &args.record {
        // What was paid for is kept, whatever else went wrong.
        recording::write(context, &running, file, Replay { prompt: &prompt, max_rounds, whole })?;
    }
    happened?;
    Ok(view::exit_code(end?.as_ref()))
}

/// Starts the thread; none where something asked to end that meanwhile.
async fn start(
    context: &Context,
    options: TrialOptions,
    stops: &mut Stops,
) -> Result<Option<Running>, CommandError> {
    let (context, ui, given_up) = (context.clone(), context.ui, options.given_up.clone());
    // A bundle's top level may take its time, and signals must not wait for it.
    let mut starting = tokio::task::spawn_blocking(move || Running::start(&context, options));
    let started = tokio::select! {
        started = &mut starting => started.map_err(CommandError::internal)?.map(Some),
        why = stops.next() => {
            if why == Why::Signal {
                ui.note("ending the run");
            }
            given_up.store(true, Ordering::SeqCst);
            // Whatever has begun is taken away again.
            drop(starting.await);
            Ok(None)
        }
    };
    started
}

/// Shows the thread to its end, and where a debugger can connect.
async fn follow(
    context: &Context,
    args: &DevArgs,
    running: &Running,
    stops: &mut Stops,
) -> Result<Option<Completion>, CommandError> {
    if args.store.is_some() && !context.ui.json() {
        context.ui.line(&running.thread)?;
    }
    // One in a store that goes away cannot be continued.
    let hint = args.store.as_ref().map(|store| {
        let (store, thread) = (store.display(), &running.thread);
        format!(
            "`UNCAGED_WORKFLOW_STORAGE_ROOT={store} uncaged-workflow resume {thread}` continues it"
        )
    });
    let mut told = running.server.told();
    let announced = async {
        if let Ok(told) = told.wait_for(|told| told.debugger.is_some()).await {
            let url = told.debugger.clone().unwrap_or_default();
            context.ui.note(format!(
                "waiting for a debugger at {url}\n(chrome://inspect finds it, and so do editors that attach to Node)"
            ));
        }
        std::future::pending::<()>().await;
    };
    let asked = async || {
        if stops.next().await == Why::Signal {
            context.ui.note("ending the run");
        }
    };
    tokio::select! {
        end = view::watch(&running.context, &running.thread, hint, asked) => end,
        () = announced => Ok(None),
    }
}

/// What is to be said after the end: the stack of a failure, and the answers
/// that nobody asked for.
fn conclude(context: &Context, running: &Running, happened: &Happened) {
    if let Some(detail) = &happened.detail {
        let lines: Vec<String> = detail.lines().map(view::visible).collect();
        context.ui.note(format!("\n{}", lines.join("\n")));
    }
    if happened.end.as_ref().is_none_or(|(code, _)| *code != 0) {
        return;
    }
    let unused = running.server.look(|answering| match answering {
        Answering::Script(script) => script.unused_shown(),
        _ => Vec::new(),
    });
    for unused in unused {
        context.ui.note(format!("warning: not used: {unused}"));
    }
}
