//! What requests bring: names in the path, parameters, JSON bodies. What makes
//! no sense is refused with the field named.

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use futures::StreamExt;
use serde_json::{Map, Value};

use super::ApiError;
use super::guard::{is_json, unsupported};

/// Most bytes in a body.
pub const BODY_LIMIT: usize = 16 << 20;
/// Most bytes of a body that is too large that are read, and dropped, before it
/// is refused: a client that still writes would not see the answer.
const DRAIN_LIMIT: usize = 8 * BODY_LIMIT;

/// The name, id or hash in the path.
pub struct Named(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Named, ApiError> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|Path(text)| Named(text)).map_err(|e| ApiError::bad_request(e.body_text()))
    }
}

/// The parameters after the `?`.
pub struct Parameters(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Parameters, ApiError> {
        let query = Query::from_request_parts(parts, state).await;
        let Query(pairs) = query.map_err(|e| ApiError::bad_request(e.body_text()))?;
        Ok(Parameters(pairs))
    }
}

impl Parameters {
    /// Refuses parameters that nobody would look at.
    pub fn known(self, known: &[&str]) -> Result<Parameters, ApiError> {
        match self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            Some((name, _)) => Err(unknown("parameter", name, known)),
            None => Ok(self),
        }
    }

    /// The value of one.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of one that is a count.
    pub fn count(&self, name: &str) -> Result<Option<usize>, ApiError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let count = text.parse().map(Some);
        count.map_err(|_| ApiError::bad_request(format!("`{name}` is not a count: {text}")))
    }
}

/// A body that is a JSON object.
pub struct Object(Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for Object {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Object, ApiError> {
        if !is_json(request.headers()) {
            return Err(unsupported());
        }
        let bytes = read(request.into_body()).await?;
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(object)) => Ok(Object(object)),
            Ok(_) => Err(ApiError::bad_request("the body is not a JSON object")),
            Err(error) => Err(ApiError::bad_request(format!("the body is not JSON: {error}"))),
        }
    }
}

impl Object {
    /// Refuses fields that nobody would look at.
    pub fn known(self, known: &[&str]) -> Result<Object, ApiError> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(unknown("field", name, known)),
            None => Ok(self),
        }
    }

    /// A field that must be there.
    pub fn string(&self, name: &str) -> Result<&str, ApiError> {
        match self.0.get(name) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(ApiError::bad_request(format!("`{name}` is not a string"))),
            None => Err(ApiError::bad_request(format!("`{name}` is missing"))),
        }
    }

    /// A whole number that may be left out, or null.
    pub fn count(&self, name: &str) -> Result<Option<u64>, ApiError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64() {
                Some(count) => Ok(Some(count)),
                None => {
                    let error = format!("`{name}` is not a whole number, 0 or more");
                    Err(ApiError::bad_request(error))
                }
            },
        }
    }
}

async fn read(body: Body) -> Result<Vec<u8>, ApiError> {
    let (mut stream, mut bytes, mut length) = (body.into_data_stream(), Vec::new(), 0);
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|e| ApiError::bad_request(format!("the body broke off: {e}")))?;
        length += chunk.len();
        if length > DRAIN_LIMIT {
            break;
        }
        match length > BODY_LIMIT {
            true => bytes = Vec::new(),
            false => bytes.extend_from_slice(&chunk),
        }
    }
    if length > BODY_LIMIT {
        let error = format!("the body is larger than {BODY_LIMIT} bytes");
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, error));
    }
    Ok(bytes)
}

fn unknown(what: &str, name: &str, known: &[&str]) -> ApiError {
    let error = ApiError::bad_request(format!("`{name}` is not a {what} here"));
    let near = crate::bundle::closest(name, known.iter().copied());
    match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if known.is_empty() => error,
        None => error.hint(format!("known: {}", known.join(", "))),
    }
}
