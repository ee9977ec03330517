use serde_json::{Map, Value, json};

use super::answers::Answer;
use super::compare::{Happened, HappenedStep};
use super::question::Question;
use super::{paste, reply};
use crate::bundle::Config;
use crate::object::yaml;

/// What models and programs really answered, in the order in which they were asked.
#[derive(Debug, Default)]
pub struct Recording {
    entries: Vec<Option<Value>>,
}

/// What a recording needs, beside its answers, to be replayed.
#[derive(Debug, Clone, Copy)]
pub struct Replayed<'a> {
    /// The task.
    pub prompt: &'a str,
    /// Steps that the thread might take.
    pub max_rounds: u64,
    /// After how many steps the supervisor was asked, where he was.
    pub supervisor_interval: u64,
    /// What came of it; none where nothing can be expected.
    pub happened: Option<&'a Happened>,
}

impl Recording {
    /// Keeps a place for the answer to a question that is asked now.
    pub fn begin(&mut self) -> usize {
        self.entries.push(None);
        self.entries.len() - 1
    }

    /// Puts the answer into its place.
    pub fn end(&mut self, place: usize, question: &Question, answer: &Answer) {
        let mut entry = paste::matchers(question);
        let fields = match answer {
            Answer::Meta(meta) => json!({ "meta": meta }),
            Answer::Text(text) => json!({ "text": text }),
            Answer::ToolCalls(calls) => {
                let call = |(name, arguments)| json!({ "name": name, "arguments": arguments });
                json!({ "toolCalls": calls.iter().cloned().map(call).collect::<Vec<_>>() })
            }
            Answer::Decision(decision) => json!({ "decision": reply::word(*decision) }),
            Answer::Error { status, message } => {
                json!({ "error": { "status": status, "message": message } })
            }
            Answer::Program { stdout, stderr, exit_code } => {
                let mut fields = json!({ "stdout": stdout });
                if !stderr.is_empty() {
                    fields["stderr"] = json!(stderr);
                }
                if *exit_code != 0 {
                    fields["exitCode"] = json!(exit_code);
                }
                fields
            }
        };
        entry.extend(fields.as_object().cloned().unwrap_or_default());
        if let Some(slot) = self.entries.get_mut(place) {
            *slot = Some(Value::Object(entry));
        }
    }

    /// The answers file, with which `test` expects what happened to happen again.
    /// Questions whose answer never came are left out.
    pub fn to_text(&self, replayed: &Replayed<'_>) -> String {
        let Replayed { prompt, max_rounds, supervisor_interval, happened } = *replayed;
        let answers: Vec<&Value> = self.entries.iter().flatten().collect();
        let mut file = Map::new();
        file.insert("prompt".to_owned(), json!(prompt));
        if max_rounds != crate::engine::DEFAULT_MAX_ROUNDS {
            file.insert("maxRounds".to_owned(), json!(max_rounds));
        }
        let was_supervised = answers.iter().any(|answer| answer["scene"] == "supervisor");
        if was_supervised && supervisor_interval != Config::DEFAULT_SUPERVISOR_INTERVAL {
            file.insert("supervisorInterval".to_owned(), json!(supervisor_interval));
        }
        file.insert("answers".to_owned(), json!(answers));
        if let Some(happened) = happened {
            file.insert("expect".to_owned(), expect(happened));
        }
        yaml::encode(&Value::Object(file))
    }
}

fn expect(happened: &Happened) -> Value {
    let step = |step: &HappenedStep| json!({ "role": step.role, "meta": step.meta });
    let mut expect = Map::new();
    expect.insert("steps".to_owned(), happened.steps.iter().map(step).collect());
    if let Some((code, summary)) = &happened.end {
        expect.insert("returnCode".to_owned(), json!(code));
        expect.insert("summary".to_owned(), json!(summary));
    }
    Value::Object(expect)
}
