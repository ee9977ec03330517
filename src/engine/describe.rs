use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::limit::Limit;
use crate::host::services::{
    ChatProvider, ChildRequest, ChildResult, LocalFuture, LogLevel, ServiceError, Services,
};
use crate::host::{Host, HostError, HostOptions, Permissions};
use crate::store::Store;

/// How long a bundle's top level may take while it is added.
pub const EVALUATION_LIMIT: Duration = Duration::from_secs(30);
/// V8 heap for that evaluation.
const EVALUATION_HEAP: usize = 512 << 20;

/// Why a bundle's top level could not be evaluated. Passed between processes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum EvaluationError {
    /// It threw, or has no usable exports.
    #[error("{message}")]
    Failed {
        /// One line.
        message: String,
        /// Line and column in the bundle, 1-based, the column in UTF-16 units.
        place: Option<(usize, usize)>,
    },
    /// It did not finish in time.
    #[error("the bundle's top level did not finish within {} s", EVALUATION_LIMIT.as_secs())]
    TimedOut,
    /// It ended the process that evaluated it.
    #[error("the bundle's top level ended its process ({0})")]
    Died(String),
}

impl From<HostError> for EvaluationError {
    fn from(error: HostError) -> EvaluationError {
        let place = error.place().map(|place| (place.line, place.column));
        EvaluationError::Failed { message: error.to_string(), place }
    }
}

/// Evaluates a bundle without any permission and gives its `descriptor`.
pub async fn describe(bundle_path: PathBuf, source: String) -> Result<Value, EvaluationError> {
    let mut host = Host::new(HostOptions {
        bundle_path,
        source,
        services: Rc::new(DescribeServices),
        heap_limit: EVALUATION_HEAP,
        permissions: Permissions::None,
    })?;
    let limit = Limit::new(EVALUATION_LIMIT, host.interrupt_handle());
    let work = async {
        host.load().await?;
        host.descriptor()
    };
    let result = tokio::time::timeout(EVALUATION_LIMIT, work).await;
    drop(limit);
    match result {
        Ok(Err(HostError::Terminated)) | Err(_) => Err(EvaluationError::TimedOut),
        Ok(result) => Ok(result?),
    }
}

/// What a bundle may ask for while it is only described: nothing.
pub(super) struct DescribeServices;

fn refused<T>(what: &str) -> Result<T, ServiceError> {
    Err(ServiceError {
        message: format!("{what} is not available while a bundle is added; use it inside run()"),
        code: Some("not_running"),
        status: None,
        body: None,
    })
}

impl Services for DescribeServices {
    fn store(&self) -> Option<Store> {
        None
    }

    fn thread_id(&self) -> String {
        String::new()
    }

    fn log(&self, _level: LogLevel, _tag: Option<&str>, _text: &str) {}

    fn chat(
        &self,
        _provider: Option<ChatProvider>,
        _body: Value,
    ) -> LocalFuture<Result<String, ServiceError>> {
        Box::pin(async { refused("a model") })
    }

    fn react_new(&self, _config: Value) -> Result<u32, ServiceError> {
        refused("a model")
    }

    fn react_step(&self, _id: u32, _input: Value) -> Result<Value, ServiceError> {
        refused("a model")
    }

    fn run_workflow(
        &self,
        _request: ChildRequest,
    ) -> LocalFuture<Result<ChildResult, ServiceError>> {
        Box::pin(async { refused("another workflow") })
    }

    fn collect_garbage(&self, _root: &str) -> Result<Value, ServiceError> {
        refused("the garbage collector")
    }
}
