mod cas;
mod threads;
mod workflows;

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;
use serde_json::json;

use super::guard::{Hosts, guard};
use super::{ApiError, App, Server, dashboard, live};

/// All that is served.
pub fn router(app: App, hosts: Arc<Hosts>) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .route("/api/workflows", get(workflows::list))
        .route("/api/workflows/{name}", get(workflows::show))
        .route("/api/workflows/{name}/history", get(workflows::history))
        .route("/api/threads", get(threads::list).post(threads::start))
        .route("/api/threads/running", get(threads::running))
        .route("/api/threads/{id}", get(threads::show))
        .route("/api/threads/{id}/kill", post(threads::kill))
        .route("/api/threads/{id}/pause", post(threads::pause))
        .route("/api/threads/{id}/resume", post(threads::resume))
        .route("/api/threads/{id}/live", get(live::live))
        .route("/api/cas", get(cas::list).post(cas::put))
        .route("/api/cas/gc", post(cas::gc))
        .route("/api/cas/{hash}", get(cas::get).delete(cas::delete))
        .merge(dashboard::router())
        .fallback(unknown)
        .method_not_allowed_fallback(not_allowed)
        .layer(from_fn_with_state(hosts, guard))
        .with_state(app)
}

impl App {
    /// Carries out what waits for disks and sockets where nobody else has to
    /// wait, and answers with what it gives.
    async fn answer<T: Serialize + 'static>(
        self,
        work: impl FnOnce(&Server) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<Response, ApiError> {
        let body = self
            .blocking(move |server| {
                let value = work(server)?;
                serde_json::to_vec(&value).map_err(|e| ApiError::internal(e.to_string()))
            })
            .await?;
        Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
    }

    /// The same for what is no body yet.
    pub(super) async fn blocking<T: Send + 'static>(
        self,
        work: impl FnOnce(&Server) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let done = tokio::task::spawn_blocking(move || work(&self.server)).await;
        done.unwrap_or_else(|e| Err(ApiError::internal(format!("the request failed: {e}"))))
    }
}

async fn health() -> Response {
    ([(CONTENT_TYPE, "application/json")], json!({ "status": "ok" }).to_string()).into_response()
}

async fn unknown(uri: Uri) -> ApiError {
    ApiError::not_found(format!("there is nothing at {}", uri.path()))
        .hint("the API is below /api, the dashboard at /")
}

/// `Allow` is added by the router.
async fn not_allowed(method: Method, uri: Uri) -> Response {
    if method == Method::OPTIONS {
        return StatusCode::NO_CONTENT.into_response();
    }
    let error = format!("{} does not take {method}", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, error).into_response()
}
