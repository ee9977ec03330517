//! Evaluates a bundle for its descriptor only, on a thread of its own: for `add`,
//! and for a running bundle that asks about another.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;

use super::error::HostError;
use super::services::{
    ChatProvider, ChatScene, ChildRequest, ChildResult, LocalFuture, LogLevel, ServiceError,
    Services,
};
use super::{Host, HostOptions, InterruptHandle, Permissions};
use crate::store::Store;

/// How long the bundle's top level may take.
pub const DESCRIBE_LIMIT: Duration = Duration::from_secs(30);

/// The `descriptor` of a bundle, evaluated without permissions in an isolate of
/// its own on a thread of its own. [`HostError::Terminated`] where it takes longer
/// than [`DESCRIBE_LIMIT`].
pub async fn descriptor_of(path: PathBuf, source: String) -> Result<Value, HostError> {
    let (done, result) = oneshot::channel();
    let (handle, interrupt) = oneshot::channel();
    std::thread::spawn(move || {
        let result = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(evaluate(path, source, handle)),
            Err(error) => Err(HostError::Internal(error.to_string())),
        };
        let _ = done.send(result);
    });
    let lost = |_| HostError::Internal("the isolate's thread ended".into());
    match tokio::time::timeout(DESCRIBE_LIMIT, result).await {
        Ok(result) => result.map_err(lost)?,
        Err(_) => {
            if let Ok(interrupt) = interrupt.await {
                interrupt.terminate();
            }
            Err(HostError::Terminated)
        }
    }
}

async fn evaluate(
    path: PathBuf,
    source: String,
    handle: oneshot::Sender<InterruptHandle>,
) -> Result<Value, HostError> {
    let mut options = HostOptions::new(path, source, Rc::new(Nothing));
    options.permissions = Permissions::None;
    let mut host = Host::new(options)?;
    let _ = handle.send(host.interrupt_handle());
    host.load().await?;
    host.descriptor()
}

/// Services of a bundle that nobody runs.
struct Nothing;

fn refused<T>() -> Result<T, ServiceError> {
    Err(ServiceError {
        message: "not available while a bundle is only described; use it inside run()".into(),
        code: Some("not_running"),
        status: None,
        body: None,
    })
}

impl Services for Nothing {
    fn store(&self) -> Option<Store> {
        None
    }

    fn thread_id(&self) -> String {
        String::new()
    }

    fn enter_role(&self, _role: String) {}

    fn log(&self, _level: LogLevel, _tag: Option<&str>, _text: &str) {}

    fn chat(
        &self,
        _provider: Option<ChatProvider>,
        _body: Value,
        _scene: ChatScene,
        _role: Option<String>,
    ) -> LocalFuture<Result<String, ServiceError>> {
        Box::pin(async { refused() })
    }

    fn react_new(&self, _config: Value) -> Result<u32, ServiceError> {
        refused()
    }

    fn react_step(&self, _id: u32, _input: Value) -> Result<Value, ServiceError> {
        refused()
    }

    fn run_workflow(&self, _: ChildRequest) -> LocalFuture<Result<ChildResult, ServiceError>> {
        Box::pin(async { refused() })
    }

    fn collect_garbage(&self, _root: &str) -> Result<Value, ServiceError> {
        refused()
    }
}
