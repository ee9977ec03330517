//! What commands use to reach a bundle's worker. Blocking.

use std::io::{self, BufRead, BufReader, ErrorKind, PipeReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::place::Place;
use super::process::READY;
use super::protocol::{
    Answer, Command, Environment, MAX_LINE, PROTOCOL, Refusal, Request, ThreadStatus,
};
use super::{WORKER_COMMAND, descendants, stop};
use crate::object::{Hash, ThreadId};
use crate::store::{IoError, Store};

/// How long a worker may take to answer.
const ANSWER_PATIENCE: Duration = Duration::from_secs(20);
/// How long a new worker may take until it serves, on a machine under load.
const START_PATIENCE: Duration = Duration::from_secs(30);
/// How often a worker may go away, told to stop, while it is asked.
const ATTEMPTS: usize = 5;

/// Reaches the workers of one store, and starts them.
#[derive(Debug, Clone)]
pub struct Client {
    store: Store,
    program: PathBuf,
    environment: Option<Environment>,
}

/// What became of a request to execute a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// It has a process now.
    Started,
    /// Somebody else executes it already.
    AlreadyRunning,
    /// It had its end already.
    Ended,
}

/// What became of kill, pause or resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obeyed {
    /// The thread has been told.
    Done,
    /// It had been told before: it is being killed, is pausing or paused, or
    /// (for resume) is not paused.
    Already,
    /// It has been killed or has ended, and is nearly gone.
    Ending,
    /// No worker executes it: it has ended, is interrupted, or is unknown.
    NotRunning,
}

/// A worker could not be started, reached or understood.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The lock, or the directory that it is in.
    #[error(transparent)]
    Files(#[from] IoError),
    /// The directory of the workers' sockets.
    #[error("cannot use {dir}: {source}", dir = .dir.display())]
    Directory {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The socket exists and cannot be used.
    #[error("cannot reach the worker at {socket}: {source}", socket = .socket.display())]
    Reach {
        /// The socket.
        socket: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The operating system did not start a worker.
    #[error("cannot start {program} as a worker: {source}", program = .program.display())]
    Start {
        /// What was to be started.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A worker started, and gave up.
    #[error("the worker did not come up: {message}")]
    GaveUp {
        /// Its last words.
        message: String,
    },
    /// Neither ready nor dead, or connected and silent.
    #[error("the worker does not answer within {seconds} seconds")]
    Silent {
        /// How long it was waited for.
        seconds: u64,
    },
    /// Workers came and were told to stop, again and again.
    #[error("the worker is told to stop whenever it is asked")]
    WentAway,
    /// What came back is no answer.
    #[error("the worker's answer makes no sense: {0}")]
    Unclear(String),
    /// Another version of this program runs the worker.
    #[error("the running worker speaks version {theirs} of the protocol, this program {PROTOCOL}")]
    OtherProtocol {
        /// The worker's version.
        theirs: u32,
    },
    /// The worker took the request for something else.
    #[error("the worker refused: {0}")]
    Refused(Refusal),
    /// The worker tried and failed.
    #[error("the worker could not do it: {0}")]
    Failed(String),
    /// The index has no such thread.
    #[error("bundle {bundle} has no thread {thread}")]
    NoSuchThread {
        /// The bundle.
        bundle: Hash,
        /// The thread.
        thread: ThreadId,
    },
}

impl Client {
    /// A client for the workers of `store`. `program` is this program's file:
    /// it is started with [`WORKER_COMMAND`] where a worker is missing.
    pub fn new(store: &Store, program: impl Into<PathBuf>) -> Client {
        Client { store: store.clone(), program: program.into(), environment: None }
    }

    /// Threads that this client starts live in `environment`, and not in that
    /// of the client which happened to start their worker.
    pub fn with_environment(self, environment: Environment) -> Client {
        Client { environment: Some(environment), ..self }
    }

    /// Has an active thread continued from its head, by the bundle's worker,
    /// which is started if there is none. Returns when the thread has a process.
    pub fn execute(&self, bundle: &Hash, thread: &ThreadId) -> Result<Execution, ClientError> {
        let place = self.place(bundle);
        let directory = |source| ClientError::Directory { dir: place.dir().to_owned(), source };
        place.create().map_err(directory)?;
        let command =
            Command::Execute { thread: thread.clone(), environment: self.environment.clone() };
        for _ in 0..ATTEMPTS {
            // While this is held no worker leaves, and nobody else starts one.
            let _lock = place.lock()?;
            let stream = match connect(&place)? {
                Some(stream) => stream,
                None => {
                    self.start(bundle)?;
                    let Some(stream) = connect(&place)? else { continue };
                    stream
                }
            };
            return match ask(&place, stream, &command)? {
                Some(Answer::Done) => Ok(Execution::Started),
                Some(Answer::Already) => Ok(Execution::AlreadyRunning),
                Some(Answer::Ended) => Ok(Execution::Ended),
                Some(Answer::NoSuchThread) => {
                    Err(ClientError::NoSuchThread { bundle: *bundle, thread: thread.clone() })
                }
                // It goes; the next attempt finds nobody and starts the next one.
                Some(Answer::Leaving) | None => continue,
                Some(other) => Err(unexpected(other)),
            };
        }
        Err(ClientError::WentAway)
    }

    /// Ends a thread as aborted.
    pub fn kill(&self, bundle: &Hash, thread: &ThreadId) -> Result<Obeyed, ClientError> {
        self.tell(bundle, &Command::Kill { thread: thread.clone() })
    }

    /// Lets a thread finish its step and take no further one.
    pub fn pause(&self, bundle: &Hash, thread: &ThreadId) -> Result<Obeyed, ClientError> {
        self.tell(bundle, &Command::Pause { thread: thread.clone() })
    }

    /// Lets a paused thread go on.
    pub fn resume(&self, bundle: &Hash, thread: &ThreadId) -> Result<Obeyed, ClientError> {
        self.tell(bundle, &Command::Resume { thread: thread.clone() })
    }

    /// What a bundle's threads do; `None` where it has no worker.
    pub fn status(&self, bundle: &Hash) -> Result<Option<Vec<ThreadStatus>>, ClientError> {
        let place = self.place(bundle);
        let Some(stream) = connect(&place)? else { return Ok(None) };
        match ask(&place, stream, &Command::Status)? {
            Some(Answer::Status { threads }) => Ok(Some(threads)),
            Some(other) => Err(unexpected(other)),
            None => Ok(None),
        }
    }

    /// Ends every worker of the store with its threads, and returns when the
    /// last has gone: for a store that is about to be removed.
    pub fn stop_all(&self) {
        let names = std::fs::read_dir(self.store.layout().workers_dir());
        let names = names.into_iter().flatten().flatten().map(|entry| entry.file_name());
        let bundles = names.filter_map(|name| name.to_str()?.strip_suffix(".lock")?.parse().ok());
        for bundle in bundles.collect::<Vec<Hash>>() {
            stop::worker(&self.place(&bundle), || {
                for running in self.status(&bundle).ok().flatten().unwrap_or_default() {
                    let _ = self.kill(&bundle, &running.thread);
                }
            });
        }
    }

    fn tell(&self, bundle: &Hash, command: &Command) -> Result<Obeyed, ClientError> {
        let place = self.place(bundle);
        let Some(stream) = connect(&place)? else { return Ok(Obeyed::NotRunning) };
        match ask(&place, stream, command)? {
            Some(Answer::Done) => Ok(Obeyed::Done),
            Some(Answer::Already) => Ok(Obeyed::Already),
            Some(Answer::Ending) => Ok(Obeyed::Ending),
            // It went away, and a worker takes its threads with it.
            Some(Answer::NotRunning) | None => Ok(Obeyed::NotRunning),
            Some(other) => Err(unexpected(other)),
        }
    }

    fn place(&self, bundle: &Hash) -> Place {
        Place::new(self.store.layout(), bundle)
    }

    /// Starts a worker and waits until it serves.
    fn start(&self, bundle: &Hash) -> Result<(), ClientError> {
        let failed = |source| ClientError::Start { program: self.program.clone(), source };
        let (said, says) = io::pipe().map_err(failed)?;
        let root = std::path::absolute(self.store.layout().root()).map_err(failed)?;
        let mut program = Program::new(&self.program);
        program
            .args([Path::new(WORKER_COMMAND), &root, Path::new(bundle.as_str())])
            .stdin(Stdio::null())
            .stdout(says.try_clone().map_err(failed)?)
            .stderr(says)
            // It serves many threads and belongs to none of them.
            .env_remove(descendants::MARKER);
        let mut child = program.spawn().map_err(failed)?;
        // The pipe's end must be the worker's end.
        drop(program);
        // Whoever lives longer than the worker must not keep it as a zombie.
        std::thread::spawn(move || child.wait());
        let said = first_line(said)?;
        if said == READY {
            return Ok(());
        }
        Err(ClientError::GaveUp { message: said })
    }
}

/// The first line that comes out of a pipe, or all that there is.
fn first_line(mut pipe: PipeReader) -> Result<String, ClientError> {
    let deadline = Instant::now() + START_PATIENCE;
    let mut said = Vec::new();
    while !said.contains(&b'\n') {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).expect("half a minute");
        let ready = poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&left));
        if !matches!(ready, Ok(1..) | Err(rustix::io::Errno::INTR)) {
            return Err(ClientError::Silent { seconds: START_PATIENCE.as_secs() });
        }
        let mut chunk = [0; 1024];
        match pipe.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => said.extend_from_slice(&chunk[..n]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    let said = String::from_utf8_lossy(&said);
    Ok(said.lines().next().unwrap_or("it ended without a word").to_owned())
}

fn connect(place: &Place) -> Result<Option<UnixStream>, ClientError> {
    place.connect().map_err(|source| ClientError::Reach { socket: place.socket(), source })
}

/// Sends one command and waits for its answer; `None` if the worker went away.
fn ask(
    place: &Place,
    stream: UnixStream,
    command: &Command,
) -> Result<Option<Answer>, ClientError> {
    let reach = |source| ClientError::Reach { socket: place.socket(), source };
    stream.set_read_timeout(Some(ANSWER_PATIENCE)).map_err(reach)?;
    stream.set_write_timeout(Some(ANSWER_PATIENCE)).map_err(reach)?;
    let request = Request { protocol: PROTOCOL, command: command.clone() };
    let mut text = serde_json::to_vec(&request).expect("strings and numbers");
    text.push(b'\n');
    let mut line = Vec::new();
    // What cannot be sent any more may have been answered with a refusal.
    let sent = (&stream).write_all(&text);
    let mut answers = BufReader::new(&stream).take(MAX_LINE as u64);
    let received = answers.read_until(b'\n', &mut line);
    match sent.and(received) {
        _ if line.ends_with(b"\n") => {}
        Ok(_) => return Ok(None),
        Err(e) => {
            return match e.kind() {
                ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Ok(None),
                ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                    Err(ClientError::Silent { seconds: ANSWER_PATIENCE.as_secs() })
                }
                _ => Err(reach(e)),
            };
        }
    }
    serde_json::from_slice(&line).map(Some).map_err(|e| ClientError::Unclear(e.to_string()))
}

fn unexpected(answer: Answer) -> ClientError {
    match answer {
        Answer::Refused(Refusal::OtherProtocol { protocol }) => {
            ClientError::OtherProtocol { theirs: protocol }
        }
        Answer::Refused(refusal) => ClientError::Refused(refusal),
        Answer::Failed { message } => ClientError::Failed(message),
        other => ClientError::Unclear(format!("{other:?}")),
    }
}
