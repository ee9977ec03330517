use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::thread::{NewThread, Resolved, create_thread, resolve_workflow};
use super::{
    DEFAULT_MAX_ROUNDS, EngineError, ExecuteOptions, Limits, Processes, ThreadLog, Trial, trial,
};
use crate::bundle::{Config, Registry};
use crate::host::services::{
    ChatProvider, ChatScene, ChildRequest, ChildResult, LocalFuture, LogLevel, ServiceError,
    Services,
};
use crate::llm::{self, Asker, Scene, react};
use crate::object::{Hash, Node, ThreadId, WorkflowName};
use crate::store::gc::{self, GcOptions};
use crate::store::{Record, Store};

/// How often a waiting parent looks whether its child has ended.
const CHILD_POLL: Duration = Duration::from_millis(25);

/// What a running thread's bundle may ask for.
pub(super) struct EngineServices {
    store: Store,
    thread: ThreadId,
    /// Its depth; a child's is one more, whatever the bundle says.
    depth: u64,
    log: Rc<ThreadLog>,
    processes: Arc<dyn Processes>,
    client: llm::Client,
    trial: Option<Trial>,
    /// The role that the bundle said is at work.
    role: RefCell<Option<String>>,
    env: fn(&str) -> Option<String>,
    clock: fn() -> i64,
    /// The ReAct loops under way; a loop that is over is taken out.
    machines: RefCell<HashMap<u32, react::Machine>>,
    next_machine: Cell<u32>,
    /// The newest state, the parent of child threads.
    head: Cell<Option<Hash>>,
    /// Children that run, to be ended with this thread.
    children: Rc<RefCell<Vec<Child>>>,
    next_child: Cell<u32>,
}

struct Child {
    number: u32,
    root: PathBuf,
    bundle: Hash,
    thread: ThreadId,
}

impl EngineServices {
    pub(super) fn new(options: &ExecuteOptions, depth: u64, log: Rc<ThreadLog>) -> EngineServices {
        EngineServices {
            store: options.store.clone(),
            thread: options.thread.clone(),
            depth,
            log,
            processes: options.processes.clone(),
            client: llm::Client::default()
                .through(options.trial.as_ref().map(|trial| trial.relay.clone())),
            trial: options.trial.clone(),
            role: RefCell::default(),
            env: options.env,
            clock: options.clock,
            machines: RefCell::default(),
            next_machine: Cell::new(0),
            head: Cell::new(None),
            children: Rc::default(),
            next_child: Cell::new(0),
        }
    }

    /// Says which state is the newest.
    pub(super) fn set_head(&self, head: Hash) {
        self.head.set(Some(head));
    }

    /// The client for models, with its connections and what it learned.
    pub(super) fn client(&self) -> &llm::Client {
        &self.client
    }

    /// Ends the child threads that still run: their parent has ended.
    pub(super) fn end_children(&self) {
        for child in self.children.borrow_mut().drain(..) {
            if let Err(error) = self.processes.kill(&child.root, &child.bundle, &child.thread) {
                let Child { thread, .. } = &child;
                self.log.write("5CF0P8TJ", &format!("cannot end child thread {thread}: {error}"));
            }
        }
    }
}

/// The model that the configuration names for a scene.
pub(super) fn model_for(
    store: &Store,
    scene: &str,
    env: fn(&str) -> Option<String>,
    trial: Option<&Trial>,
) -> Result<llm::Provider, ServiceError> {
    if let Some(provider) = trial::scripted(trial) {
        return Ok(provider);
    }
    let registry = Registry::load(&store.layout().registry()).map_err(failed)?;
    let config = registry.config().map_err(failed)?.ok_or_else(|| {
        let message =
            "no model is configured: `uncaged-workflow setup` adds a provider and a model";
        ServiceError { code: Some("no_config"), ..failed(message) }
    })?;
    let model = config.resolve_model(scene, &env).map_err(failed)?;
    Ok(llm::Provider { base_url: model.base_url, api_key: model.api_key, model: model.model })
}

fn failed(error: impl std::fmt::Display) -> ServiceError {
    ServiceError { message: error.to_string(), code: None, status: None, body: None }
}

impl From<llm::Error> for ServiceError {
    fn from(error: llm::Error) -> ServiceError {
        ServiceError {
            message: error.to_string(),
            code: Some(error.code()),
            status: error.status(),
            body: error.body().map(str::to_owned),
        }
    }
}

impl Services for EngineServices {
    fn store(&self) -> Option<Store> {
        Some(self.store.clone())
    }

    fn thread_id(&self) -> String {
        self.thread.to_string()
    }

    fn enter_role(&self, role: String) {
        *self.role.borrow_mut() = Some(role);
    }

    fn log(&self, level: LogLevel, tag: Option<&str>, text: &str) {
        let level = match level {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        };
        self.log.console(tag.unwrap_or("1V6DJ3ME"), level, text);
    }

    fn chat(
        &self,
        provider: Option<ChatProvider>,
        body: Value,
        scene: ChatScene,
        role: Option<String>,
    ) -> LocalFuture<Result<String, ServiceError>> {
        let client = self.client.clone();
        let provider = match provider {
            Some(ChatProvider { base_url, api_key, model }) => {
                Ok(llm::Provider { base_url, api_key, model })
            }
            None => model_for(&self.store, "extract", self.env, self.trial.as_ref()),
        };
        let scene = match scene {
            ChatScene::Extract => Scene::Extract,
            ChatScene::Agent => Scene::Agent,
        };
        let asker = Asker { scene, role: role.or_else(|| self.role.borrow().clone()) };
        Box::pin(async move { Ok(client.chat_as(&asker, &provider?, &body).await?) })
    }

    fn react_new(&self, config: Value) -> Result<u32, ServiceError> {
        let config: react::Config = serde_json::from_value(config).map_err(failed)?;
        let id = self.next_machine.replace(self.next_machine.get() + 1);
        self.machines.borrow_mut().insert(id, react::Machine::new(config));
        Ok(id)
    }

    fn react_step(&self, id: u32, input: Value) -> Result<Value, ServiceError> {
        let input: react::Input = serde_json::from_value(input).map_err(failed)?;
        let mut machines = self.machines.borrow_mut();
        let machine = machines.get_mut(&id).ok_or_else(|| failed("no such ReAct loop"))?;
        let output = machine.step(input).map_err(failed)?;
        if matches!(output, react::Output::Done { .. } | react::Output::Failed { .. }) {
            machines.remove(&id);
        }
        serde_json::to_value(output).map_err(failed)
    }

    fn run_workflow(
        &self,
        request: ChildRequest,
    ) -> LocalFuture<Result<ChildResult, ServiceError>> {
        let store = match &request.storage_root {
            Some(root) => Store::open(root),
            None => self.store.clone(),
        };
        let (processes, clock) = (self.processes.clone(), self.clock);
        let children = self.children.clone();
        let number = self.next_child.replace(self.next_child.get() + 1);
        let log = self.log.clone();
        // Another store does not have this thread's states.
        let own = store.layout().root() == self.store.layout().root();
        let head = self.head.get().filter(|_| own);
        let mut request = request;
        request.depth = request.depth.max(self.depth + 1);
        Box::pin(async move {
            let (bundle, thread) = create_child(&store, &request, head, clock()).map_err(failed)?;
            let root = store.layout().root().to_owned();
            log.write("0GS9W2EA", &format!("child thread {thread} of {}", request.name));
            let child = Child { number, root: root.clone(), bundle, thread: thread.clone() };
            children.borrow_mut().push(child);
            let child_thread = thread.clone();
            // Waits for the child's worker, which must not hold up a kill of this thread.
            let started = tokio::task::spawn_blocking(move || {
                processes.execute(&root, &bundle, &child_thread)
            });
            started.await.map_err(failed)?.map_err(failed)?;
            let result = ended(&store, &thread).await;
            children.borrow_mut().retain(|child| child.number != number);
            result
        })
    }

    fn collect_garbage(&self, root: &str) -> Result<Value, ServiceError> {
        let report = gc::collect(&Store::open(Path::new(root)), GcOptions::default(), &|_| {})
            .map_err(failed)?;
        Ok(json!({
            "scannedThreads": report.scanned_threads,
            "activeRefs": report.active_refs,
            "deletedEntries": report.deleted_entries,
            "deletedHashes": report.deleted_hashes,
        }))
    }
}

/// Why a child thread could not be made.
#[derive(Debug, thiserror::Error)]
enum ChildError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{0}")]
    Refused(String),
}

fn create_child(
    store: &Store,
    request: &ChildRequest,
    head: Option<Hash>,
    now_ms: i64,
) -> Result<(Hash, ThreadId), ChildError> {
    let refused = |error: &dyn std::fmt::Display| ChildError::Refused(error.to_string());
    let registry = Registry::load(&store.layout().registry()).map_err(EngineError::from)?;
    let config = registry.config().map_err(|e| refused(&e))?;
    let limit = config.map_or(Config::DEFAULT_MAX_DEPTH, |config| config.max_depth);
    if request.depth > limit {
        return Err(ChildError::Refused(format!(
            "workflow `{}` would run at depth {}, and maxDepth is {limit}",
            request.name, request.depth
        )));
    }
    let workflow: WorkflowName = request.name.parse().map_err(|e| refused(&e))?;
    let parent_state = request.parent_state.as_deref().map(str::parse::<Hash>).transpose();
    let Resolved { bundle, permissions } = resolve_workflow(store, &workflow)?;
    let new = NewThread {
        workflow,
        bundle,
        prompt: request.prompt.clone(),
        max_rounds: DEFAULT_MAX_ROUNDS,
        depth: request.depth,
        parent_state: parent_state.map_err(|e| refused(&e))?.or(head),
        // Its own entry's, whoever calls it.
        limits: Limits { permissions, heap_limit: None },
    };
    Ok((bundle, create_thread(store, &new, now_ms)?))
}

/// Waits for a child's end. A child whose worker died stays interrupted and can
/// be resumed, but its parent cannot wait for that.
async fn ended(store: &Store, thread: &ThreadId) -> Result<ChildResult, ServiceError> {
    loop {
        // Asked first: a thread that ends in between is found below.
        let located = store.find_thread(thread).map_err(failed)?;
        let running = match &located {
            Some(found) => store.is_running(&found.bundle, thread).map_err(failed)?,
            None => return Err(failed(format!("child thread {thread} was removed"))),
        };
        let located = match running {
            true => located,
            false => store.find_thread(thread).map_err(failed)?,
        };
        match located.map(|found| found.record) {
            Some(Record::Completed(done)) => {
                let Some(Node::State(end)) = store.node(&done.head).map_err(failed)? else {
                    return Err(failed(format!("the end of child thread {thread} is missing")));
                };
                let completion = super::step::completion_of(&end);
                return Ok(ChildResult {
                    thread_id: thread.to_string(),
                    root: done.head,
                    return_code: completion.return_code,
                    summary: completion.summary,
                });
            }
            Some(Record::Active(_)) if !running => {
                return Err(failed(format!("child thread {thread} was interrupted")));
            }
            _ => tokio::time::sleep(CHILD_POLL).await,
        }
    }
}
