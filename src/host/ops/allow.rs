//! Permission checks of ops that touch files other than the thread's own store.

use std::borrow::Cow;
use std::path::Path;

use deno_core::OpState;
use deno_runtime::deno_permissions::{OpenAccessKind, PermissionsContainer};

use super::errors::OpError;

pub(super) fn read(state: &mut OpState, path: &Path, api: &str) -> Result<(), OpError> {
    check(state, path, OpenAccessKind::Read, api)
}

pub(super) fn write(state: &mut OpState, path: &Path, api: &str) -> Result<(), OpError> {
    check(state, path, OpenAccessKind::ReadWrite, api)
}

fn check(state: &mut OpState, path: &Path, kind: OpenAccessKind, api: &str) -> Result<(), OpError> {
    let permissions = state.borrow::<PermissionsContainer>();
    permissions.check_open(Cow::Borrowed(path), kind, Some(api))?;
    Ok(())
}
