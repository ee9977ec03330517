//! An answers file from its text, and what is wrong with one.

use regex::Regex;
use serde_json::Value;

use super::answers::{Answer, AnswersFile, Entry, Expected, ExpectedStep};
use crate::bundle::{Field, FieldError, closest};
use crate::llm::Scene;
use crate::llm::supervisor::Decision;
use crate::object::WorkflowName;
use crate::object::yaml::{self, Place, place_of};

const FILE_KEYS: [&str; 6] =
    ["prompt", "maxRounds", "supervisorInterval", "workflows", "answers", "expect"];
const MATCHERS: [&str; 4] = ["role", "match", "scene", "program"];
const MODEL_ANSWERS: [&str; 5] = ["meta", "text", "toolCalls", "decision", "error"];
const PROGRAM_ANSWERS: [&str; 3] = ["stdout", "stderr", "exitCode"];
const EXPECT_KEYS: [&str; 3] = ["steps", "returnCode", "summary"];
const STEP_KEYS: [&str; 3] = ["role", "meta", "content"];

/// An answers file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{}:{}: {message}", place.line, place.column)]
pub struct AnswersError {
    /// The file as the user named it.
    pub file: String,
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to write.
    pub help: String,
}

/// What is wrong with a field, and what to write.
struct Problem {
    path: Vec<String>,
    message: String,
    help: String,
}

impl From<FieldError> for Problem {
    fn from(error: FieldError) -> Problem {
        let key = error.path.last().map(String::as_str).unwrap_or_default();
        let help = example(key);
        Problem { message: error.to_string(), path: error.path, help: help.to_owned() }
    }
}

/// How a field is written.
fn example(key: &str) -> &'static str {
    match key {
        "prompt" => "write `prompt: \"the task\"`",
        "maxRounds" => "write `maxRounds: 10`",
        "supervisorInterval" => "write `supervisorInterval: 3`, or 0 for never",
        "workflows" => "write names and bundles, as in `workflows: { review: ./review.esm.js }`",
        "answers" => "write a list: `answers:`, and below it `  - role: reporter` and so on",
        "role" => "write a role's name in quotes, as in `role: \"reporter\"`",
        "match" => "write a regular expression in quotes, as in `match: \"crash(es)?\"`",
        "scene" => "write `scene: extract`, `scene: agent` or `scene: supervisor`",
        "program" => "write the program's name, as in `program: hermes`",
        "meta" => "write a mapping, as in `meta: { severity: 3 }`",
        "text" | "stdout" | "stderr" | "content" | "summary" => {
            "write text in quotes, or as a block after `|`"
        }
        "toolCalls" => "write a list, as in `toolCalls: [{ name: read, arguments: { path: a } }]`",
        "decision" => "write `decision: continue` or `decision: stop`",
        "error" => "write `error: { status: 429, message: \"slow down\" }`",
        "status" => "write a status from 400 to 599, as in `status: 429`",
        "exitCode" => "write a number from 0 to 255, as in `exitCode: 1`",
        "returnCode" => "write a number, as in `returnCode: 0`",
        "steps" => "write a list of steps, as in `steps: [{ role: reporter }]`",
        _ => "an answers file is a mapping with `prompt`, `answers` and `expect`",
    }
}

impl AnswersFile {
    /// Reads the text of an answers file; `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<AnswersFile, AnswersError> {
        let value = yaml::decode(text).map_err(|error| AnswersError {
            file: name.to_owned(),
            place: Place { line: error.line, column: error.column },
            message: format!("not YAML: {}", error.message),
            help: "text with `:`, `#` or quotes in it stands in double quotes".to_owned(),
        })?;
        file(name, text, &value).map_err(|problem| AnswersError {
            file: name.to_owned(),
            place: place_of(text, &problem.path),
            message: problem.message,
            help: problem.help,
        })
    }
}

fn file(name: &str, text: &str, value: &Value) -> Result<AnswersFile, Problem> {
    let empty = Value::Object(Default::default());
    let root = Field::root(if value.is_null() { &empty } else { value });
    known_keys(&root, &FILE_KEYS)?;
    let answers = match root.get("answers").present() {
        Some(list) => {
            list.items()?.iter().map(|item| entry(text, item)).collect::<Result<_, _>>()?
        }
        None => Vec::new(),
    };
    let workflows = match root.get("workflows").present() {
        Some(map) => map.entries()?.into_iter().map(workflow).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let expect = match root.get("expect").present() {
        Some(field) => expected(&field)?,
        None => Expected::default(),
    };
    Ok(AnswersFile {
        name: name.to_owned(),
        prompt: optional(&root, "prompt", Field::string)?.map(str::to_owned),
        max_rounds: optional(&root, "maxRounds", Field::count)?,
        supervisor_interval: optional(&root, "supervisorInterval", Field::count)?,
        workflows,
        answers,
        expect,
    })
}

fn workflow((name, field): (&str, Field<'_>)) -> Result<(WorkflowName, String), Problem> {
    let file = field
        .string()
        .map_err(|error| Problem { help: example("workflows").to_owned(), ..error.into() })?;
    let name = name.parse().map_err(|_| {
        let message = format!("`{name}` is not a workflow name");
        problem(&field, message, "names are lower-case words joined by `-`")
    })?;
    Ok((name, file.to_owned()))
}

fn entry(text: &str, field: &Field<'_>) -> Result<Entry, Problem> {
    let keys = [&MATCHERS[..], &MODEL_ANSWERS, &PROGRAM_ANSWERS].concat();
    known_keys(field, &keys)?;
    let program = optional(field, "program", Field::string)?.map(str::to_owned);
    if let Some(name) = &program
        && (name.is_empty() || name.contains('/') || name == env!("CARGO_PKG_NAME"))
    {
        let problem = field.get("program").wrong("the name of a program in the search path");
        return Err(FieldError { found: "not one", ..problem }.into());
    }
    let (given, others) = match program {
        Some(_) => (&PROGRAM_ANSWERS[..], &MODEL_ANSWERS[..]),
        None => (&MODEL_ANSWERS[..], &PROGRAM_ANSWERS[..]),
    };
    let has = |keys: &[&'static str]| -> Vec<&'static str> {
        keys.iter().copied().filter(|key| field.get(key).present().is_some()).collect()
    };
    if let [foreign, ..] = has(others)[..] {
        let message = match program {
            Some(_) => format!("`{foreign}` is what a model answers, and this is a program"),
            None => format!("`{foreign}` is what a program answers, and no `program` is named"),
        };
        let help = match program {
            Some(_) => "a program answers with `stdout`, `stderr` and `exitCode`",
            None => "name it, as in `program: hermes`, or answer with `meta` or `text`",
        };
        return Err(problem(&field.get(foreign), message, help));
    }
    let answer = match (&program, &has(given)[..]) {
        (Some(_), _) => program_answer(field)?,
        (None, [one]) => model_answer(one, &field.get(one))?,
        (None, []) => {
            let help = "add `meta: { … }` or `text: \"…\"` (or `toolCalls`, `decision`, `error`)";
            return Err(problem(field, "this answer has nothing to answer".to_owned(), help));
        }
        (None, [one, two, ..]) => {
            let message = format!("`{one}` and `{two}` are two answers");
            return Err(problem(
                &field.get(two),
                message,
                "make two entries of it: each answers once",
            ));
        }
    };
    let scene = scene(field, &answer)?;
    if scene == Some(Scene::Supervisor)
        && !matches!(answer, Answer::Decision(_) | Answer::Text(_) | Answer::Error { .. })
    {
        let message = "the supervisor gives a decision".to_owned();
        return Err(problem(field, message, example("decision")));
    }
    let place = place_of(text, &field.wrong("").path);
    let role = optional(field, "role", Field::string)?.map(str::to_owned);
    Ok(Entry { role, pattern: pattern(field)?, scene, program, answer, place })
}

fn scene(field: &Field<'_>, answer: &Answer) -> Result<Option<Scene>, Problem> {
    let given = field.get("scene");
    let named = match optional(field, "scene", Field::string)? {
        Some(name) => Some(Scene::named(name).ok_or_else(|| {
            problem(&given, format!("there is no scene `{name}`"), example("scene"))
        })?),
        None => None,
    };
    match (named, answer) {
        (None | Some(Scene::Supervisor), Answer::Decision(_)) => Ok(Some(Scene::Supervisor)),
        (Some(_), Answer::Decision(_)) => {
            let message = "only the supervisor decides".to_owned();
            Err(problem(&given, message, "write `scene: supervisor`"))
        }
        (Some(_), Answer::Program { .. }) => {
            let message = "a program has no scene".to_owned();
            Err(problem(&given, message, "leave `scene` out"))
        }
        (named, _) => Ok(named),
    }
}

fn pattern(field: &Field<'_>) -> Result<Option<Regex>, Problem> {
    let Some(text) = optional(field, "match", Field::string)? else { return Ok(None) };
    Regex::new(text).map(Some).map_err(|error| {
        let error = error.to_string();
        let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
        let message = format!("`{text}` is not a regular expression: {reason}");
        problem(
            &field.get("match"),
            message,
            "characters such as ( [ . * + ? | { stand for themselves after a `\\`",
        )
    })
}

fn model_answer(key: &str, field: &Field<'_>) -> Result<Answer, Problem> {
    Ok(match key {
        "meta" => Answer::Meta(Value::Object(field.object()?.clone())),
        "text" => Answer::Text(field.string()?.to_owned()),
        "toolCalls" => {
            Answer::ToolCalls(field.items()?.iter().map(tool_call).collect::<Result<_, _>>()?)
        }
        "decision" => match field.string()? {
            "continue" => Answer::Decision(Decision::Continue),
            "stop" => Answer::Decision(Decision::Stop),
            other => {
                let message = format!("`{other}` is no decision");
                return Err(problem(field, message, example("decision")));
            }
        },
        _ => {
            known_keys(field, &["status", "message"])?;
            let given = field.get("status");
            let status = u16::try_from(given.count()?).ok().filter(|s| (400..600).contains(s));
            let status = status.ok_or_else(|| {
                problem(&given, "this status is no failure".to_owned(), example("status"))
            })?;
            let message = optional(field, "message", Field::string)?.unwrap_or("scripted failure");
            Answer::Error { status, message: message.to_owned() }
        }
    })
}

fn tool_call(field: &Field<'_>) -> Result<(String, Value), Problem> {
    known_keys(field, &["name", "arguments"])?;
    let arguments = field.object()?.get("arguments").cloned();
    let arguments = arguments.unwrap_or_else(|| Value::Object(Default::default()));
    Ok((field.get("name").string()?.to_owned(), arguments))
}

fn program_answer(field: &Field<'_>) -> Result<Answer, Problem> {
    let code = field.get("exitCode");
    let exit_code = match code.clone().present() {
        Some(given) => u8::try_from(given.count()?).map_err(|_| {
            problem(&code, "no program can end with this code".to_owned(), example("exitCode"))
        })?,
        None => 0,
    };
    let text = |key| Ok::<_, FieldError>(optional(field, key, Field::string)?.unwrap_or_default());
    let (stdout, stderr) = (text("stdout")?.to_owned(), text("stderr")?.to_owned());
    Ok(Answer::Program { stdout, stderr, exit_code })
}

fn expected(field: &Field<'_>) -> Result<Expected, Problem> {
    known_keys(field, &EXPECT_KEYS)?;
    let steps = match field.get("steps").present() {
        Some(steps) => Some(steps.items()?.iter().map(step).collect::<Result<Vec<_>, _>>()?),
        None => None,
    };
    Ok(Expected {
        steps,
        return_code: optional(field, "returnCode", Field::integer)?,
        summary: optional(field, "summary", Field::string)?.map(str::to_owned),
    })
}

fn step(field: &Field<'_>) -> Result<ExpectedStep, Problem> {
    known_keys(field, &STEP_KEYS)?;
    Ok(ExpectedStep {
        role: optional(field, "role", Field::string)?.map(str::to_owned),
        meta: optional(field, "meta", Field::object)?.cloned(),
        content: optional(field, "content", Field::string)?.map(str::to_owned),
    })
}

fn optional<'v, T>(
    field: &Field<'v>,
    key: &str,
    read: impl Fn(&Field<'v>) -> Result<T, FieldError>,
) -> Result<Option<T>, FieldError> {
    field.get(key).present().map(|field| read(&field)).transpose()
}

fn problem(field: &Field<'_>, message: String, help: &str) -> Problem {
    Problem { path: field.wrong("").path, message, help: help.to_owned() }
}

/// Refuses a key that means nothing: it is a mistyped one.
fn known_keys(field: &Field<'_>, known: &[&str]) -> Result<(), Problem> {
    for (key, value) in field.entries()? {
        if known.contains(&key) {
            continue;
        }
        let help = match closest(key, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there can be `{}`", known.join("`, `")),
        };
        return Err(problem(&value, format!("there is no `{key}` here"), &help));
    }
    Ok(())
}
