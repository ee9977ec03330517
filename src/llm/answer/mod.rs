//! What servers answer, read as text and tool calls.
//!
//! One rule for each oddity that is met in practice:
//!
//! | a server sends | it is read as |
//! | --- | --- |
//! | arguments as a JSON string | the JSON in it; a string in that string is read once more |
//! | arguments as an object | the object |
//! | no arguments, null, an empty string | `{}` |
//! | arguments cut by `finish_reason: length` | [`BadArguments`] with `cut`, for the model to hear |
//! | arguments that are no JSON | [`BadArguments`], for the model to hear |
//! | no call id, or one twice | an id of our own: `call`, two digits of the turn, three of the call |
//! | several tool calls | all of them, in their order |
//! | null or missing content | no text; a `refusal`, where there is one, is the text |
//! | content in parts | the text parts, joined |
//! | missing, null or empty `choices` | [`InvalidAnswer::NoMessage`] |
//! | a choice without a message | [`InvalidAnswer::NoMessage`] |
//! | an error object, whatever the status | [`InvalidAnswer::ServerError`] with its message |
//! | HTML | [`InvalidAnswer::Html`]: the URL is wrong or a gateway answered |
//! | a stream, or anything else that is no JSON | [`InvalidAnswer::NotJson`] |
//!
//! How JSON is found in a plain reply: [`json_in`]. Which tools there are is
//! the business of [`super::react`].
//!
//! The message that goes back to the server with the next request is made so
//! that every server takes it: arguments are a string of valid JSON (`{}` for
//! those that could not be read), content is a string or, beside calls, null.
//! What the call carried beyond the standard stays on it, and so does the
//! reasoning beside calls: some models want both back. Everything else is left
//! out, since some servers refuse fields that they themselves send.

mod json;

use serde_json::{Map, Value, json};

use super::excerpt::excerpt;

pub use json::{json_in, spoken};

/// A model's turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The message as it goes back to the server.
    pub message: Value,
    /// What the model said; empty for nothing.
    pub text: String,
    /// The tools that it calls, in its order.
    pub calls: Vec<Call>,
    /// The limit of tokens ended it.
    pub cut: bool,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What the tool's message refers to; unique in its turn.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments, of any JSON type.
    pub arguments: Result<Value, BadArguments>,
}

/// Arguments that are no JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", if *cut { "the arguments were cut off by the token limit" } else { "the arguments are not valid JSON" })]
pub struct BadArguments {
    /// The limit of tokens ended them.
    pub cut: bool,
    /// The parser's words.
    pub problem: String,
}

/// A response body that is not a model's turn. Each is one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAnswer {
    /// A web page.
    #[error("the server answered with a web page instead of JSON: {excerpt}")]
    Html {
        /// How it begins.
        excerpt: String,
    },
    /// Anything else that is no JSON.
    #[error("the server's answer is not JSON ({problem}): {excerpt}")]
    NotJson {
        /// The parser's words.
        problem: String,
        /// How it begins.
        excerpt: String,
    },
    /// An error object, sent with a status that says success.
    #[error("the server answered with an error: {message}")]
    ServerError {
        /// The server's words.
        message: String,
    },
    /// JSON without `choices[0].message`.
    #[error("the server's answer has no message in `choices`: {excerpt}")]
    NoMessage {
        /// How it begins.
        excerpt: String,
    },
}

/// Reads a response body. `turn` goes into the ids of calls that came without
/// one, so that they differ from turn to turn.
pub fn parse(body: &str, turn: u32) -> Result<Answer, InvalidAnswer> {
    let body = body.trim_start_matches('\u{feff}').trim();
    let response: Value = serde_json::from_str(body).map_err(|error| not_json(body, &error))?;
    let choice = &response["choices"][0];
    let message = &choice["message"];
    let finish = choice["finish_reason"].as_str().unwrap_or_default();
    if let Some(message) = server_error(&response, choice, finish) {
        return Err(InvalidAnswer::ServerError { message: excerpt(&message) });
    }
    if !message.is_object() {
        return Err(InvalidAnswer::NoMessage { excerpt: excerpt(body) });
    }
    let cut = finish == "length";
    let text = text_of(message);
    let none = Vec::new();
    let sent = message["tool_calls"].as_array().unwrap_or(&none);
    let mut calls: Vec<Call> = Vec::new();
    let mut echoed = Vec::new();
    for (index, sent) in sent.iter().enumerate() {
        let id = match sent["id"].as_str() {
            Some(id) if !id.is_empty() && calls.iter().all(|call| call.id != id) => id.to_owned(),
            _ => format!("call{:02}{:03}", turn % 100, index % 1000),
        };
        let function = &sent["function"];
        let name = function["name"].as_str().unwrap_or_default().trim().to_owned();
        let arguments = arguments(&function["arguments"], cut);
        echoed.push(echo(sent, &id, &name, &arguments));
        calls.push(Call { id, name, arguments });
    }
    Ok(Answer { message: message_back(message, &text, echoed), text, calls, cut })
}

fn not_json(body: &str, error: &serde_json::Error) -> InvalidAnswer {
    let start: String = body.chars().take(16).collect::<String>().to_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return InvalidAnswer::Html { excerpt: excerpt(body) };
    }
    let problem = match body.is_empty() {
        true => "it is empty".to_owned(),
        false => error.to_string(),
    };
    InvalidAnswer::NotJson { problem, excerpt: excerpt(body) }
}

/// `{"error": …}` as most have it, `{"object": "error", "message": …}` as vLLM
/// had it, and an error on the choice as OpenRouter has it.
fn server_error(response: &Value, choice: &Value, finish: &str) -> Option<String> {
    let worded = |error: &Value| match error {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        error => Some(error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned)),
    };
    if !choice["message"].is_object() {
        if let Some(message) = worded(&response["error"]) {
            return Some(message);
        }
        if response["object"] == "error" {
            return worded(response);
        }
    }
    match worded(&choice["error"]) {
        None if finish == "error" => Some("the model's turn ended with an error".to_owned()),
        message => message,
    }
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|p| p.as_str().or_else(|| p["text"].as_str())).collect()
        }
        _ => message["refusal"].as_str().unwrap_or_default().to_owned(),
    }
}

fn arguments(sent: &Value, cut: bool) -> Result<Value, BadArguments> {
    let text = match sent {
        Value::Null => "",
        Value::String(text) => text.trim(),
        other => return Ok(other.clone()),
    };
    // Nothing of arguments that were cut before they began is not `{}`.
    if text.is_empty() && !cut {
        return Ok(json!({}));
    }
    match serde_json::from_str(text) {
        Ok(Value::String(inner)) => Ok(serde_json::from_str(&inner).unwrap_or(Value::from(inner))),
        Ok(value) => Ok(value),
        Err(error) => Err(BadArguments { cut, problem: error.to_string() }),
    }
}

fn echo(sent: &Value, id: &str, name: &str, arguments: &Result<Value, BadArguments>) -> Value {
    let arguments = arguments.as_ref().map_or_else(|_| "{}".to_owned(), Value::to_string);
    let mut call = sent.as_object().cloned().unwrap_or_default();
    // Belongs to the stream format; servers refuse it in a request.
    call.shift_remove("index");
    call.insert("id".to_owned(), Value::from(id));
    call.insert("type".to_owned(), Value::from("function"));
    call.insert("function".to_owned(), json!({ "name": name, "arguments": arguments }));
    Value::Object(call)
}

fn message_back(sent: &Value, text: &str, calls: Vec<Value>) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), Value::from("assistant"));
    if calls.is_empty() {
        // Several servers refuse a message that says nothing.
        let text = if text.trim().is_empty() { "(no content)" } else { text };
        message.insert("content".to_owned(), Value::from(text));
        return Value::Object(message);
    }
    let content = if text.is_empty() { Value::Null } else { Value::from(text) };
    message.insert("content".to_owned(), content);
    for reasoning in ["reasoning_content", "reasoning_details"] {
        if let Some(value) = sent.get(reasoning).filter(|value| !value.is_null()) {
            message.insert(reasoning.to_owned(), value.clone());
        }
    }
    message.insert("tool_calls".to_owned(), Value::Array(calls));
    Value::Object(message)
}
