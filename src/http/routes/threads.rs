use axum::extract::State;
use axum::http::header::{LOCATION, WARNING};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::super::bodies::{self, ThreadRows, ToldBody};
use super::super::request::{Named, Object, Parameters};
use super::super::{ApiError, App};
use crate::bundle::Registry;
use crate::engine::{self, Limits, NewThread, Resolved};
use crate::object::ThreadId;
use crate::store::Store;
use crate::worker::Client;
use crate::worker::control::{self, ControlError, Told};

/// `GET /api/threads`
pub async fn list(State(app): State<App>, parameters: Parameters) -> Result<Response, ApiError> {
    let parameters = parameters.known(&["workflow", "last"])?;
    let workflow = parameters.text("workflow").map(str::to_owned);
    let which = ThreadRows { workflow, active: false, last: parameters.count("last")? };
    rows(app, which).await
}

/// `GET /api/threads/running`
pub async fn running(State(app): State<App>, parameters: Parameters) -> Result<Response, ApiError> {
    parameters.known(&[])?;
    let which = ThreadRows { active: true, ..ThreadRows::default() };
    rows(app, which).await
}

async fn rows(app: App, which: ThreadRows) -> Result<Response, ApiError> {
    let listing = app.blocking(move |server| {
        if let Some(name) = &which.workflow {
            let registry = Registry::load(&server.store.layout().registry())?;
            engine::find_workflow(&registry, name)?;
        }
        Ok(bodies::threads(&server.store, &server.workers, &which)?)
    });
    let listing = listing.await?;
    let mut response = axum::Json(listing.records).into_response();
    for damage in &listing.damage {
        response.headers_mut().append(WARNING, warning(&damage.to_string()));
    }
    Ok(response)
}

/// A message as a `Warning` header has it (RFC 7234), which knows ASCII alone.
fn warning(text: &str) -> HeaderValue {
    let text = text.escape_default();
    HeaderValue::from_str(&format!("199 - \"{text}\"")).expect("printable ASCII")
}

/// `GET /api/threads/:id`
pub async fn show(
    State(app): State<App>,
    Named(id): Named,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let last = parameters.known(&["last"])?.count("last")?;
    app.answer(move |server| {
        let thread = engine::find_thread(&server.store, &id)?;
        let body = bodies::thread(&server.store, &thread, last)?;
        body.ok_or_else(|| ControlError::Unknown(thread).into())
    })
    .await
}

/// `POST /api/threads`
pub async fn start(State(app): State<App>, body: Object) -> Result<Response, ApiError> {
    let body = body.known(&["workflow", "prompt", "maxRounds"])?;
    let (workflow, prompt) = (body.string("workflow")?.to_owned(), body.string("prompt")?);
    let prompt = prompt.to_owned();
    let max_rounds = body.count("maxRounds")?.unwrap_or(engine::DEFAULT_MAX_ROUNDS);
    let thread = app
        .blocking(move |server| {
            let registry = Registry::load(&server.store.layout().registry())?;
            let workflow = engine::find_workflow(&registry, &workflow)?;
            let Resolved { bundle, permissions } =
                engine::resolve_workflow(&server.store, &workflow)?;
            let limits = Limits { permissions, heap_limit: None };
            let (depth, parent_state) = (0, None);
            let new =
                NewThread { workflow, bundle, prompt, max_rounds, depth, parent_state, limits };
            Ok(control::start(&server.store, &server.workers, &new)?)
        })
        .await?;
    let place = [(LOCATION, format!("/api/threads/{thread}"))];
    let body = json!({ "threadId": thread });
    Ok((StatusCode::CREATED, place, axum::Json(body)).into_response())
}

/// `POST /api/threads/:id/kill`
pub async fn kill(State(app): State<App>, Named(id): Named) -> Result<Response, ApiError> {
    tell(app, id, control::kill).await
}

/// `POST /api/threads/:id/pause`
pub async fn pause(State(app): State<App>, Named(id): Named) -> Result<Response, ApiError> {
    tell(app, id, control::pause).await
}

/// `POST /api/threads/:id/resume`
pub async fn resume(State(app): State<App>, Named(id): Named) -> Result<Response, ApiError> {
    tell(app, id, control::resume).await
}

type Tell = fn(&Store, &Client, &ThreadId) -> Result<Told, ControlError>;

async fn tell(app: App, id: String, tell: Tell) -> Result<Response, ApiError> {
    app.answer(move |server| {
        let thread_id = engine::find_thread(&server.store, &id)?;
        match tell(&server.store, &server.workers, &thread_id)? {
            Told::Ended => Err(ControlError::Ended(thread_id).into()),
            told => Ok(ToldBody { thread_id, outcome: told.into() }),
        }
    })
    .await
}
