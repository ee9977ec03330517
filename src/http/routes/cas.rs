use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::super::bodies::{BlobBody, GcBody, HashBody};
use super::super::request::{Named, Object, Parameters};
use super::super::{ApiError, App};
use crate::engine::{self, FindError};
use crate::object::Hash;
use crate::store::gc::{self, GcOptions};
use crate::store::reach::thread_that_needs;

/// `GET /api/cas`
pub async fn list(State(app): State<App>, parameters: Parameters) -> Result<Response, ApiError> {
    parameters.known(&[])?;
    app.answer(|server| Ok(server.store.list()?)).await
}

/// `POST /api/cas`
pub async fn put(State(app): State<App>, body: Object) -> Result<Response, ApiError> {
    let content = body.known(&["content"])?.string("content")?.to_owned();
    let stored = app.answer(move |server| Ok(HashBody { hash: server.store.put(&content)? }));
    Ok((StatusCode::CREATED, stored.await?).into_response())
}

/// `GET /api/cas/:hash`
pub async fn get(State(app): State<App>, Named(text): Named) -> Result<Response, ApiError> {
    app.answer(move |server| {
        let hash = engine::find_blob(&server.store, &text)?;
        match server.store.get(&hash)? {
            Some(content) => Ok(BlobBody { hash, content }),
            None => Err(unknown(hash)),
        }
    })
    .await
}

/// `DELETE /api/cas/:hash`
pub async fn delete(
    State(app): State<App>,
    Named(text): Named,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let force = match parameters.known(&["force"])?.text("force") {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => {
            let error = format!("`force` is `true` or `false`, not {other}");
            return Err(ApiError::bad_request(error));
        }
    };
    app.answer(move |server| {
        let hash = engine::find_blob(&server.store, &text)?;
        if !force && let Some(thread) = thread_that_needs(&server.store, &hash)? {
            return Err(ApiError::conflict(format!("thread {thread} needs {hash}"))
                .hint("`?force=true` deletes it all the same, and breaks the thread"));
        }
        match server.store.delete(&hash)? {
            true => Ok(HashBody { hash }),
            false => Err(unknown(hash)),
        }
    })
    .await
}

/// `POST /api/cas/gc`
pub async fn gc(State(app): State<App>) -> Result<Response, ApiError> {
    app.answer(|server| {
        Ok(GcBody::from(gc::collect(&server.store, GcOptions::default(), &|_| {})?))
    })
    .await
}

fn unknown(hash: Hash) -> ApiError {
    FindError::UnknownBlob { text: hash.to_string(), near: None }.into()
}
