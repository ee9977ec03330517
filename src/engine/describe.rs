use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::host::{self, DESCRIBE_LIMIT, HostError};

/// Why a bundle's top level could not be evaluated. Passed between processes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum EvaluationError {
    /// It threw, or has no usable exports.
    #[error("{message}")]
    Failed {
        /// One line.
        message: String,
        /// Line and column in the bundle, 1-based, the column in UTF-16 units.
        place: Option<(usize, usize)>,
    },
    /// It did not finish in time.
    #[error("the bundle's top level did not finish within {} s", DESCRIBE_LIMIT.as_secs())]
    TimedOut,
    /// It ended the process that evaluated it.
    #[error("the bundle's top level ended its process ({0})")]
    Died(String),
}

impl From<HostError> for EvaluationError {
    fn from(error: HostError) -> EvaluationError {
        let place = error.place().map(|place| (place.line, place.column));
        EvaluationError::Failed { message: error.to_string(), place }
    }
}

/// Evaluates a bundle without any permission and gives its `descriptor`.
pub async fn describe(bundle_path: PathBuf, source: String) -> Result<Value, EvaluationError> {
    match host::descriptor_of(bundle_path, source).await {
        Err(HostError::Terminated) => Err(EvaluationError::TimedOut),
        result => Ok(result?),
    }
}
