//! What the host asks of the program around it.
//!
//! Ops know only [`Services`], put into their state when an isolate is made;
//! the engine implements it.

use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::object::Hash;
use crate::store::Store;

/// A future that stays on the isolate's thread.
pub type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// How severe a line of a bundle's log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// `console.debug`
    Debug,
    /// `console.log` and `console.info`
    Info,
    /// `console.warn`
    Warn,
    /// `console.error`
    Error,
}

/// Where a chat request goes.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatProvider {
    /// The API's base URL.
    pub base_url: String,
    /// The secret; shown nowhere.
    pub api_key: String,
    /// The model's name at that provider.
    pub model: String,
}

/// Who asks a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatScene {
    /// `extract`, whichever model it uses.
    Extract,
    /// An agent or an adapter.
    Agent,
}

/// A workflow to be run as a child of this thread.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChildRequest {
    /// The workflow's name in the registry.
    pub name: String,
    /// Another storage root than this thread's.
    pub storage_root: Option<String>,
    /// The child's prompt.
    pub prompt: String,
    /// The child's depth.
    pub depth: u64,
    /// The parent's newest state, where there is one.
    pub parent_state: Option<String>,
}

/// How a child workflow ended.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChildResult {
    /// The child thread's id.
    pub thread_id: String,
    /// The child's last node.
    pub root: Hash,
    /// 0 for success.
    pub return_code: i64,
    /// Its summary.
    pub summary: String,
}

/// A service refused or failed. Becomes a JavaScript `Error` with these properties.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    /// One line for the bundle's author.
    pub message: String,
    /// `http_error`, `network_error` or another stable word for programs.
    pub code: Option<&'static str>,
    /// The HTTP status, for `http_error`.
    pub status: Option<u16>,
    /// The first part of the response, for `http_error`.
    pub body: Option<String>,
}

/// What ops may ask for.
pub trait Services {
    /// The store that the thread lives in; none while a bundle is only described.
    fn store(&self) -> Option<Store>;
    /// The thread's id; empty while a bundle is only described.
    fn thread_id(&self) -> String;
    /// Says which role is at work from now on.
    fn enter_role(&self, role: String);
    /// A line for the thread's log.
    fn log(&self, level: LogLevel, tag: Option<&str>, text: &str);
    /// One chat/completions request; `None` means the configured `extract` model.
    /// Gives the response body. `role` is the one that asks, where that is known.
    fn chat(
        &self,
        provider: Option<ChatProvider>,
        body: Value,
        scene: ChatScene,
        role: Option<String>,
    ) -> LocalFuture<Result<String, ServiceError>>;
    /// Makes a machine of the ReAct loop and gives its id.
    fn react_new(&self, config: Value) -> Result<u32, ServiceError>;
    /// One turn of a machine.
    fn react_step(&self, id: u32, input: Value) -> Result<Value, ServiceError>;
    /// Runs another workflow to its end as a child thread.
    fn run_workflow(&self, request: ChildRequest)
    -> LocalFuture<Result<ChildResult, ServiceError>>;
    /// Collects garbage of the store at this root.
    fn collect_garbage(&self, root: &str) -> Result<Value, ServiceError>;
}
