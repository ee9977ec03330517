use regex::Regex;
use serde_json::{Map, Value};

use crate::llm::Scene;
use crate::llm::supervisor::Decision;
use crate::object::WorkflowName;
use crate::object::yaml::Place;

/// An answers file: a prompt, answers, and what is expected to come of them.
///
/// ```yaml
/// prompt: "The app crashes when I rotate my phone"
/// maxRounds: 10
/// answers:
///   - role: reporter
///     meta: { severity: 3 }
/// expect:
///   steps:
///     - role: reporter
///       meta: { severity: 3 }
///   returnCode: 0
/// ```
#[derive(Debug, Clone)]
pub struct AnswersFile {
    /// The file as the user named it, for messages.
    pub name: String,
    /// The task.
    pub prompt: Option<String>,
    /// Steps that the thread may take.
    pub max_rounds: Option<u64>,
    /// After how many steps the supervisor is asked, 0 for never; where it is
    /// missing, that depends on whether there are answers for him.
    pub supervisor_interval: Option<u64>,
    /// Workflows that the bundle runs as children: names, and bundles' files as
    /// seen from the folder of this file.
    pub workflows: Vec<(WorkflowName, String)>,
    /// Each is used once, in this order among those that match.
    pub answers: Vec<Entry>,
    /// What a test holds the thread against.
    pub expect: Expected,
}

/// One answer and what it is an answer to. All that is given must hold.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The role that asks.
    pub role: Option<String>,
    /// Found in the text of the request, or in a program's arguments.
    pub pattern: Option<Regex>,
    /// The kind of request.
    pub scene: Option<Scene>,
    /// The program that is started; none for a model's answer.
    pub program: Option<String>,
    /// What to answer.
    pub answer: Answer,
    /// Where it stands in its file.
    pub place: Place,
}

/// What a model or a program answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A call of the function that gives the result, with these arguments.
    Meta(Value),
    /// A plain reply.
    Text(String),
    /// Calls of functions: name and arguments (a string stands as it is).
    ToolCalls(Vec<(String, Value)>),
    /// What the supervisor decides.
    Decision(Decision),
    /// The request fails with an HTTP status.
    Error {
        /// 400 to 599.
        status: u16,
        /// What the server says.
        message: String,
    },
    /// What a program writes, and how it ends.
    Program {
        /// On its standard output.
        stdout: String,
        /// On its standard error.
        stderr: String,
        /// 0 for success.
        exit_code: u8,
    },
}

/// What a test expects. What is not given may be anything, but for the return
/// code, which then must be 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expected {
    /// All steps, in their order.
    pub steps: Option<Vec<ExpectedStep>>,
    /// The thread's return code.
    pub return_code: Option<i64>,
    /// The thread's summary.
    pub summary: Option<String>,
}

/// One expected step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExpectedStep {
    /// Whose it is.
    pub role: Option<String>,
    /// Its whole meta.
    pub meta: Option<Map<String, Value>>,
    /// Its text.
    pub content: Option<String>,
}

impl Entry {
    /// What it is an answer to, in a few words.
    pub fn shown(&self) -> String {
        let mut parts = Vec::new();
        let mut part = |key: &str, value: Option<&str>| {
            parts.extend(value.map(|value| format!("{key}: {value}")));
        };
        part("program", self.program.as_deref());
        part("scene", self.scene.map(Scene::name));
        part("role", self.role.as_deref());
        part("match", self.pattern.as_ref().map(Regex::as_str));
        match parts.is_empty() {
            true => "any request".to_owned(),
            false => parts.join(", "),
        }
    }
}
