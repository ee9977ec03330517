//! Fields of plain data that are not what they should be.

use std::fmt;

use serde_json::{Map, Value};

/// One field that is missing or of the wrong kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The way to it: keys, and positions in lists; empty for the whole.
    pub path: Vec<String>,
    /// What should be there, such as `a string`.
    pub expected: &'static str,
    /// What is there: `missing`, `a number`. Never the value itself, which may
    /// be a secret.
    pub found: &'static str,
}

impl std::error::Error for FieldError {}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldError { path, expected, found } = self;
        match path.as_slice() {
            [] => write!(f, "expected {expected}, found {found}"),
            path => write!(f, "`{}` is {found}: expected {expected}", dotted(path)),
        }
    }
}

/// The kind of a value, in words.
fn kind(value: Option<&Value>) -> &'static str {
    match value {
        None => "missing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "a mapping",
    }
}

/// A value with the way to it.
#[derive(Clone)]
pub(crate) struct Field<'v> {
    value: Option<&'v Value>,
    path: Vec<String>,
}

impl<'v> Field<'v> {
    pub(crate) fn root(value: &'v Value) -> Field<'v> {
        Field { value: Some(value), path: Vec::new() }
    }

    /// A part of the root that stands at `path` in its file.
    pub(crate) fn at(value: Option<&'v Value>, path: &[&str]) -> Field<'v> {
        Field { value, path: path.iter().map(|step| (*step).to_owned()).collect() }
    }

    fn step(&self, value: Option<&'v Value>, step: &str) -> Field<'v> {
        let mut path = self.path.clone();
        path.push(step.to_owned());
        Field { value, path }
    }

    pub(crate) fn get(&self, key: &str) -> Field<'v> {
        self.step(self.value.and_then(|value| value.get(key)), key)
    }

    /// Neither missing nor null.
    pub(crate) fn present(self) -> Option<Field<'v>> {
        matches!(self.value, Some(value) if !value.is_null()).then_some(self)
    }

    pub(crate) fn wrong(&self, expected: &'static str) -> FieldError {
        FieldError { path: self.path.clone(), expected, found: kind(self.value) }
    }

    pub(crate) fn object(&self) -> Result<&'v Map<String, Value>, FieldError> {
        self.value.and_then(Value::as_object).ok_or_else(|| self.wrong("a mapping"))
    }

    /// The mapping's values with their keys.
    pub(crate) fn entries(&self) -> Result<Vec<(&'v str, Field<'v>)>, FieldError> {
        let object = self.object()?;
        Ok(object.iter().map(|(key, value)| (key.as_str(), self.step(Some(value), key))).collect())
    }

    pub(crate) fn items(&self) -> Result<Vec<Field<'v>>, FieldError> {
        let list = self.value.and_then(Value::as_array).ok_or_else(|| self.wrong("a list"))?;
        let items = list.iter().enumerate();
        Ok(items.map(|(i, value)| self.step(Some(value), &i.to_string())).collect())
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        self.value.and_then(Value::as_bool)
    }

    pub(crate) fn is_missing(&self) -> bool {
        self.value.is_none()
    }

    pub(crate) fn string(&self) -> Result<&'v str, FieldError> {
        self.value.and_then(Value::as_str).ok_or_else(|| self.wrong("a string"))
    }

    /// A whole number of at least 0.
    pub(crate) fn count(&self) -> Result<u64, FieldError> {
        let value = self.value.and_then(Value::as_u64);
        value.ok_or_else(|| self.wrong("a whole number that is not negative"))
    }

    pub(crate) fn integer(&self) -> Result<i64, FieldError> {
        self.value.and_then(Value::as_i64).ok_or_else(|| self.wrong("a whole number"))
    }
}

/// `a.b[0]["c d"]`
pub(crate) fn dotted(path: &[String]) -> String {
    let plain = |step: &str| {
        !step.is_empty()
            && step.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'))
    };
    let mut text = String::new();
    for step in path {
        if step.bytes().all(|b| b.is_ascii_digit()) && !step.is_empty() {
            text.push_str(&format!("[{step}]"));
        } else if plain(step) {
            let dot = if text.is_empty() { "" } else { "." };
            text.push_str(&format!("{dot}{step}"));
        } else {
            text.push_str(&format!("[{}]", Value::from(step.as_str())));
        }
    }
    text
}
