use axum::extract::State;
use axum::response::Response;

use super::super::bodies;
use super::super::request::{Named, Parameters};
use super::super::{ApiError, App, Server};
use crate::bundle::Registry;
use crate::engine;

/// `GET /api/workflows`
pub async fn list(State(app): State<App>, parameters: Parameters) -> Result<Response, ApiError> {
    parameters.known(&[])?;
    app.answer(|server| Ok(bodies::workflows(&registry(server)?))).await
}

/// `GET /api/workflows/:name`
pub async fn show(State(app): State<App>, Named(name): Named) -> Result<Response, ApiError> {
    app.answer(move |server| {
        let registry = registry(server)?;
        let name = engine::find_workflow(&registry, &name)?;
        Ok(bodies::workflow(&server.store, &registry, &name))
    })
    .await
}

/// `GET /api/workflows/:name/history`
pub async fn history(State(app): State<App>, Named(name): Named) -> Result<Response, ApiError> {
    app.answer(move |server| {
        let registry = registry(server)?;
        let name = engine::find_workflow(&registry, &name)?;
        Ok(registry.get(&name).map(bodies::versions))
    })
    .await
}

fn registry(server: &Server) -> Result<Registry, ApiError> {
    Ok(Registry::load(&server.store.layout().registry())?)
}
