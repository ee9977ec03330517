//! The content-addressed store.

use std::cell::RefCell;
use std::rc::Rc;

use deno_core::{OpState, op2};

use super::errors::OpError;
use crate::object::Hash;
use crate::store::Cas;

/// The blobs in the folder `dir`, or the thread's own.
fn cas(state: &OpState, dir: Option<String>) -> Result<Cas, OpError> {
    match dir {
        None => Ok(super::services(state).store().ok_or(OpError::NoStore)?.cas().clone()),
        Some(dir) => Ok(Cas::at(dir)),
    }
}

/// Runs on a thread of its own: the store waits for the disk.
async fn blocking<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, OpError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.map_err(|error| OpError::Store(error.to_string())),
        Err(error) => Err(OpError::Store(error.to_string())),
    }
}

#[op2]
#[string]
pub(super) async fn op_uncaged_cas_put(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
    #[string] text: String,
) -> Result<String, OpError> {
    let cas = cas(&state.borrow(), dir)?;
    let hash = blocking(move || cas.put(&text)).await?;
    Ok(hash.to_string())
}

#[op2]
#[string]
pub(super) async fn op_uncaged_cas_get(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
    #[string] hash: String,
) -> Result<Option<String>, OpError> {
    let cas = cas(&state.borrow(), dir)?;
    let Ok(hash) = hash.parse::<Hash>() else { return Ok(None) };
    blocking(move || cas.get(&hash)).await
}

#[op2]
pub(super) async fn op_uncaged_cas_delete(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
    #[string] hash: String,
) -> Result<(), OpError> {
    let cas = cas(&state.borrow(), dir)?;
    let Ok(hash) = hash.parse::<Hash>() else { return Ok(()) };
    blocking(move || cas.delete(&hash)).await?;
    Ok(())
}

#[op2]
pub(super) async fn op_uncaged_cas_list(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
) -> Result<Vec<String>, OpError> {
    let cas = cas(&state.borrow(), dir)?;
    let hashes = blocking(move || cas.list()).await?;
    Ok(hashes.iter().map(Hash::to_string).collect())
}
