//! Answers as models' responses, and responses as answers.

use serde_json::{Value, json};

use super::answers::Answer;
use super::question::{Question, To};
use crate::llm::supervisor::{self, Decision};
use crate::llm::{Error, answer};

/// The response with this answer; `Err` is the status and the body of a failure.
pub fn response(answer: &Answer, question: &Question, model: &str) -> Result<Value, (u16, Value)> {
    let message = match answer {
        Answer::Text(text) => said(text),
        Answer::Decision(decision) => said(&json!({ "decision": word(*decision) }).to_string()),
        Answer::Meta(meta) => {
            let To::Model { result: Some((name, _)), .. } = &question.to else {
                return Ok(completion(said(&meta.to_string()), model));
            };
            calls(&[(name.clone(), meta.clone())])
        }
        Answer::ToolCalls(list) => calls(list),
        Answer::Error { status, message } => {
            let error = json!({ "message": message, "type": "scripted", "code": null });
            return Err((*status, json!({ "error": error })));
        }
        Answer::Program { stdout, .. } => said(stdout),
    };
    Ok(completion(message, model))
}

fn said(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

fn calls(list: &[(String, Value)]) -> Value {
    let call = |(n, (name, arguments)): (usize, &(String, Value))| {
        let arguments = match arguments {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let function = json!({ "name": name, "arguments": arguments });
        json!({ "id": format!("call_{n}"), "type": "function", "function": function })
    };
    let calls: Vec<Value> = list.iter().enumerate().map(call).collect();
    json!({ "role": "assistant", "content": null, "tool_calls": calls })
}

fn completion(message: Value, model: &str) -> Value {
    let reason = if message["tool_calls"].is_array() { "tool_calls" } else { "stop" };
    json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
        "usage": { "prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0 },
    })
}

/// The word for a decision in an answers file.
pub fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Continue => "continue",
        Decision::Stop => "stop",
    }
}

/// What a provider answered, as an answer to write down.
pub fn answer_of(question: &Question, response: &Result<String, Error>) -> Answer {
    let body = match response {
        Ok(body) => body,
        Err(error) => {
            let message = error.body().filter(|body| !body.trim().is_empty());
            let message = message.map_or_else(|| error.to_string(), str::to_owned);
            // A failure without a status is told as the one that is most like it.
            return Answer::Error { status: error.status().unwrap_or(503), message };
        }
    };
    if question.is_supervisors()
        && let Ok(decision) = supervisor::parse(body)
    {
        return Answer::Decision(decision);
    }
    let turn = match answer::parse(body, 0) {
        Ok(turn) => turn,
        Err(invalid) => return Answer::Error { status: 502, message: invalid.to_string() },
    };
    let result = match &question.to {
        To::Model { result: Some((name, _)), .. } => Some(name),
        _ => None,
    };
    match turn.calls.as_slice() {
        [] => Answer::Text(turn.text),
        [call]
            if Some(&call.name) == result
                && call.arguments.as_ref().is_ok_and(Value::is_object) =>
        {
            Answer::Meta(call.arguments.clone().unwrap_or_default())
        }
        several => Answer::ToolCalls(
            several
                .iter()
                .map(|call| {
                    let arguments = call.arguments.clone();
                    (call.name.clone(), arguments.unwrap_or_else(|_| Value::from("{")))
                })
                .collect(),
        ),
    }
}
