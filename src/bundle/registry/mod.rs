//! `workflow.yaml`: the names that point at bundles, and the config.
//!
//! ```yaml
//! config: { … }            # or null; see Config
//! workflows:
//!   solve-issue:
//!     hash: "02N2F1GXYZMFY"
//!     timestamp: 1714963200002
//!     history:             # earlier versions, newest first
//!       - hash: "EBWR0GCPE5VWJ"
//!         timestamp: 1714876800000
//!     permissions: { … }   # only where it is limited; see Grants
//! ```
//!
//! People edit the file too: any YAML is read, what we do not know is kept, and
//! a file that cannot be read is never replaced.

mod error;
mod read;
mod versions;
mod write;

use std::fmt;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::config::Config;
use crate::object::WorkflowName;

pub use error::RegistryError;
pub use versions::{Version, Workflow};

/// What `workflow.yaml` says.
///
/// `Debug` shows the workflows alone: the config may hold keys.
#[derive(Clone)]
pub struct Registry {
    path: PathBuf,
    /// The file's text, to find lines for errors.
    text: String,
    /// The whole document; `workflows` in it is out of date after a change.
    document: Map<String, Value>,
    workflows: IndexMap<WorkflowName, Workflow>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("path", &self.path)
            .field("workflows", &self.workflows)
            .finish_non_exhaustive()
    }
}

impl Registry {
    /// The file that this was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The workflow of this name.
    pub fn get(&self, name: &WorkflowName) -> Option<&Workflow> {
        self.workflows.get(name)
    }

    /// All workflows, by name.
    pub fn workflows(&self) -> impl Iterator<Item = (&WorkflowName, &Workflow)> {
        let mut workflows: Vec<_> = self.workflows.iter().collect();
        workflows.sort_by_key(|(name, _)| *name);
        workflows.into_iter()
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &WorkflowName> {
        self.workflows().map(|(name, _)| name)
    }

    /// The config; none where there is none. It is validated here and not when
    /// the file is read, for most commands need none.
    pub fn config(&self) -> Result<Option<Config>, RegistryError> {
        match self.config_value() {
            Value::Null => Ok(None),
            value => Config::from_value(value).map(Some).map_err(|error| self.wrong(error)),
        }
    }

    /// The config as it stands in the file; null where there is none.
    pub fn config_value(&self) -> &Value {
        self.document.get("config").unwrap_or(&Value::Null)
    }

    /// Replaces the config, which is not validated.
    pub fn set_config(&mut self, config: Value) {
        match self.document.get_mut("config") {
            Some(old) => *old = config,
            None => drop(self.document.shift_insert(0, "config".into(), config)),
        }
    }

    /// The document as it would be written.
    pub fn to_value(&self) -> Value {
        let workflows: Map<String, Value> =
            self.workflows.iter().map(|(n, w)| (n.to_string(), w.to_value())).collect();
        let mut document = self.document.clone();
        if !document.contains_key("config") {
            document.shift_insert(0, "config".into(), Value::Null);
        }
        document.insert("workflows".into(), json!(workflows));
        Value::Object(document)
    }
}
