//! The ReAct loop: a model calls tools until it gives a value that is accepted.
//!
//! [`Machine`] does no I/O. Its caller sends the requests, runs the tools and
//! validates, and tells the machine what came of it:
//!
//! | after the output | the caller gives |
//! | --- | --- |
//! | — | [`Input::Begin`] |
//! | [`Output::Request`] | [`Input::Response`] with the response body |
//! | [`Output::ToolCall`] | [`Input::ToolResult`] with the same id |
//! | [`Output::Validate`] | [`Input::Accepted`] or [`Input::Rejected`] |
//! | [`Output::Done`], [`Output::Failed`] | nothing: it is over |
//!
//! Rules:
//!
//! - A round is one request. After the last the calls in its answer are still
//!   worked off, and then the loop fails.
//! - The calls in a message are worked off one by one, in their order. Each is
//!   answered by exactly one tool message, which providers demand. A value that
//!   is accepted ends the loop, whatever calls are left.
//! - A call of the structured tool is validated. A reply without calls is
//!   validated by the JSON in it ([`json_in`]); without a structured tool it is
//!   the result, as it stands.
//! - Whatever is wrong goes back to the model in words: arguments that are no
//!   JSON, were cut or are no object, an unknown tool (with the list of those
//!   there are) and what the validation said. To a call the words are its tool
//!   message, to a plain reply they are a user message.
//! - A response that is not a model's turn ([`InvalidAnswer`]) ends the loop as
//!   failed: the model can do nothing about it.
//! - Names that the API does not allow (other characters than letters, digits,
//!   `_` and `-`, more than 64, one twice) are changed on the wire only.

mod types;

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

use super::answer::{self, Call, InvalidAnswer, json_in};

pub use types::{Config, DEFAULT_MAX_ROUNDS, Failure, Input, Output, Tool};

/// One run of the loop.
#[derive(Debug, Clone)]
pub struct Machine {
    messages: Vec<Value>,
    tools: Vec<Known>,
    structured: Option<Known>,
    max_rounds: u32,
    rounds: u32,
    /// What was last found wrong, for the message when the rounds are used up.
    problem: Option<String>,
    state: State,
}

/// A tool and its name on the wire.
#[derive(Debug, Clone)]
struct Known {
    wire: String,
    tool: Tool,
}

#[derive(Debug, Clone)]
enum State {
    New,
    /// A request is out.
    Asking,
    /// A tool runs for this call; the others of its message wait.
    Running {
        id: String,
        waiting: VecDeque<Call>,
    },
    /// A value is validated: that of the call `id`, or of a plain reply.
    Judging {
        value: Value,
        id: Option<String>,
        waiting: VecDeque<Call>,
    },
    Over,
}

/// An input that does not follow the last output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the ReAct loop {expects}, not `{got}`")]
pub struct UnexpectedInput {
    /// What it waits for.
    pub expects: &'static str,
    /// What it got.
    pub got: &'static str,
}

impl Machine {
    /// A machine that waits for [`Input::Begin`].
    pub fn new(config: Config) -> Machine {
        let mut tools: Vec<Known> = Vec::new();
        for tool in config.tools {
            let wire = wire_name(&tool.name, &tools);
            tools.push(Known { wire, tool });
        }
        let structured =
            config.structured.map(|tool| Known { wire: wire_name(&tool.name, &tools), tool });
        Machine {
            messages: config.messages,
            tools,
            structured,
            max_rounds: config.max_rounds,
            rounds: 0,
            problem: None,
            state: State::New,
        }
    }

    /// One turn. An input out of order changes nothing.
    pub fn step(&mut self, input: Input) -> Result<Output, UnexpectedInput> {
        let got = input.kind();
        match (std::mem::replace(&mut self.state, State::Over), input) {
            (State::New, Input::Begin) => Ok(self.ask()),
            (State::Asking, Input::Response { body }) => Ok(self.read(&body)),
            (State::Running { id, waiting }, Input::ToolResult { id: answered, content })
                if id == answered =>
            {
                self.answer_call(&id, content);
                Ok(self.work(waiting))
            }
            (State::Judging { value, .. }, Input::Accepted) => Ok(Output::Done { value }),
            (State::Judging { id, waiting, .. }, Input::Rejected { problem }) => {
                self.reject(id.as_deref(), &problem);
                Ok(self.work(waiting))
            }
            (state, _) => {
                let expects = state.expects();
                self.state = state;
                Err(UnexpectedInput { expects, got })
            }
        }
    }

    fn ask(&mut self) -> Output {
        if self.rounds >= self.max_rounds {
            let mut message = format!("no accepted answer in {} rounds", self.rounds);
            if let Some(problem) = &self.problem {
                message = format!("{message}; the last problem: {problem}");
            }
            return Output::Failed { code: Failure::MaxReactRoundsExceeded, message };
        }
        self.rounds += 1;
        self.state = State::Asking;
        Output::Request { body: self.request() }
    }

    /// Without tools there is no `tools`: an empty list is refused by servers.
    fn request(&self) -> Value {
        let mut body = Map::new();
        body.insert("messages".to_owned(), Value::Array(self.messages.clone()));
        let tools: Vec<Value> = self.known().map(Known::on_the_wire).collect();
        if !tools.is_empty() {
            body.insert("tools".to_owned(), Value::Array(tools));
            body.insert("tool_choice".to_owned(), Value::from("auto"));
        }
        Value::Object(body)
    }

    fn known(&self) -> impl Iterator<Item = &Known> {
        self.tools.iter().chain(&self.structured)
    }

    fn read(&mut self, body: &str) -> Output {
        match answer::parse(body, self.rounds) {
            Ok(answer) => {
                self.messages.push(answer.message);
                if answer.calls.is_empty() {
                    self.read_plain(answer.text, answer.cut)
                } else {
                    self.work(answer.calls.into())
                }
            }
            Err(error) => invalid_response(&error),
        }
    }

    fn read_plain(&mut self, text: String, cut: bool) -> Output {
        if self.structured.is_none() {
            return Output::Done { value: Value::from(text) };
        }
        // Of a reply that was cut off only a whole value is certainly complete.
        let value = if cut { serde_json::from_str(text.trim()).ok() } else { json_in(&text) };
        match value {
            Some(value) => self.judge(value, None, VecDeque::new()),
            None => {
                let problem = match (cut, text.trim().is_empty()) {
                    (true, _) => "the reply was cut off by the token limit",
                    (false, true) => "the reply was empty",
                    (false, false) => "there is no JSON in the reply",
                };
                self.reject(None, problem);
                self.ask()
            }
        }
    }

    fn judge(&mut self, value: Value, id: Option<String>, waiting: VecDeque<Call>) -> Output {
        self.state = State::Judging { value: value.clone(), id, waiting };
        Output::Validate { value }
    }

    /// Works calls off until one needs the caller; then asks the model again.
    fn work(&mut self, mut waiting: VecDeque<Call>) -> Output {
        while let Some(Call { id, name, arguments }) = waiting.pop_front() {
            let arguments = match arguments {
                Ok(arguments) => arguments,
                Err(error) => {
                    self.refuse_call(&id, error.to_string());
                    continue;
                }
            };
            if self.structured.as_ref().is_some_and(|known| known.wire == name) {
                return self.judge(arguments, Some(id), waiting);
            }
            let Some(known) = self.tools.iter().find(|known| known.wire == name) else {
                self.refuse_call(&id, self.unknown(&name));
                continue;
            };
            if !arguments.is_object() {
                self.refuse_call(&id, "the arguments must be a JSON object".to_owned());
                continue;
            }
            let name = known.tool.name.clone();
            self.state = State::Running { id: id.clone(), waiting };
            return Output::ToolCall { id, name, arguments };
        }
        self.ask()
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> = self.known().map(|known| known.wire.as_str()).collect();
        match names.is_empty() {
            true => format!("there is no tool `{name}`, and no other: answer in text"),
            false => format!("there is no tool `{name}`; the tools are: {}", names.join(", ")),
        }
    }

    fn reject(&mut self, id: Option<&str>, problem: &str) {
        let name = self.structured.as_ref().map_or("", |known| &known.wire);
        match id {
            Some(id) => {
                let content = format!(
                    "Not accepted: {problem}\nCall `{name}` again with corrected arguments."
                );
                self.answer_call(id, content);
            }
            None => {
                let content = format!(
                    "Not accepted: {problem}\nCall the tool `{name}`, or reply with nothing but the JSON of its arguments."
                );
                self.messages.push(json!({ "role": "user", "content": content }));
            }
        }
        self.problem = Some(problem.to_owned());
    }

    fn refuse_call(&mut self, id: &str, problem: String) {
        self.answer_call(id, format!("ERROR: {problem}"));
        self.problem = Some(problem);
    }

    fn answer_call(&mut self, id: &str, content: String) {
        let message = json!({ "role": "tool", "tool_call_id": id, "content": content });
        self.messages.push(message);
    }
}

impl Known {
    fn on_the_wire(&self) -> Value {
        let Tool { description, parameters, .. } = &self.tool;
        let function =
            json!({ "name": self.wire, "description": description, "parameters": parameters });
        json!({ "type": "function", "function": function })
    }
}

impl State {
    fn expects(&self) -> &'static str {
        match self {
            State::New => "expects `begin`",
            State::Asking => "expects `response`",
            State::Running { .. } => "expects `toolResult` with the id of the call",
            State::Judging { .. } => "expects `accepted` or `rejected`",
            State::Over => "is over",
        }
    }
}

fn invalid_response(error: &InvalidAnswer) -> Output {
    Output::Failed { code: Failure::InvalidResponse, message: error.to_string() }
}

/// `name` as the API allows it, and not as one of `taken`.
fn wire_name(name: &str, taken: &[Known]) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = name.trim().chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    let name = if name.is_empty() { "_" } else { &name };
    let mut wire = name[..name.len().min(64)].to_owned();
    for n in 2.. {
        if taken.iter().all(|known| known.wire != wire) {
            break;
        }
        wire = format!("{}_{n}", &name[..name.len().min(60)]);
    }
    wire
}
