use serde_json::Value;

use crate::host::services::{
    ChatProvider, ChildRequest, ChildResult, LocalFuture, LogLevel, ServiceError, Services,
};
use crate::store::Store;

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
