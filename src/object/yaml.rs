//! The YAML text of nodes, the registry and descriptors.

use serde_json::Value;

/// Text that is not a YAML 1.2 document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not YAML: {message} at line {line}, column {column}")]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
}

/// The text that npm `yaml` gives for `stringify(value, { indent: 2 })`.
pub fn encode(_value: &Value) -> String {
    todo!()
}

/// The same with `defaultStringType: "QUOTE_DOUBLE"`, keys quoted too.
pub fn encode_quoted(_value: &Value) -> String {
    todo!()
}

/// Reads any YAML 1.2 document (core schema).
pub fn decode(_text: &str) -> Result<Value, ParseError> {
    todo!()
}
