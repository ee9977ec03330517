use std::io;
use std::path::Path;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::super::field::{Field, FieldError};
use super::super::permissions::Grants;
use super::{Registry, RegistryError, Version, Workflow};
use crate::object::{Hash, WorkflowName, yaml};
use crate::store::IoError;

impl Registry {
    /// Reads the file at `path`; an empty registry where there is none.
    pub fn load(path: &Path) -> Result<Registry, RegistryError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(IoError::at("read", path)(source).into()),
        };
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            RegistryError::NotUtf8 { path: path.to_owned(), line }
        })?;
        Registry::parse(path, text)
    }

    /// Reads the text of a registry; `path` is for messages.
    pub fn parse(path: &Path, text: String) -> Result<Registry, RegistryError> {
        let value = yaml::decode(&text)
            .map_err(|error| RegistryError::NotYaml { path: path.to_owned(), error })?;
        let mut registry = Registry {
            path: path.to_owned(),
            text,
            document: Map::new(),
            workflows: IndexMap::new(),
        };
        if value.is_null() {
            return Ok(registry);
        }
        registry.workflows = read(&Field::root(&value)).map_err(|error| registry.wrong(error))?;
        if let Value::Object(document) = value {
            registry.document = document;
        }
        Ok(registry)
    }

    /// The error of a field in this file.
    pub(super) fn wrong(&self, error: FieldError) -> RegistryError {
        let line = yaml::place_of(&self.text, &error.path).line;
        RegistryError::Field { path: self.path.clone(), line, error }
    }
}

fn read(root: &Field<'_>) -> Result<IndexMap<WorkflowName, Workflow>, FieldError> {
    root.object()?;
    let Some(workflows) = root.get("workflows").present() else { return Ok(IndexMap::new()) };
    let entry = |(name, field): (&str, Field<'_>)| {
        let name = name.parse().map_err(|_| FieldError {
            found: "not a workflow name",
            ..field.wrong("lower-case words joined by `-` as the name")
        })?;
        Ok((name, workflow(&field)?))
    };
    workflows.entries()?.into_iter().map(entry).collect()
}

fn workflow(field: &Field<'_>) -> Result<Workflow, FieldError> {
    let mut extra = field.object()?.clone();
    extra.retain(|key, _| !["hash", "timestamp", "history", "permissions"].contains(&key.as_str()));
    let history = match field.get("history").present() {
        Some(history) => history.items()?.iter().map(version).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    // A key without a value limits nothing that anybody named: an error, not "all".
    let permissions = field.get("permissions");
    let permissions = match permissions.is_missing() {
        true => None,
        false => Some(Grants::read(&permissions)?),
    };
    let Version { hash, timestamp, .. } = version(field)?;
    Ok(Workflow { hash, timestamp, history, permissions, extra })
}

fn version(field: &Field<'_>) -> Result<Version, FieldError> {
    let mut extra = field.object()?.clone();
    extra.retain(|key, _| !["hash", "timestamp"].contains(&key.as_str()));
    Ok(Version {
        hash: hash(&field.get("hash"))?,
        timestamp: field.get("timestamp").integer()?,
        extra,
    })
}

fn hash(field: &Field<'_>) -> Result<Hash, FieldError> {
    // A hash of digits alone is a number to YAML where nobody quoted it.
    let expected = "a bundle's hash, in quotes";
    let text = field.string().map_err(|_| field.wrong(expected))?;
    text.parse().map_err(|_| FieldError { found: "another string", ..field.wrong(expected) })
}
