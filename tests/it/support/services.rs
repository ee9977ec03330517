//! Runs bundles straight in a host, without engine and worker.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, mpsc};

use serde_json::{Value, json};
use tempfile::TempDir;
use uncaged_workflow::host::services::{
    ChatProvider, ChatScene, ChildRequest, ChildResult, LocalFuture, LogLevel, ServiceError,
    Services,
};
use uncaged_workflow::host::{self, Host, HostError, HostOptions, Next};
use uncaged_workflow::store::Store;

type Job = Box<dyn FnOnce() + Send>;

/// The thread that started V8: isolates live only on threads started from it.
static PARENT: LazyLock<mpsc::Sender<Job>> = LazyLock::new(|| {
    let (sender, jobs) = mpsc::channel::<Job>();
    std::thread::spawn(move || {
        host::init();
        for job in jobs {
            std::thread::spawn(job);
        }
    });
    sender
});

/// Does some work on a thread of its own that may have an isolate.
pub fn on_isolate_thread<T: Send + 'static>(
    work: impl FnOnce() -> Pin<Box<dyn Future<Output = T>>> + Send + 'static,
) -> T {
    let (done, result) = mpsc::channel();
    let job = Box::new(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _ = done.send(runtime.block_on(work()));
    });
    PARENT.send(job).unwrap();
    result.recv().expect("the isolate's thread panicked")
}

/// A store and a log in memory.
pub struct TestServices {
    store: Store,
    pub log: RefCell<Vec<(LogLevel, String)>>,
    /// Set when the bundle logs "now", for other threads to see.
    pub now: Arc<AtomicBool>,
}

impl TestServices {
    pub fn new(store: Store) -> Self {
        Self { store, log: RefCell::default(), now: Arc::default() }
    }
}

fn refused<T>(what: &str) -> Result<T, ServiceError> {
    let message = format!("no {what} in this test");
    Err(ServiceError { message, code: Some("no_service"), status: None, body: None })
}

impl Services for TestServices {
    fn store(&self) -> Option<Store> {
        Some(self.store.clone())
    }

    fn thread_id(&self) -> String {
        "01ARZ3NDEKTSV4RRFFQ69G5FAV".into()
    }

    fn enter_role(&self, _role: String) {}

    fn log(&self, level: LogLevel, _tag: Option<&str>, text: &str) {
        if text == "now" {
            self.now.store(true, Ordering::SeqCst);
        }
        self.log.borrow_mut().push((level, text.to_string()));
    }

    fn chat(
        &self,
        _provider: Option<ChatProvider>,
        _body: Value,
        _scene: ChatScene,
        _role: Option<String>,
    ) -> LocalFuture<Result<String, ServiceError>> {
        Box::pin(async {
            Err(ServiceError {
                message: "the model said no".into(),
                code: Some("http_error"),
                status: Some(418),
                body: Some("short and stout".into()),
            })
        })
    }

    fn react_new(&self, _config: Value) -> Result<u32, ServiceError> {
        refused("ReAct loop")
    }

    fn react_step(&self, _id: u32, _input: Value) -> Result<Value, ServiceError> {
        refused("ReAct loop")
    }

    fn run_workflow(&self, _: ChildRequest) -> LocalFuture<Result<ChildResult, ServiceError>> {
        Box::pin(async { refused("child workflow") })
    }

    fn collect_garbage(&self, _root: &str) -> Result<Value, ServiceError> {
        refused("collection")
    }
}

/// What a bundle did.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub steps: Vec<Value>,
    pub end: Result<Value, HostError>,
    pub log: Vec<(LogLevel, String)>,
}

impl Outcome {
    /// The error, which must be there.
    pub fn error(&self) -> &HostError {
        self.end.as_ref().expect_err("the bundle was to fail")
    }

    /// What a bundle made of `script` returned, which must have worked.
    pub fn value(&self) -> &Value {
        self.end.as_ref().unwrap_or_else(|error| panic!("{error:?}"))
    }
}

/// A host on a bundle in a store of its own.
pub struct Bench {
    /// Gone with the bench.
    _folder: TempDir,
    pub services: Rc<TestServices>,
    pub host: Host,
}

impl Bench {
    pub fn new(source: &str, change: impl FnOnce(&mut HostOptions)) -> Result<Self, HostError> {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path());
        let services = Rc::new(TestServices::new(store));
        let path = folder.path().join("bundles/0123456789ABC.esm.js");
        let mut options = HostOptions::new(path, source.to_string(), services.clone());
        change(&mut options);
        let host = Host::new(options)?;
        Ok(Self { _folder: folder, services, host })
    }

    /// To the end, or to the first error.
    pub async fn run(&mut self, thread: &Value) -> (Vec<Value>, Result<Value, HostError>) {
        let mut steps = Vec::new();
        let end = self.collect(thread, &mut steps).await;
        (steps, end)
    }

    async fn collect(
        &mut self,
        thread: &Value,
        steps: &mut Vec<Value>,
    ) -> Result<Value, HostError> {
        self.host.load().await?;
        self.host.start(thread).await?;
        loop {
            match self.host.next().await? {
                Next::Yielded(step) => steps.push(step),
                Next::Returned(value) => return Ok(value),
            }
        }
    }
}

/// Runs a bundle to its end.
pub fn run(source: &str) -> Outcome {
    run_with(source, |_| ())
}

/// The same with other options.
pub fn run_with(source: &str, change: impl FnOnce(&mut HostOptions) + Send + 'static) -> Outcome {
    let source = source.to_string();
    on_isolate_thread(move || {
        Box::pin(async move {
            let mut bench = match Bench::new(&source, change) {
                Ok(bench) => bench,
                Err(error) => return Outcome { steps: vec![], end: Err(error), log: vec![] },
            };
            let (steps, end) = bench.run(&json!({})).await;
            let log = bench.services.log.take();
            Outcome { steps, end, log }
        })
    })
}

/// Runs a module whose `run` does `script` and returns its value.
pub fn script(imports: &str, script: &str) -> Outcome {
    run(&bundle(imports, script))
}

/// The bundle of [`script`].
pub fn bundle(imports: &str, script: &str) -> String {
    format!(
        "{imports}\nexport const descriptor = {{ description: \"test\", roles: {{}} }};\n\
         export async function* run(thread, runtime) {{\n{script}\n}}\n"
    )
}
