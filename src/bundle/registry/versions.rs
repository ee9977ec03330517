//! What happens to a workflow's versions.

use indexmap::map::Entry;
use serde_json::{Map, Value, json};

use super::super::permissions::Grants;
use super::{Registry, RegistryError};
use crate::object::{Hash, WorkflowName};

/// A name's current version and the earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Workflow {
    /// The current bundle.
    pub hash: Hash,
    /// When it was registered, in milliseconds since 1970.
    pub timestamp: i64,
    /// Earlier versions, newest first.
    pub history: Vec<Version>,
    /// What its bundle may do, whatever the version; none: whatever the user may.
    pub permissions: Option<Grants>,
    /// Keys that are not ours, such as a person's notes.
    pub(super) extra: Map<String, Value>,
}

/// An earlier version of a workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// The bundle.
    pub hash: Hash,
    /// When it was registered, in milliseconds since 1970.
    pub timestamp: i64,
    pub(super) extra: Map<String, Value>,
}

impl Workflow {
    /// The history as it is written: `[{ hash, timestamp }, …]`.
    pub fn history_value(&self) -> Value {
        let version =
            |v: &Version| with_extra(json!({ "hash": v.hash, "timestamp": v.timestamp }), &v.extra);
        self.history.iter().map(version).collect()
    }

    /// The entry as it is written.
    pub(super) fn to_value(&self) -> Value {
        let mut value = json!({
            "hash": self.hash,
            "timestamp": self.timestamp,
            "history": self.history_value(),
        });
        if let Some(permissions) = &self.permissions {
            value["permissions"] = permissions.to_value();
        }
        with_extra(value, &self.extra)
    }

    /// Makes `hash` current; what was current becomes the newest of the history.
    fn make_current(&mut self, hash: Hash, timestamp: i64) {
        let (old, since) = (self.hash, self.timestamp);
        self.history.retain(|version| version.hash != hash);
        self.history.insert(0, Version { hash: old, timestamp: since, extra: Map::new() });
        (self.hash, self.timestamp) = (hash, timestamp);
    }
}

fn with_extra(mut value: Value, extra: &Map<String, Value>) -> Value {
    if let Value::Object(object) = &mut value {
        object.extend(extra.clone());
    }
    value
}

impl Registry {
    /// Makes `hash` the current version of `name`, a new name where there is
    /// none. False where it is the current version already: that is no new one.
    /// A hash of the history moves from there.
    pub fn register(
        &mut self,
        name: &WorkflowName,
        hash: Hash,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        match self.workflows.entry(name.clone()) {
            Entry::Occupied(entry) if entry.get().hash == hash => return Ok(false),
            Entry::Occupied(mut entry) => entry.get_mut().make_current(hash, now_ms),
            Entry::Vacant(entry) => {
                let (history, extra) = (Vec::new(), Map::new());
                let timestamp = now_ms;
                entry.insert(Workflow { hash, timestamp, history, permissions: None, extra });
            }
        }
        Ok(true)
    }

    /// Limits what the workflow's bundle may do, whatever its version; none lifts
    /// the limits. Threads that have started keep theirs.
    pub fn set_permissions(
        &mut self,
        name: &WorkflowName,
        permissions: Option<Grants>,
    ) -> Result<(), RegistryError> {
        let unknown = self.unknown(name);
        self.workflows.get_mut(name).ok_or(unknown)?.permissions = permissions;
        Ok(())
    }

    /// Makes an earlier version current again, the newest one where none is
    /// named, and gives its hash. It keeps the time of its registration; the
    /// version left becomes the newest of the history, so that a second rollback
    /// without a hash undoes the first.
    pub fn rollback(
        &mut self,
        name: &WorkflowName,
        hash: Option<Hash>,
    ) -> Result<Hash, RegistryError> {
        let unknown = self.unknown(name);
        let Some(workflow) = self.workflows.get_mut(name) else { return Err(unknown) };
        let target = match hash {
            Some(hash) if hash == workflow.hash => {
                return Err(RegistryError::AlreadyCurrent { name: name.clone(), hash });
            }
            Some(hash) => {
                workflow.history.iter().find(|version| version.hash == hash).ok_or_else(|| {
                    RegistryError::UnknownVersion {
                        name: name.clone(),
                        hash,
                        known: workflow.history.iter().map(|version| version.hash).collect(),
                    }
                })?
            }
            None => workflow
                .history
                .first()
                .ok_or_else(|| RegistryError::NoEarlierVersion { name: name.clone() })?,
        };
        let (hash, timestamp) = (target.hash, target.timestamp);
        workflow.make_current(hash, timestamp);
        Ok(hash)
    }

    /// Forgets a name and its versions. Bundles and threads stay.
    pub fn remove(&mut self, name: &WorkflowName) -> Result<(), RegistryError> {
        let unknown = self.unknown(name);
        self.workflows.shift_remove(name).map(|_| ()).ok_or(unknown)
    }

    fn unknown(&self, name: &WorkflowName) -> RegistryError {
        RegistryError::UnknownWorkflow {
            name: name.clone(),
            known: self.names().cloned().collect(),
        }
    }
}
