use super::EngineError;
use crate::history::HistoryError;
use crate::host::HostError;
use crate::store::StoreError;

/// What to do about a thread that ran out of memory.
const MORE_MEMORY: &str = "`uncaged-workflow run --heap-limit 2GB` (or `fork --heap-limit 2GB`, to \
go on from its last steps) allows more, `heapLimit: \"2GB\"` under `config` in workflow.yaml all \
threads";

/// Why a thread stops other than by completing.
pub(super) enum Stop {
    /// It was told to.
    Killed,
    /// The bundle's fault: `message` for the summary, `detail` to be kept as content.
    Failed { message: String, detail: String },
    /// A step could not be written.
    Unwritten(EngineError),
    /// The thread cannot be run now, or is gone: it stays as it is.
    Engine(EngineError),
}

impl Stop {
    /// For errors while a step is written. A thread that is not active any more
    /// has no end to be written.
    pub(super) fn unwritten(error: impl Into<EngineError>) -> Stop {
        let error = error.into();
        let store = match &error {
            EngineError::Store(error) | EngineError::History(HistoryError::Store(error)) => error,
            _ => return Stop::Unwritten(error),
        };
        match store {
            StoreError::NotActive { .. } => Stop::Engine(error),
            _ => Stop::Unwritten(error),
        }
    }
}

impl<E: Into<EngineError>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Engine(error.into())
    }
}

impl From<HostError> for Stop {
    fn from(error: HostError) -> Stop {
        let message = error.summary();
        let detail = match &error {
            HostError::HeapLimit { .. } => format!("{message}\n\n{MORE_MEMORY}"),
            error => error.stack().map_or_else(|| message.clone(), str::to_owned),
        };
        Stop::Failed { message, detail }
    }
}
