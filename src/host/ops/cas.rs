//! The content-addressed store.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use deno_core::{OpState, op2};

use super::errors::OpError;
use crate::object::Hash;
use crate::store::Store;

/// The store of the CAS folder `dir`, or the thread's own.
fn store(state: &OpState, dir: Option<&str>) -> Result<Store, OpError> {
    match dir {
        None => super::services(state).store().ok_or(OpError::NoStore),
        Some(dir) => Ok(Store::open(root_of(Path::new(dir)))),
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
    let store = store(&state.borrow(), dir.as_deref())?;
    let hash = blocking(move || store.put(&text)).await?;
    Ok(hash.to_string())
}

#[op2]
#[string]
pub(super) async fn op_uncaged_cas_get(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
    #[string] hash: String,
) -> Result<Option<String>, OpError> {
    let store = store(&state.borrow(), dir.as_deref())?;
    let Ok(hash) = hash.parse::<Hash>() else { return Ok(None) };
    blocking(move || store.get(&hash)).await
}

#[op2]
pub(super) async fn op_uncaged_cas_delete(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
    #[string] hash: String,
) -> Result<(), OpError> {
    let store = store(&state.borrow(), dir.as_deref())?;
    let Ok(hash) = hash.parse::<Hash>() else { return Ok(()) };
    blocking(move || store.delete(&hash)).await?;
    Ok(())
}

#[op2]
#[serde]
pub(super) async fn op_uncaged_cas_list(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
) -> Result<Vec<String>, OpError> {
    let store = store(&state.borrow(), dir.as_deref())?;
    let hashes = blocking(move || store.list()).await?;
    Ok(hashes.iter().map(Hash::to_string).collect())
}

/// The storage root whose CAS folder is `dir`.
fn root_of(dir: &Path) -> &Path {
    match dir.parent() {
        Some(root) if dir.file_name().is_some_and(|name| name == "cas") => root,
        _ => dir,
    }
}
