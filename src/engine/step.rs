use serde::Deserialize;
use serde_json::{Map, Value};

use crate::object::{ContentNode, Hash, Node, StateNode};
use crate::store::{Store, StoreError};

/// A yielded value that keeps the bundle contract (SPEC section 6).
#[derive(Debug, Clone, PartialEq)]
pub struct RoleOutput {
    /// The role.
    pub role: String,
    /// The content node that the bundle stored.
    pub content: ContentNode,
    /// Its hash as yielded.
    pub content_hash: Hash,
    /// The typed answer.
    pub meta: Map<String, Value>,
    /// Artifacts, without the content hash itself.
    pub refs: Vec<Hash>,
    /// The root of a thread that answered for this step.
    pub child_thread: Option<Hash>,
}

/// How a yielded value breaks the contract.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// Not an object.
    #[error("step {step} is not an object with role, contentHash, meta and refs")]
    NotAnObject {
        /// 1-based, counted over the whole thread.
        step: usize,
    },
    /// A field is missing or of the wrong type.
    #[error("{}{field} must be {expected}, not {found}", numbered(*step))]
    Field {
        /// 1-based, counted over the whole thread; 0 for what `run` returned.
        step: usize,
        /// The field's path.
        field: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A hash names nothing in the store.
    #[error("step {step}: {field} {hash} is not in the CAS; store it with runtime.cas.put first")]
    Missing {
        /// 1-based, counted over the whole thread.
        step: usize,
        /// The field's path.
        field: String,
        /// What it names.
        hash: Hash,
    },
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a bundle's `run` returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// 0 for success; the exit code of `run --wait`.
    pub return_code: i64,
    /// One line or more for people.
    pub summary: String,
}

/// Holds one yielded value to the contract. `step` is its 1-based number.
pub fn check_step(store: &Store, step: usize, value: &Value) -> Result<RoleOutput, StepError> {
    let check = Check { store, step, fields: value.as_object() };
    let fields = check.fields.ok_or(StepError::NotAnObject { step })?;

    let role = match fields.get("role") {
        Some(Value::String(role)) if role.starts_with("__") => {
            return Err(check.field(
                "role",
                "a name that does not begin with __",
                fields.get("role"),
            ));
        }
        Some(Value::String(role)) if !role.is_empty() => role.clone(),
        other => return Err(check.field("role", "a non-empty string", other)),
    };
    let content_hash = check.hash("contentHash", fields.get("contentHash"))?;
    check.exists("contentHash", content_hash)?;
    let found = fields.get("contentHash");
    let content = match store.node(&content_hash) {
        Ok(Some(Node::Content(content))) => content,
        Ok(Some(_)) | Err(StoreError::NotANode { .. }) => {
            return Err(check.field("contentHash", "the hash of a content node", found));
        }
        Err(error) => return Err(error.into()),
        Ok(None) => {
            let field = "contentHash".to_owned();
            return Err(StepError::Missing { step, field, hash: content_hash });
        }
    };
    let meta = match fields.get("meta") {
        Some(Value::Object(meta)) => meta.clone(),
        other => return Err(check.field("meta", "an object", other)),
    };
    let mut refs = Vec::new();
    match fields.get("refs") {
        Some(Value::Array(list)) => {
            for (i, item) in list.iter().enumerate() {
                let hash = check.hash(&format!("refs[{i}]"), Some(item))?;
                if hash != content_hash && !refs.contains(&hash) {
                    check.exists(&format!("refs[{i}]"), hash)?;
                    refs.push(hash);
                }
            }
        }
        other => return Err(check.field("refs", "an array of hashes", other)),
    }
    let child_thread = match fields.get("childThread") {
        None | Some(Value::Null) => None,
        some => {
            let hash = check.hash("childThread", some)?;
            check.exists("childThread", hash)?;
            Some(hash)
        }
    };
    Ok(RoleOutput { role, content, content_hash, meta, refs, child_thread })
}

/// Holds the value that `run` returned to the contract.
pub fn check_completion(value: &Value) -> Result<Completion, StepError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Returned {
        return_code: f64,
        summary: String,
    }
    let wrong = || StepError::Field {
        step: 0,
        field: "the returned value".to_owned(),
        expected: "{ returnCode: integer, summary: string }",
        found: describe(Some(value)),
    };
    let returned: Returned = serde_json::from_value(value.clone()).map_err(|_| wrong())?;
    if returned.return_code.fract() != 0.0 || returned.return_code.abs() > f64::from(i32::MAX) {
        return Err(wrong());
    }
    Ok(Completion { return_code: returned.return_code as i64, summary: returned.summary })
}

/// How a thread ended, as its `__end__` state has it.
pub fn completion_of(end: &StateNode) -> Completion {
    Completion {
        return_code: end.meta.get("returnCode").and_then(Value::as_i64).unwrap_or(1),
        summary: end.meta.get("summary").and_then(Value::as_str).unwrap_or_default().to_owned(),
    }
}

fn numbered(step: usize) -> String {
    if step == 0 { String::new() } else { format!("step {step}: ") }
}

struct Check<'a> {
    store: &'a Store,
    step: usize,
    fields: Option<&'a Map<String, Value>>,
}

impl Check<'_> {
    fn field(&self, field: &str, expected: &'static str, found: Option<&Value>) -> StepError {
        let found = describe(found);
        StepError::Field { step: self.step, field: field.to_owned(), expected, found }
    }

    fn hash(&self, field: &str, value: Option<&Value>) -> Result<Hash, StepError> {
        let hash = value.and_then(Value::as_str).and_then(|text| text.parse().ok());
        hash.ok_or_else(|| self.field(field, "a hash of the CAS", value))
    }

    /// The touch keeps a collection under way from taking what the step refers to.
    fn exists(&self, field: &str, hash: Hash) -> Result<(), StepError> {
        if self.store.touch(&hash)? {
            return Ok(());
        }
        Err(StepError::Missing { step: self.step, field: field.to_owned(), hash })
    }
}

fn describe(value: Option<&Value>) -> String {
    let Some(value) = value else { return "missing".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
