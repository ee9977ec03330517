//! Permission checks of ops that touch files other than the thread's own store.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use deno_core::{ModuleSpecifier, OpState, op2};
use deno_runtime::deno_permissions::{OpenAccessKind, PermissionsContainer};

use super::Around;
use super::errors::OpError;
use crate::host::refusal;

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

/// What only a bundle without limits may do.
pub(super) fn everything(state: &mut OpState, path: &Path) -> Result<(), OpError> {
    Ok(state.borrow::<PermissionsContainer>().check_has_all_permissions(path)?)
}

pub(super) fn net(state: &mut OpState, url: &str, api: &str) -> Result<(), OpError> {
    let url = ModuleSpecifier::parse(url)
        .map_err(|error| OpError::Type(format!("baseUrl {url:?} is no URL: {error}")))?;
    Ok(state.borrow_mut::<PermissionsContainer>().check_net_url(&url, api)?)
}

/// Deno's message about a refusal as this program says it. Reentrant: asked for
/// while the error of another op is made.
#[op2(reentrant)]
#[string]
pub(super) fn op_uncaged_explain_refusal(#[string] message: &str) -> String {
    refusal::explained(message)
}

/// The variables of a child that gets no others: all, for a program that may be
/// started is limited by nothing. Where none may be, its refusal comes later.
#[op2]
#[serde]
pub(super) fn op_uncaged_child_env(state: &mut OpState) -> HashMap<String, String> {
    if !state.borrow::<Around>().may_run {
        return HashMap::new();
    }
    let text = |text: std::ffi::OsString| text.into_string().ok();
    std::env::vars_os().filter_map(|(key, value)| Some((text(key)?, text(value)?))).collect()
}

/// Whether there is anything that the bundle may not do.
#[op2(fast)]
pub(super) fn op_uncaged_is_limited(state: &mut OpState) -> bool {
    state.borrow::<Around>().limited
}
