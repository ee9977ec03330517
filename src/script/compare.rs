use serde_json::{Map, Value, json};

use super::answers::{Expected, ExpectedStep};
use crate::object::yaml;

/// What came of a thread.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Happened {
    /// The steps of roles, in their order.
    pub steps: Vec<HappenedStep>,
    /// Return code and summary; none for a thread without an end.
    pub end: Option<(i64, String)>,
    /// The text of the end, where it says more than the summary: a stack.
    pub detail: Option<String>,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct HappenedStep {
    /// Whose it is.
    pub role: String,
    /// Its meta.
    pub meta: Map<String, Value>,
    /// Its text.
    pub content: String,
}

/// Expected and actual, with the same fields and in the same order.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// What was expected.
    pub expected: Value,
    /// What came.
    pub actual: Value,
}

/// Compares what is given in `expected`; none where all of it holds.
pub fn compare(expected: &Expected, happened: &Happened) -> Option<Difference> {
    let (mut wanted, mut found) = (Map::new(), Map::new());
    if let Some(steps) = &expected.steps {
        wanted.insert("steps".into(), steps.iter().map(wanted_step).collect());
        let none = ExpectedStep::default();
        let actual = happened.steps.iter().enumerate();
        let actual = actual.map(|(i, step)| {
            let extra = i >= steps.len();
            let wanted = steps.get(i).unwrap_or(&none);
            let mut fields = Map::new();
            let mut put = |key: &str, wanted: bool, value: Value| {
                if wanted || extra {
                    fields.insert(key.to_owned(), value);
                }
            };
            put("role", wanted.role.is_some(), json!(step.role));
            let model = wanted.meta.clone().map(Value::Object);
            let meta = like(&Value::Object(step.meta.clone()), model.as_ref());
            put("meta", wanted.meta.is_some(), meta);
            if wanted.content.is_some() {
                put("content", true, json!(step.content));
            }
            Value::Object(fields)
        });
        found.insert("steps".into(), actual.collect());
    }
    wanted.insert("returnCode".into(), json!(expected.return_code.unwrap_or(0)));
    let end = happened.end.as_ref();
    found.insert("returnCode".into(), end.map_or(Value::Null, |(code, _)| json!(code)));
    // A failure explains itself, also where its text was not asked for.
    let failed = wanted["returnCode"] != found["returnCode"];
    if let Some(summary) = &expected.summary {
        wanted.insert("summary".into(), json!(summary));
    }
    if expected.summary.is_some() || failed {
        found.insert("summary".into(), end.map_or(Value::Null, |(_, summary)| json!(summary)));
    }
    let (expected, actual) = (Value::Object(wanted), Value::Object(found));
    // Their texts: 3 and 3.0 are one number.
    (yaml::encode(&expected) != yaml::encode(&actual)).then_some(Difference { expected, actual })
}

fn wanted_step(step: &ExpectedStep) -> Value {
    let mut fields = Map::new();
    fields.extend(step.role.iter().map(|role| ("role".to_owned(), json!(role))));
    fields.extend(step.meta.iter().map(|meta| ("meta".to_owned(), json!(meta))));
    fields.extend(step.content.iter().map(|text| ("content".to_owned(), json!(text))));
    Value::Object(fields)
}

/// `value` with the keys of all its objects in the order of `model`, those
/// without one last.
fn like(value: &Value, model: Option<&Value>) -> Value {
    match (value, model) {
        (Value::Object(fields), Some(Value::Object(model))) => {
            let known = model.keys().filter(|key| fields.contains_key(*key));
            let others = fields.keys().filter(|key| !model.contains_key(*key));
            let ordered = known.chain(others);
            let ordered = ordered.map(|key| (key.clone(), like(&fields[key], model.get(key))));
            Value::Object(ordered.collect())
        }
        (Value::Array(items), Some(Value::Array(models))) => {
            items.iter().enumerate().map(|(i, item)| like(item, models.get(i))).collect()
        }
        _ => value.clone(),
    }
}

impl Difference {
    /// Both as YAML, line by line: two blanks before what they share, `-` before
    /// what was expected alone, `+` before what came alone.
    pub fn lines(&self) -> Vec<String> {
        let (old, new) = (yaml::encode(&self.expected), yaml::encode(&self.actual));
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut lines = Vec::new();
        let (mut i, mut j) = (0, 0);
        let common = common(&old, &new);
        for (at_old, at_new) in common.into_iter().chain([(old.len(), new.len())]) {
            lines.extend(old[i..at_old].iter().map(|line| format!("- {line}")));
            lines.extend(new[j..at_new].iter().map(|line| format!("+ {line}")));
            lines.extend(old.get(at_old).map(|line| format!("  {line}")));
            (i, j) = (at_old + 1, at_new + 1);
        }
        lines
    }
}

/// Most pairs of lines that are looked at; beyond that, nothing is shared.
const PAIRS: usize = 4_000_000;

/// The longest sequence of lines that both have, by their positions.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    if old.len() * new.len() > PAIRS {
        return Vec::new();
    }
    let width = new.len() + 1;
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = match old[i] == new[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}
