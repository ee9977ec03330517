//! The content-addressed store.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use deno_core::{OpState, op2};

use super::allow;
use super::errors::OpError;
use crate::object::Hash;
use crate::store::reach::thread_that_needs;
use crate::store::{Cas, causes};

/// Of a permission; see [`allow`].
type Check = fn(&mut OpState, &Path, &str) -> Result<(), OpError>;

/// The blobs in the folder `dir`, or the thread's own, which needs no permission.
fn cas(state: &RefCell<OpState>, dir: Option<String>, allow: Check) -> Result<Cas, OpError> {
    let state = &mut state.borrow_mut();
    let own = super::services(state).store().map(|store| store.cas().clone());
    match (own, dir) {
        (Some(own), None) => Ok(own),
        (Some(own), Some(dir)) if own.dir() == Path::new(&dir) => Ok(own),
        (None, None) => Err(OpError::NoStore),
        (_, Some(dir)) => {
            allow(state, Path::new(&dir), "createCasStore()")?;
            Ok(Cas::at(dir))
        }
    }
}

/// Runs on a thread of its own: the store waits for the disk.
async fn blocking<T: Send + 'static, E: std::error::Error + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, OpError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.map_err(|error| OpError::Plain(causes(&error))),
        Err(error) => Err(OpError::Plain(error.to_string())),
    }
}

#[op2]
#[string]
pub(super) async fn op_uncaged_cas_put(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
    #[string] text: String,
) -> Result<String, OpError> {
    let cas = cas(&state, dir, allow::write)?;
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
    let cas = cas(&state, dir, allow::read)?;
    let Ok(hash) = hash.parse::<Hash>() else { return Ok(None) };
    blocking(move || cas.get_protected(&hash)).await
}

#[op2]
pub(super) async fn op_uncaged_cas_delete(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
    #[string] hash: String,
) -> Result<(), OpError> {
    let cas = cas(&state, dir, allow::write)?;
    let Ok(hash) = hash.parse::<Hash>() else { return Ok(()) };
    let own = super::services(&state.borrow()).store();
    if let Some(store) = own.filter(|store| store.cas().dir() == cas.dir())
        && let Some(thread) = blocking(move || thread_that_needs(&store, &hash)).await?
    {
        return Err(OpError::Plain(format!("cas.delete: thread {thread} needs {hash}")));
    }
    blocking(move || cas.delete(&hash)).await?;
    Ok(())
}

#[op2]
pub(super) async fn op_uncaged_cas_list(
    state: Rc<RefCell<OpState>>,
    #[string] dir: Option<String>,
) -> Result<Vec<String>, OpError> {
    let cas = cas(&state, dir, allow::read)?;
    let hashes = blocking(move || cas.list()).await?;
    Ok(hashes.iter().map(Hash::to_string).collect())
}
