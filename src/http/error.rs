use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::bundle::{RegistryError, first_few};
use crate::engine::{EngineError, FindError};
use crate::object::{Hash, ThreadId};
use crate::store::gc::GcError;
use crate::store::reach::ReachError;
use crate::store::{StoreError, causes};
use crate::worker::control::ControlError;

/// A request that was not carried out: `{ "error": …, "hint"?: … }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    status: StatusCode,
    error: String,
    hint: Option<String>,
}

impl ApiError {
    /// An error with this status and this to say.
    pub fn new(status: StatusCode, error: impl Into<String>) -> ApiError {
        ApiError { status, error: error.into(), hint: None }
    }

    /// The request makes no sense.
    pub fn bad_request(error: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, error)
    }

    /// There is no such thing.
    pub fn not_found(error: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, error)
    }

    /// It cannot be done to a thing in this state.
    pub fn conflict(error: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, error)
    }

    /// It should have worked.
    pub fn internal(error: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }

    /// With what to do about it.
    pub fn hint(self, hint: impl Into<String>) -> ApiError {
        ApiError { hint: Some(hint.into()), ..self }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut body = json!({ "error": self.error });
        if let Some(hint) = self.hint {
            body["hint"] = hint.into();
        }
        (self.status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
    }
}

impl From<FindError> for ApiError {
    fn from(error: FindError) -> ApiError {
        let text = causes(&error);
        match error {
            FindError::Store(_) | FindError::Registry(_) => ApiError::internal(text),
            FindError::InvalidThread(_)
            | FindError::InvalidHash(_)
            | FindError::InvalidWorkflow(_) => ApiError::bad_request(text),
            FindError::UnknownThread { damage, near, .. } => match (damage.first(), near) {
                (None, Some(near)) => did_you_mean(text, &near),
                (None, None) => ApiError::not_found(text).hint("GET /api/threads lists them"),
                (Some(first), _) => ApiError::not_found(text)
                    .hint(format!("it may stand in what cannot be read: {first}")),
            },
            FindError::SeveralThreads { threads, .. } => {
                ApiError::bad_request(text).hint(first_few(threads.iter().map(ThreadId::as_str)))
            }
            FindError::UnknownBlob { near: Some(near), .. } => did_you_mean(text, &near),
            FindError::UnknownBlob { .. } => {
                ApiError::not_found(text).hint("GET /api/cas lists them")
            }
            FindError::SeveralBlobs { blobs, .. } => {
                ApiError::bad_request(text).hint(first_few(blobs.iter().map(Hash::as_str)))
            }
            FindError::UnknownWorkflow { name, known } => unknown_workflow(text, &name, &known),
        }
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> ApiError {
        let text = causes(&error);
        match error {
            EngineError::UnknownWorkflow { name, known } => {
                unknown_workflow(text, name.as_str(), &known)
            }
            EngineError::UnknownThread(_) => {
                ApiError::not_found(text).hint("GET /api/threads lists them")
            }
            EngineError::AlreadyEnded(_)
            | EngineError::AlreadyRunning(_)
            | EngineError::Store(StoreError::NotActive { .. }) => ApiError::conflict(text),
            EngineError::BundleMissing { bundle, .. }
            | EngineError::BundleAltered { bundle, .. } => ApiError::conflict(text)
                .hint(format!("`uncaged-workflow add` the file whose hash is {bundle} once more")),
            _ => ApiError::internal(text),
        }
    }
}

impl From<ControlError> for ApiError {
    fn from(error: ControlError) -> ApiError {
        let text = causes(&error);
        match error {
            ControlError::Engine(error) => error.into(),
            ControlError::Worker(_) => ApiError::internal(text),
            ControlError::NotStarted { thread, .. } => ApiError::internal(text).hint(format!(
                "thread {thread} is saved; POST /api/threads/{thread}/resume tries again"
            )),
            ControlError::Unknown(_) => {
                ApiError::not_found(text).hint("GET /api/threads lists them")
            }
            ControlError::Ended(thread) => {
                ApiError::conflict(text).hint(format!("GET /api/threads/{thread} shows how"))
            }
            ControlError::Ending(_) => ApiError::conflict(text),
            ControlError::NotRunning(thread) => ApiError::conflict(text)
                .hint(format!("POST /api/threads/{thread}/resume continues it")),
            ControlError::BeingStarted(_) => ApiError::conflict(text).hint("try again"),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        ApiError::internal(causes(&error))
    }
}

impl From<RegistryError> for ApiError {
    fn from(error: RegistryError) -> ApiError {
        ApiError::internal(causes(&error))
    }
}

impl From<ReachError> for ApiError {
    fn from(error: ReachError) -> ApiError {
        ApiError::internal(format!("nothing was deleted: {}", causes(&error)))
            .hint("`uncaged-workflow cas verify` lists all damage")
    }
}

impl From<GcError> for ApiError {
    fn from(error: GcError) -> ApiError {
        ApiError::internal(format!("nothing was deleted: {}", causes(&error)))
            .hint("`uncaged-workflow cas verify` lists all damage")
    }
}

fn unknown_workflow(text: String, name: &str, known: &[String]) -> ApiError {
    match crate::bundle::closest(name, known.iter().map(String::as_str)) {
        Some(near) => did_you_mean(text, near),
        None => ApiError::not_found(text).hint("GET /api/workflows lists them"),
    }
}

fn did_you_mean(text: String, near: &str) -> ApiError {
    ApiError::not_found(text).hint(format!("did you mean `{near}`?"))
}
