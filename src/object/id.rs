use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

/// Names one thread. New ones are ULIDs; older stores hold others, so the text
/// is opaque: 1 to 64 characters of `0-9 A-Z a-z _ -`, safe as a file name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct ThreadId(String);

/// What was given cannot name a thread.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a thread id: expected 1 to 64 letters, digits, `_` or `-`")]
pub struct InvalidThreadId(pub String);

impl ThreadId {
    /// A new ULID of the present moment.
    pub fn generate() -> ThreadId {
        ThreadId(ulid::Ulid::generate().to_string())
    }

    /// The text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// When the thread was made, in milliseconds since 1970, where the id is a ULID.
    pub fn timestamp_ms(&self) -> Option<u64> {
        Some(ulid::Ulid::from_string(&self.0).ok()?.timestamp_ms())
    }
}

impl FromStr for ThreadId {
    type Err = InvalidThreadId;

    fn from_str(text: &str) -> Result<ThreadId, InvalidThreadId> {
        let known = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if text.is_empty() || text.len() > 64 || !text.chars().all(known) {
            return Err(InvalidThreadId(text.to_owned()));
        }
        Ok(ThreadId(text.to_owned()))
    }
}

/// Names a workflow in the registry: `^[a-z][a-z0-9]*(-[a-z0-9]+)*$`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct WorkflowName(String);

/// What was given cannot name a workflow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a workflow name: use lower-case words joined by `-`, such as `solve-issue`")]
pub struct InvalidWorkflowName(pub String);

impl WorkflowName {
    /// The text of the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WorkflowName {
    type Err = InvalidWorkflowName;

    fn from_str(text: &str) -> Result<WorkflowName, InvalidWorkflowName> {
        let word = |w: &str| {
            !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        if !text.starts_with(|c: char| c.is_ascii_lowercase()) || !text.split('-').all(word) {
            return Err(InvalidWorkflowName(text.to_owned()));
        }
        Ok(WorkflowName(text.to_owned()))
    }
}

macro_rules! text_id {
    ($t:ty) => {
        impl fmt::Display for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
        impl AsRef<str> for $t {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl<'de> Deserialize<'de> for $t {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = String::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

text_id!(ThreadId);
text_id!(WorkflowName);
