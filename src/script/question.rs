use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::llm::{Asker, Scene};

/// What a bundle wants to know: of a model, or of an agent program.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The role that asks, where that is known.
    pub role: Option<String>,
    /// Who is asked.
    pub to: To,
}

/// Who is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum To {
    /// A model.
    Model {
        /// The kind of request; none for one that the bundle sent by itself.
        scene: Option<Scene>,
        /// The texts of all messages.
        texts: Vec<String>,
        /// The function whose arguments are the result: name and JSON Schema.
        result: Option<(String, Value)>,
    },
    /// A program.
    Program {
        /// Its name.
        name: String,
        /// Its arguments.
        args: Vec<String>,
    },
}

/// A program that was started, as its stand-in tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// Its name.
    pub name: String,
    /// Its arguments; what is no UTF-8 in them is replaced.
    pub args: Vec<String>,
    /// The role that it works for.
    pub role: Option<String>,
}

impl Question {
    /// A chat request. `asker` is none where the bundle sent it by itself.
    pub fn chat(asker: Option<&Asker>, body: &Value) -> Question {
        let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let texts = messages.iter().map(|message| text(&message["content"])).collect();
        let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        // The loops of this program name it last; `cas_get` alone is none.
        let result = tools.last().map(|tool| &tool["function"]).and_then(|function| {
            let name = function["name"].as_str().filter(|name| *name != "cas_get")?;
            Some((name.to_owned(), function["parameters"].clone()))
        });
        let scene = asker.map(|asker| asker.scene);
        let role = asker.and_then(|asker| asker.role.clone());
        Question { role, to: To::Model { scene, texts, result } }
    }

    /// A program that was started.
    pub fn program(started: &Started) -> Question {
        let Started { name, args, role } = started.clone();
        Question { role, to: To::Program { name, args } }
    }

    /// What patterns are searched in: the texts of all messages, one after the
    /// other; a program's arguments, with blanks in between.
    pub fn text(&self) -> String {
        match &self.to {
            To::Model { texts, .. } => texts.join("\n"),
            To::Program { args, .. } => args.join(" "),
        }
    }

    /// The supervisor's question.
    pub fn is_supervisors(&self) -> bool {
        matches!(self.to, To::Model { scene: Some(Scene::Supervisor), .. })
    }
}

/// The text of a message, which may come in parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}
