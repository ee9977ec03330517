//! What to say of a question without an answer: the question, and the entry to
//! paste into the answers file.

use serde_json::{Map, Value, json};

use super::answers::Entry;
use super::question::{Question, To};
use crate::llm::{Scene, Unanswered};
use crate::object::yaml;

/// Lines and characters of a request that are shown.
const LINES: usize = 60;
const CHARS: usize = 4000;
/// Deepest part of a schema that is written out.
const DEPTH: usize = 6;

/// What to say; `used` is an answer that fits and was used before.
pub fn unanswered(file: &str, question: &Question, used: Option<&Entry>) -> Unanswered {
    let who = match &question.to {
        To::Program { name, .. } => format!("the program `{name}`"),
        To::Model { scene: Some(Scene::Supervisor), .. } => "the supervisor".to_owned(),
        To::Model { .. } => "a model".to_owned(),
    };
    let role = question.role.as_ref().map(|role| format!(" for role `{role}`"));
    let role = role.unwrap_or_default();
    let message = match used {
        Some(entry) => format!(
            "{who} was asked{role} once more than {file} has answers (the one at line {} was used)",
            entry.place.line
        ),
        None => format!("{who} was asked{role}, and {file} has no answer for that"),
    };
    let entry = yaml::encode(&Value::Array(vec![entry(question)]));
    let detail = format!(
        "{message}\n\nThe request:\n\n{}\nAdd an answer to `answers` in {file}:\n\n{}",
        indented(&shown(question), "  | "),
        indented(entry.trim_end(), "  "),
    );
    Unanswered { message, detail: detail.trim_end().to_owned() }
}

/// The newest message, or the arguments.
fn shown(question: &Question) -> String {
    match &question.to {
        To::Program { name, args } => {
            let args = args.iter().map(|arg| format!("  {}", arg.replace('\n', "\n  ")));
            format!("{name}\n{}", args.collect::<Vec<_>>().join("\n"))
        }
        To::Model { texts, .. } => {
            let last = texts.iter().rev().find(|text| !text.trim().is_empty());
            last.cloned().unwrap_or_default()
        }
    }
}

fn indented(text: &str, by: &str) -> String {
    let end = text.char_indices().nth(CHARS).map_or(text.len(), |(end, _)| end);
    let lines: Vec<&str> = text[..end].lines().collect();
    let shown =
        lines.iter().take(LINES).map(|line| format!("{by}{line}").trim_end().to_owned() + "\n");
    let mut out: String = shown.collect();
    if lines.len() > LINES || end < text.len() {
        out += &format!("{by}…\n");
    }
    out
}

/// An entry that answers this question, for its author to fill in.
fn entry(question: &Question) -> Value {
    let mut entry = matchers(question);
    let (key, value) = match &question.to {
        To::Program { .. } => ("stdout", Value::from("…")),
        To::Model { scene: Some(Scene::Supervisor), .. } => ("decision", Value::from("continue")),
        To::Model { result: Some((_, schema)), .. } => ("meta", sample(schema, DEPTH)),
        To::Model { .. } => ("text", Value::from("…")),
    };
    entry.insert(key.to_owned(), value);
    Value::Object(entry)
}

/// What an entry for this question is matched by.
pub fn matchers(question: &Question) -> Map<String, Value> {
    let mut entry = Map::new();
    let mut put = |key: &str, value: &str| entry.insert(key.to_owned(), Value::from(value));
    match &question.to {
        To::Program { name, .. } => drop(put("program", name)),
        To::Model { scene: Some(Scene::Supervisor), .. } => drop(put("scene", "supervisor")),
        To::Model { .. } => {}
    }
    if let Some(role) = question.role.as_ref().filter(|_| !question.is_supervisors()) {
        put("role", role);
    }
    entry
}

/// A value that fits a JSON Schema, as far as that can be told.
fn sample(schema: &Value, depth: usize) -> Value {
    let first = |key: &str| schema[key].as_array().and_then(|list| list.first()).cloned();
    if let Some(value) = schema.get("const").cloned().or_else(|| first("enum")) {
        return value;
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(option) = first(key) {
            let mut chosen = sample(&option, depth);
            if let (Value::Object(chosen), Value::Object(own)) =
                (&mut chosen, object(schema, depth))
            {
                for (name, value) in own {
                    chosen.entry(name).or_insert(value);
                }
            }
            return chosen;
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.first().and_then(Value::as_str).unwrap_or_default(),
        kind => kind.as_str().unwrap_or_default(),
    };
    match kind {
        "string" => json!("…"),
        "integer" | "number" => {
            let above = schema["exclusiveMinimum"].as_i64().map(|n| n + 1);
            json!(schema["minimum"].as_i64().or(above).unwrap_or(0).max(0))
        }
        "boolean" => json!(true),
        "array" => match depth {
            0 => json!([]),
            _ if schema["items"].is_object() => json!([sample(&schema["items"], depth - 1)]),
            _ => json!([]),
        },
        "null" => Value::Null,
        _ => object(schema, depth),
    }
}

fn object(schema: &Value, depth: usize) -> Value {
    let mut made = Map::new();
    if depth > 0 {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            made.insert(name.clone(), sample(field, depth - 1));
        }
    }
    Value::Object(made)
}
