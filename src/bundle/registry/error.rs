use std::path::PathBuf;

use super::super::field::FieldError;
use crate::object::{Hash, WorkflowName, yaml};
use crate::store::IoError;

/// Why the registry could not be read or changed. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The file is not UTF-8.
    #[error("{}:{line}: the file is not UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: usize,
    },
    /// The file is not YAML.
    #[error("{}:{}:{}: not YAML: {}", path.display(), error.line, error.column, error.message)]
    NotYaml {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        error: yaml::ParseError,
    },
    /// A field is missing or wrong.
    #[error("{}:{line}: {error}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// 1-based: the line of the field, or of what it is missing from.
        line: usize,
        /// The field, and what is wrong with it.
        error: FieldError,
    },
    /// No workflow has this name.
    #[error("no workflow is named `{name}`")]
    UnknownWorkflow {
        /// The name.
        name: WorkflowName,
        /// The names there are, sorted.
        known: Vec<WorkflowName>,
    },
    /// There is no version to roll back to.
    #[error("workflow `{name}` has no earlier version")]
    NoEarlierVersion {
        /// The workflow.
        name: WorkflowName,
    },
    /// The version is none of the workflow's earlier ones.
    #[error("{hash} is not an earlier version of workflow `{name}`")]
    UnknownVersion {
        /// The workflow.
        name: WorkflowName,
        /// The version.
        hash: Hash,
        /// The earlier versions there are, newest first.
        known: Vec<Hash>,
    },
    /// The version is the current one already.
    #[error("{hash} already is the current version of workflow `{name}`")]
    AlreadyCurrent {
        /// The workflow.
        name: WorkflowName,
        /// The version.
        hash: Hash,
    },
}
