//! A bundle that is tried out: added to a store of its own, run there by the
//! same workers as always, and taken away again.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tempfile::TempDir;

use super::Context;
use super::commands::add::{keeps, name_of, store_file};
use super::error::CommandError;
use crate::bundle::{CheckReport, Registry};
use crate::engine::{self, Followed, Follower, Limits, NewThread, Permit, Progress, Trial, ending};
use crate::object::{FORK_ROLE, Hash, ThreadId};
use crate::script::{Answering, AnswersFile, Happened, HappenedStep, Server, programs};
use crate::store::Store;
use crate::store::lock::FileLock;

/// Carries a [`Trial`] as JSON into the processes of a thread.
const VARIABLE: &str = "UNCAGED_WORKFLOW_TRIAL";
/// The role that an agent program works for.
const ROLE_VARIABLE: &str = "UNCAGED_WORKFLOW_ROLE";
/// How often a thread that nobody watches is looked at.
const POLL: Duration = Duration::from_millis(15);
/// How folders of trials begin.
const PREFIX: &str = "uncaged-trial-";
/// The workflow's name where the file's is none.
const UNNAMED: &str = "trial";
/// Locked while a trial's folder is in use.
const OWNED: &str = "owned";

/// What to try, and how.
pub(super) struct TrialOptions {
    /// The bundle's file.
    pub file: PathBuf,
    /// The task.
    pub prompt: String,
    /// Steps that the thread may take.
    pub max_rounds: u64,
    /// Who answers.
    pub answering: Answering,
    /// A store that stays, in the place of one that goes.
    pub store: Option<PathBuf>,
    /// Where a debugger shall find the bundle.
    pub inspect: Option<SocketAddr>,
    /// Set where nobody wants the thread any more: [`Running::start`] then fails
    /// as soon as it can.
    pub given_up: Arc<AtomicBool>,
}

/// A thread that runs, and everything that has to go with it. Dropping it ends
/// the thread and leaves nothing behind but a store that was named.
pub(super) struct Running {
    /// For commands on the trial's store.
    pub context: Context,
    /// The thread.
    pub thread: ThreadId,
    /// What works in the bundle but may surprise.
    pub report: CheckReport,
    /// What to say of the permissions that it runs with; none where it may do all.
    pub note: Option<String>,
    /// What answers.
    pub server: Server,
    bundle: Hash,
    folder: Option<Folder>,
}

/// A temporary folder that another trial can tell from an abandoned one.
struct Folder {
    dir: TempDir,
    _owned: Option<FileLock>,
}

impl Folder {
    fn new() -> Result<Folder, CommandError> {
        sweep();
        let failed = |error| CommandError::user(format!("cannot make a temporary store: {error}"));
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir().map_err(failed)?;
        // Locked before it has its name, or another trial could take it for abandoned.
        let unnamed = dir.path().join("unnamed");
        let owned = FileLock::try_exclusive(&unnamed).map_err(|e| failed(e.source))?;
        fs::rename(unnamed, dir.path().join(OWNED)).map_err(failed)?;
        Ok(Folder { dir, _owned: owned })
    }
}

/// Removes the folders of trials that were killed.
fn sweep() {
    for entry in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let mark = entry.path().join(OWNED);
        // Without its mark it is just being made.
        if ours
            && mark.exists()
            && let Ok(Some(_lock)) = FileLock::try_exclusive(&mark)
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl Running {
    /// Adds the bundle and starts its thread.
    pub(super) fn start(context: &Context, options: TrialOptions) -> Result<Running, CommandError> {
        let TrialOptions { file, prompt, max_rounds, answering, store, inspect, given_up } =
            options;
        let given_up = || given_up.load(Ordering::SeqCst);
        // A file that is only tried out may have any name.
        let name = match name_of(&file) {
            Ok(name) => name,
            Err(_) => UNNAMED.parse()?,
        };
        let program = super::program()?;
        let folder = Folder::new()?;
        let stays = store.is_some();
        let store = match store {
            Some(root) => Store::open(std::path::absolute(&root).map_err(CommandError::user)?),
            None => Store::open(folder.dir.path().join("store")),
        };
        if !stays && !matches!(answering, Answering::Script(_)) {
            take_over(&context.store, &store)?;
        }
        let workers = crate::worker::Client::new(&store, &program);
        let mut context = Context { store, workers, ui: context.ui };
        if let Answering::Script(script) = &answering {
            let beside = Path::new(&script.file().name);
            for (name, file) in &script.file().workflows {
                let file = beside.with_file_name(file);
                store_file(&context, name, &file, None, &Permit::Keep, &given_up)?;
            }
        }
        let added = store_file(&context, &name, &file, None, &Permit::Keep, &given_up)?;
        let bundle = added.hash;

        let mut environment = super::environment();
        let mut set = |name: &str, value: OsString| {
            let value = value.into_string().map_err(|value| not_text(name, &value))?;
            environment.variables.retain(|(known, _)| known != name);
            environment.variables.push((name.to_owned(), value));
            Ok::<(), CommandError>(())
        };
        let stand_ins = stand_ins(&answering, &folder, &program)?;
        if let Some(stand_ins) = &stand_ins {
            let usual = std::env::var_os("PATH");
            set("PATH", programs::search_path(stand_ins, usual.as_deref()))?;
        }
        let scripted = matches!(answering, Answering::Script(_));
        let server = Server::start(answering)
            .map_err(|error| CommandError::user(format!("cannot listen on 127.0.0.1: {error}")))?;
        if scripted {
            // What clients that a bundle brings along look for.
            set("OPENAI_BASE_URL", format!("{}/v1", server.relay().url).into())?;
            set("OPENAI_API_KEY", "scripted".into())?;
            for name in ["NO_PROXY", "no_proxy"] {
                let usual = std::env::var(name).unwrap_or_default();
                set(name, format!("{usual},127.0.0.1").trim_start_matches(',').into())?;
            }
        }
        let trial = Trial {
            relay: server.relay().clone(),
            bundle,
            file: std::path::absolute(&file).map_err(CommandError::user)?,
            inspect,
            programs: stand_ins,
        };
        set(VARIABLE, serde_json::to_string(&trial).map_err(CommandError::internal)?.into())?;
        set("UNCAGED_WORKFLOW_STORAGE_ROOT", context.store.layout().root().into())?;
        context.workers = context.workers.with_environment(environment);

        let note = added.permissions.as_ref().map(|kept| keeps(&name, kept));
        let new = NewThread {
            workflow: name,
            bundle,
            prompt,
            max_rounds,
            depth: 0,
            parent_state: None,
            limits: Limits { permissions: added.permissions, heap_limit: None },
        };
        let thread = engine::create_thread(&context.store, &new, engine::now_ms())?;
        let (report, folder) = (added.report, Some(folder));
        let running = Running { context, thread, report, note, server, bundle, folder };
        if given_up() {
            return Err(CommandError::user("given up"));
        }
        running.context.workers.execute(&bundle, &running.thread)?;
        Ok(running)
    }

    /// The bundle's version.
    pub(super) fn bundle(&self) -> &Hash {
        &self.bundle
    }

    /// Waits until nobody runs the thread any more, or `given_up`: how far it came.
    pub(super) async fn wait(&self, given_up: impl Fn() -> bool) -> Result<Progress, CommandError> {
        let mut follower = Follower::new(self.context.store.clone(), self.thread.clone());
        loop {
            let progress = follower.poll()?.1;
            if progress != Progress::Running || given_up() {
                return Ok(progress);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// What came of the thread so far.
    pub(super) fn happened(&self) -> Result<Happened, CommandError> {
        let mut follower = Follower::new(self.context.store.clone(), self.thread.clone());
        let mut happened = Happened::default();
        for Followed { state, content, .. } in follower.poll()?.0 {
            match ending(&state) {
                Some(end) => {
                    happened.detail = (content != end.summary).then_some(content);
                    happened.end = Some((end.return_code, end.summary));
                }
                None if state.role == FORK_ROLE => {}
                None => happened.steps.push(HappenedStep {
                    role: state.role,
                    meta: state.meta,
                    content,
                }),
            }
        }
        Ok(happened)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let store = &self.context.store;
        let is_temporary = self
            .folder
            .as_ref()
            .is_some_and(|folder| store.layout().root().starts_with(folder.dir.path()));
        if is_temporary {
            self.context.workers.stop_all();
        } else if store.is_running(&self.bundle, &self.thread).unwrap_or(false) {
            let _ = self.context.workers.kill(&self.bundle, &self.thread);
        }
        self.folder = None;
    }
}

/// Variables reach a thread as text, and without this one it would run elsewhere.
fn not_text(name: &str, value: &OsStr) -> CommandError {
    let message = format!("{name} cannot be {value:?}, which is not UTF-8");
    CommandError::user(message).hint(match name {
        "PATH" => "leave the folder with that name out of PATH",
        _ => "name another folder: TMPDIR for temporary ones, --store for one that stays",
    })
}

/// Names, models and child workflows of the user's own store.
fn take_over(from: &Store, to: &Store) -> Result<(), CommandError> {
    let registry = Registry::load(&from.layout().registry())?;
    let failed = |error| CommandError::user(format!("cannot make a temporary store: {error}"));
    fs::create_dir_all(to.layout().bundles_dir()).map_err(failed)?;
    if from.layout().registry().exists() {
        fs::copy(from.layout().registry(), to.layout().registry()).map_err(failed)?;
    }
    for name in registry.names() {
        let Some(workflow) = registry.get(name) else { continue };
        let bundle = from.layout().bundle(&workflow.hash);
        if bundle.exists() {
            fs::copy(bundle, to.layout().bundle(&workflow.hash)).map_err(failed)?;
        }
    }
    Ok(())
}

/// The folder with stand-ins for agent programs, where there are any.
fn stand_ins(
    answering: &Answering,
    folder: &Folder,
    program: &Path,
) -> Result<Option<PathBuf>, CommandError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names: Vec<&str> = match answering {
        Answering::Nobody => return Ok(None),
        Answering::Script(script) => {
            let named = script.file().answers.iter().filter_map(|entry| entry.program.as_deref());
            programs::AGENTS.into_iter().chain(named).collect()
        }
        Answering::Recording(_) => {
            let is_there = |name: &&str| programs::find(name, None, &path).is_some();
            programs::AGENTS.into_iter().filter(is_there).collect()
        }
    };
    let place = folder.dir.path().join("programs");
    programs::make(&place, program, names)
        .map_err(|error| CommandError::user(format!("cannot stand in for programs: {error}")))?;
    Ok(Some(place))
}

/// Reads an answers file.
pub(super) fn read_answers(file: &Path) -> Result<AnswersFile, CommandError> {
    let bytes = super::commands::add::read(file)?;
    let name = file.display().to_string();
    let text = String::from_utf8(bytes)
        .map_err(|_| CommandError::user(format!("{name}: the file is not UTF-8")))?;
    AnswersFile::parse(&name, &text).map_err(|error| CommandError::user(&error).hint(&error.help))
}

/// The trial that this process is a part of. One that cannot be read is an error:
/// taken for none, it would let a scripted thread ask real models.
pub(super) fn from_environment() -> Result<Option<Trial>, CommandError> {
    let Some(text) = std::env::var_os(VARIABLE) else { return Ok(None) };
    let unreadable = |problem: &dyn std::fmt::Display| {
        CommandError::user(format!("{VARIABLE} cannot be read: {problem}"))
            .hint("unset it: `dev` and `test` set it for the threads that they start")
    };
    let text = text.to_str().ok_or_else(|| unreadable(&"it is not UTF-8"))?;
    serde_json::from_str(text).map(Some).map_err(|error| unreadable(&error))
}

/// Stands in for an agent program, if that is what this process was started as.
pub(super) fn stand_in() -> Option<std::process::ExitCode> {
    let trial = match from_environment() {
        Ok(trial) => trial?,
        Err(error) => return Some(error.report()),
    };
    let mut args = std::env::args_os();
    let name = programs::standing_in(&trial, &args.next()?)?;
    let invocation = programs::Invocation {
        name: name.clone(),
        args: args.collect(),
        role: std::env::var(ROLE_VARIABLE).ok(),
        search_path: std::env::var_os("PATH").unwrap_or_default(),
        stdout: &mut std::io::stdout(),
        stderr: &mut std::io::stderr(),
    };
    let stood_in = super::commands::add::block_on(programs::stand_in(&trial, invocation));
    Some(match stood_in {
        Ok(Ok(code)) => code.into(),
        Ok(Err(error)) => {
            eprintln!("{name}: {error}");
            std::process::ExitCode::FAILURE
        }
        Err(error) => error.report(),
    })
}
