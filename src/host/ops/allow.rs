//! Permission checks of ops that touch files other than the thread's own store.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use deno_core::{ModuleSpecifier, OpState, op2};
use deno_runtime::deno_permissions::{OpenAccessKind, PermissionsContainer};

use super::Around;
use super::errors::OpError;
use crate::bundle::Grant;
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
/// started is limited by nothing. Where none may be, its refusal comes later, when
/// it was found in the search path.
#[op2]
#[serde]
pub(super) fn op_uncaged_child_env(state: &mut OpState) -> HashMap<String, String> {
    let run = &state.borrow::<Around>().run;
    let inherited = |name: &str| match run {
        Grant::None => name == "PATH",
        // With them, Deno lets nobody start a program who may not start all.
        Grant::Only(_) => !is_for_the_loader(name),
        Grant::All => true,
    };
    let text = |text: std::ffi::OsString| text.into_string().ok();
    let variables = std::env::vars_os();
    let variables = variables.filter_map(|(name, value)| Some((text(name)?, text(value)?)));
    variables.filter(|(name, _)| inherited(name)).collect()
}

/// Whether a variable makes the system load other code into a program.
fn is_for_the_loader(name: &str) -> bool {
    let begins = |with: &str| {
        name.trim().get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
    };
    begins("LD_") || begins("DYLD_")
}

/// Whether there is anything that the bundle may not do.
#[op2(fast)]
pub(super) fn op_uncaged_is_limited(state: &mut OpState) -> bool {
    state.borrow::<Around>().limited
}
