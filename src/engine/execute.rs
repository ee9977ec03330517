use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::limit::Limit;
use super::memory::MemoryWatch;
use super::services::EngineServices;
use super::step::{Completion, StepError, check_completion, check_step, completion_of};
use super::stop::Stop;
use super::thread::{DEFAULT_MAX_ROUNDS, end_thread, load_bundle, thread_context};
use super::watchdog::Watchdog;
use super::{Control, EngineError, Limits, Processes, Signal, ThreadLog, Trial, supervise, trial};
use crate::history::{self, AppendTo, Chain};
use crate::host::{self, DEFAULT_HEAP_LIMIT, Host, HostError, HostOptions, InterruptHandle, Next};
use crate::object::{ContentNode, END_ROLE, Hash, Node, StateNode, ThreadId};
use crate::store::{Record, Store, ThreadEntry, causes};

/// Return code of a thread that was killed.
pub const KILLED: i64 = 130;
/// Summary of a thread that was killed.
pub const KILLED_SUMMARY: &str = "thread aborted";

/// How long a killed generator may take to come back from what it awaits, where no
/// process that ended with it was the reason to wait.
const SETTLE: Duration = Duration::from_millis(400);
/// How long the `finally` blocks of a killed generator may take.
const FINALLY: Duration = Duration::from_secs(2);

/// What [`execute`] needs.
pub struct ExecuteOptions {
    /// The store.
    pub store: Store,
    /// The bundle that the thread started with.
    pub bundle: Hash,
    /// The thread.
    pub thread: ThreadId,
    /// What the thread is told to do while it runs.
    pub control: Control,
    /// The processes around this one.
    pub processes: Arc<dyn Processes>,
    /// Told when the bundle begins or goes on to be asked for steps.
    pub on_started: Box<dyn Fn()>,
    /// Told when the thread has halted at a pause.
    pub on_paused: Box<dyn Fn()>,
    /// Where the bundle is being tried out by its author.
    pub trial: Option<Trial>,
    /// Ends this process at once, and its thread as failed for this reason: for a
    /// bundle that cannot be stopped otherwise.
    pub give_up: Arc<dyn Fn(&str) + Send + Sync>,
    /// Reads an environment variable.
    pub env: fn(&str) -> Option<String>,
    /// Milliseconds since 1970.
    pub clock: fn() -> i64,
}

/// Runs an active thread from its head to its end, persisting each step before
/// the bundle is asked for the next. The end is in the store when this returns.
pub async fn execute(options: ExecuteOptions) -> Result<Completion, EngineError> {
    let ExecuteOptions { store, bundle, thread, .. } = &options;
    let entry = match store.find_thread(thread)?.map(|located| located.record) {
        Some(Record::Active(entry)) => entry,
        Some(Record::Completed(_)) => return Err(EngineError::AlreadyEnded(thread.clone())),
        None => return Err(EngineError::UnknownThread(thread.clone())),
    };
    let chain = Chain::load(store, entry.head)?;
    if let Some((head, state)) = chain.states.last()
        && state.role == END_ROLE
    {
        // A crash came between the end and the move to history.
        store.finish_thread(bundle, thread, *head, state.timestamp)?;
        return Ok(completion_of(state));
    }
    let log = Rc::new(ThreadLog::open(&store.layout().log(bundle, thread), options.clock));
    log.write("4HX8M2QD", &format!("thread {thread} runs from {}", entry.head));

    let run = Run { options: &options, log: log.clone(), entry, chain };
    let mut end = run.drive().await;
    // Also where the bundle took the failed request for an answer.
    if matches!(end, Ok(_) | Err(Stop::Failed { .. }))
        && let Some((message, detail)) = trial::unanswered_yet(options.trial.as_ref()).await
    {
        end = Err(Stop::Failed { message, detail });
    }
    let (completion, content) = match end {
        Ok(completion) => (completion, None),
        Err(Stop::Killed) => {
            let summary = KILLED_SUMMARY.to_owned();
            (Completion { return_code: KILLED, summary }, None)
        }
        Err(Stop::Failed { message, detail }) => {
            let completion = Completion { return_code: 1, summary: format!("failed: {message}") };
            (completion, Some(detail))
        }
        // A full disk, say. If even the end cannot be written, the thread stays
        // interrupted at its last step.
        Err(Stop::Unwritten(error)) => {
            let message = causes(&error);
            log.write("1GC5Y8RW", &message);
            let completion = Completion { return_code: 1, summary: format!("failed: {message}") };
            (completion, Some(message))
        }
        Err(Stop::Engine(error)) => {
            log.write("9SD2Z4KH", &causes(&error));
            return Err(error);
        }
    };
    options.processes.end_descendants();
    let now = (options.clock)();
    let Completion { return_code, summary } = &completion;
    end_thread(store, bundle, thread, *return_code, summary, content.as_deref(), now)?;
    log.write("7QV0C3RN", &format!("thread {thread} ended: {return_code} {summary}"));
    Ok(completion)
}

/// What the rounds need around the bundle.
#[derive(Clone, Copy)]
struct Around<'a> {
    services: &'a EngineServices,
    watchdog: &'a Watchdog,
}

/// The bundle's generator, and whether it has `finally` blocks left to run.
struct Generator<'h> {
    host: &'h mut Host,
    open: bool,
}

struct Run<'a> {
    options: &'a ExecuteOptions,
    log: Rc<ThreadLog>,
    entry: ThreadEntry,
    chain: Chain,
}

impl Run<'_> {
    async fn drive(self) -> Result<Completion, Stop> {
        let ExecuteOptions { store, bundle, thread, .. } = self.options;
        let source = load_bundle(store, bundle)?;
        let context = thread_context(store, bundle, thread, &self.chain, &self.entry)?;
        let max_rounds = self.chain.start.max_rounds.unwrap_or(DEFAULT_MAX_ROUNDS);
        if max_rounds == 0 {
            return Ok(reached(0));
        }
        let mut control = self.options.control.clone();
        self.gate(&mut control).await?;

        let services =
            Rc::new(EngineServices::new(self.options, self.chain.start.depth, self.log.clone()));
        let tried = Trial::of_first_thread(self.options, self.chain.start.depth);
        let limits = Limits::read(store, bundle, thread)?;
        let heap_limit = limits.heap_limit(store).unwrap_or_else(|error| {
            self.log.write("5TGX0WKA", &format!("default heap limit: {}", causes(&error)));
            DEFAULT_HEAP_LIMIT
        });
        let mut host = Host::new(HostOptions {
            bundle_path: tried.map_or_else(|| store.layout().bundle(bundle), |t| t.file.clone()),
            inspect: tried.and_then(trial::inspected),
            source,
            services: services.clone(),
            heap_limit,
            permissions: limits.permissions.into(),
        })?;
        let _memory = self.watch_memory(heap_limit, host.interrupt_handle());
        let processes = self.options.processes.clone();
        let watchdog = Watchdog::start(control.clone(), host.interrupt_handle(), processes);
        let around = Around { services: &services, watchdog: &watchdog };
        let result = self.rounds(&mut host, control, max_rounds, &context, around).await;
        drop(watchdog);
        services.end_children();
        result
    }

    /// What ends the bundle, or this process, when all memory is used up.
    fn watch_memory(&self, heap_limit: usize, interrupt: InterruptHandle) -> MemoryWatch {
        let give_up = self.options.give_up.clone();
        let reason = HostError::HeapLimit { limit: heap_limit }.summary();
        let give_up = move || give_up(&reason);
        host::on_fatal_memory(give_up.clone());
        MemoryWatch::start(heap_limit, interrupt, give_up)
    }

    async fn rounds(
        self,
        host: &mut Host,
        mut control: Control,
        max_rounds: u64,
        context: &Value,
        around: Around<'_>,
    ) -> Result<Completion, Stop> {
        (self.options.on_started)();
        unless_killed(&mut control, host.load()).await?;
        unless_killed(&mut control, host.start(context)).await?;

        let interrupt = host.interrupt_handle();
        let mut generator = Generator { host, open: true };
        let result = self.ask(&mut generator, &mut control, max_rounds, around).await;
        if generator.open {
            around.watchdog.notice();
            if matches!(result, Err(Stop::Killed)) {
                self.options.processes.end_descendants();
            }
            let limit = Limit::new(FINALLY + SETTLE, interrupt);
            self.unwind(generator.host).await;
            drop(limit);
        }
        // A kill while a thread that was done ran its `finally` blocks.
        match *control.borrow() == Signal::Kill && generator.open {
            true => Err(Stop::Killed),
            false => result,
        }
    }

    /// Asks for one step after the other.
    async fn ask(
        &self,
        generator: &mut Generator<'_>,
        control: &mut Control,
        max_rounds: u64,
        around: Around<'_>,
    ) -> Result<Completion, Stop> {
        let Around { services, watchdog } = around;
        let mut head = self.chain.states.last().cloned();
        head.iter().for_each(|(hash, _)| services.set_head(*hash));
        let mut number = self.chain.steps().count();
        let mut round = 0;
        loop {
            self.gate(control).await?;
            let value = match self.next(generator, control, watchdog, number + 1).await? {
                Next::Returned(value) => {
                    return check_completion(&value).map_err(|e| failed(e.to_string()));
                }
                Next::Yielded(value) => value,
            };
            number += 1;
            round += 1;
            let persisted = self.persist(number, &value, head.as_ref())?;
            let hash = head.insert(persisted).0;
            services.set_head(hash);

            self.gate(control).await?;
            if round >= max_rounds {
                return Ok(reached(max_rounds));
            }
            let asked = supervise::stops(self.options, services.client(), hash, &self.log);
            if supervise::is_due(self.options, round, &self.log)
                && unless_killed(control, async { Ok::<_, Stop>(asked.await) }).await?
            {
                let summary = "completed: supervisor stopped thread".to_owned();
                return Ok(Completion { return_code: 0, summary });
            }
        }
    }

    /// Content, state, index; each durable before the next.
    fn persist(
        &self,
        number: usize,
        value: &Value,
        parent: Option<&(Hash, StateNode)>,
    ) -> Result<(Hash, StateNode), Stop> {
        let ExecuteOptions { store, bundle, thread, .. } = self.options;
        let output = match check_step(store, number, value) {
            Ok(output) => output,
            Err(StepError::Store(error)) => return Err(Stop::unwritten(error)),
            Err(error) => return Err(failed(error.to_string())),
        };
        let refs = output.refs.iter().map(Hash::to_string).collect();
        let content = Node::from(ContentNode { text: output.content.text, refs });
        let step = history::Step {
            role: output.role,
            meta: output.meta,
            content: store.put_node(&content).map_err(Stop::unwritten)?,
            timestamp: (self.options.clock)(),
            child_thread: output.child_thread,
            compact: None,
        };
        let to = AppendTo { bundle: *bundle, thread: thread.clone(), start: self.entry.start };
        let parent = parent.map(|(hash, state)| (*hash, state));
        let appended = history::append(store, &to, parent, step);
        let (hash, state) = appended.map_err(Stop::unwritten)?;
        self.log.write("9KD4T7WB", &format!("step {number} by {}: {hash}", state.role));
        Ok((hash, state))
    }

    /// The generator's next step; a kill interrupts the wait for it.
    async fn next(
        &self,
        generator: &mut Generator<'_>,
        control: &mut Control,
        watchdog: &Watchdog,
        number: usize,
    ) -> Result<Next, Stop> {
        let Generator { host, open } = generator;
        let mut next = pin!(host.next());
        let result = tokio::select! {
            biased;
            () = killed(control) => {
                watchdog.notice();
                // Its children gone, an agent's call comes back as failed, and
                // the generator can run its `finally` blocks.
                let comes_back = self.options.processes.end_descendants();
                let patience = if comes_back { FINALLY } else { SETTLE };
                tokio::time::timeout(patience, &mut next).await.ok()
            }
            (message, detail) = trial::unanswered(self.options.trial.as_ref()) => {
                self.options.processes.end_descendants();
                *open = false;
                return Err(Stop::Failed { message, detail });
            }
            next = &mut next => Some(next),
        };
        // Closed, or sitting in something that does not come back.
        *open = matches!(result, Some(Ok(Next::Yielded(_))));
        match result {
            Some(Err(HostError::Value { path, reason })) if *control.borrow() != Signal::Kill => {
                let field = path.strip_prefix("step.").unwrap_or(&path);
                Err(failed(format!("step {number}: {field}: {reason}")))
            }
            Some(result) if *control.borrow() != Signal::Kill => Ok(result?),
            _ => Err(Stop::Killed),
        }
    }

    /// Lets the generator run its `finally` blocks, for a bounded time.
    async fn unwind(&self, host: &mut Host) {
        match tokio::time::timeout(FINALLY, host.finish()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                self.log.write("2ZB6Y9PF", &format!("while ending: {}", error.summary()))
            }
            Err(_) => self.log.write("6MJ1E5SK", "the bundle's finally blocks took too long"),
        }
    }

    /// Waits while the thread is paused.
    async fn gate(&self, control: &mut Control) -> Result<(), Stop> {
        let mut halted = false;
        loop {
            let signal = *control.borrow_and_update();
            if halted && signal != Signal::Pause {
                (self.options.on_started)();
                self.log.write("3WN8G0XC", "resumed");
            }
            match signal {
                Signal::Run => return Ok(()),
                Signal::Kill => return Err(Stop::Killed),
                Signal::Pause if !halted => {
                    halted = true;
                    (self.options.on_paused)();
                    self.log.write("8RT5A4HV", "paused");
                }
                Signal::Pause => {}
            }
            if control.changed().await.is_err() {
                return Err(Stop::Killed);
            }
        }
    }
}

fn reached(max_rounds: u64) -> Completion {
    Completion { return_code: 0, summary: format!("completed: reached maxRounds ({max_rounds})") }
}

fn failed(message: String) -> Stop {
    Stop::Failed { detail: message.clone(), message }
}

/// Comes back when the thread is told to end, or nobody is left to tell it.
async fn killed(control: &mut Control) {
    let _ = control.wait_for(|signal| *signal == Signal::Kill).await;
}

async fn unless_killed<T, E: Into<Stop>>(
    control: &mut Control,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, Stop> {
    tokio::select! {
        biased;
        () = killed(control) => Err(Stop::Killed),
        result = work => match result {
            _ if *control.borrow() == Signal::Kill => Err(Stop::Killed),
            result => result.map_err(Into::into),
        },
    }
}
