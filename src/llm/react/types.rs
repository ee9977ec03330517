use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many requests the loop sends when nothing else is said.
pub const DEFAULT_MAX_ROUNDS: u32 = 10;

/// What a loop begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    /// The conversation so far, in the API's own shape.
    pub messages: Vec<Value>,
    /// The tools that the caller runs.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// The function whose arguments are the result; none for a result in text.
    #[serde(default)]
    pub structured: Option<Tool>,
    /// How many requests are sent at most.
    #[serde(default = "default_max_rounds")]
    pub max_rounds: u32,
}

fn default_max_rounds() -> u32 {
    DEFAULT_MAX_ROUNDS
}

/// A function that the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    #[serde(default)]
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// What the caller tells the loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Input {
    /// Begin.
    Begin,
    /// The server's response.
    Response {
        /// Its body, as it came.
        body: String,
    },
    /// A tool has run, or failed: the model reads either.
    ToolResult {
        /// The id of the call.
        id: String,
        /// What the model is told.
        content: String,
    },
    /// The value is the result.
    Accepted,
    /// The value is not.
    Rejected {
        /// What is wrong with it, for the model.
        problem: String,
    },
}

impl Input {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Input::Begin => "begin",
            Input::Response { .. } => "response",
            Input::ToolResult { .. } => "toolResult",
            Input::Accepted => "accepted",
            Input::Rejected { .. } => "rejected",
        }
    }
}

/// What the loop wants next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Output {
    /// Send this request.
    Request {
        /// Without `model`, which [`crate::llm::Client`] puts in.
        body: Value,
    },
    /// Run this tool.
    ToolCall {
        /// Names the call in [`Input::ToolResult`].
        id: String,
        /// The tool's name, as configured.
        name: String,
        /// An object.
        arguments: Value,
    },
    /// Validate this value.
    Validate {
        /// Of any JSON type.
        value: Value,
    },
    /// It is over, with a result.
    Done {
        /// The accepted value, as it was given for validation.
        value: Value,
    },
    /// It is over, without one.
    Failed {
        /// For programs.
        code: Failure,
        /// For people, one line.
        message: String,
    },
}

/// Why a loop failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// No round is left.
    MaxReactRoundsExceeded,
    /// The server's response was not a model's turn.
    InvalidResponse,
}

impl Failure {
    /// The word for it, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Failure::MaxReactRoundsExceeded => "max_react_rounds_exceeded",
            Failure::InvalidResponse => "invalid_response",
        }
    }
}
