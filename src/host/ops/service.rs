//! What the program around the bundle does: the log, models, child workflows.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use deno_core::{OpState, op2};
use serde::de::DeserializeOwned;

use super::errors::OpError;
use super::{Around, allow, services};
use crate::bundle::Registry;
use crate::host::services::{ChatProvider, ChatScene, ChildRequest, LogLevel};

/// What `encode` of `js/host/values.js` wrote.
pub(super) fn json<T: DeserializeOwned>(text: &str) -> Result<T, OpError> {
    serde_json::from_str(text).map_err(|error| OpError::Type(error.to_string()))
}

#[op2]
pub(super) fn op_uncaged_log(
    state: &mut OpState,
    #[smi] level: u8,
    #[string] text: &str,
    #[string] tag: Option<String>,
) {
    let level = match level {
        0 => LogLevel::Debug,
        1 => LogLevel::Info,
        2 => LogLevel::Warn,
        _ => LogLevel::Error,
    };
    services(state).log(level, tag.as_deref(), text);
}

#[op2]
#[string]
pub(super) async fn op_uncaged_chat(
    state: Rc<RefCell<OpState>>,
    #[string] provider: Option<String>,
    #[string] body: String,
    extract: bool,
    #[string] role: Option<String>,
) -> Result<String, OpError> {
    let provider = provider.as_deref().map(json::<ChatProvider>).transpose()?;
    let scene = if extract { ChatScene::Extract } else { ChatScene::Agent };
    if let Some(provider) = &provider {
        allow_provider(&mut state.borrow_mut(), provider)?;
    }
    let reply = services(&state.borrow()).chat(provider, json(&body)?, scene, role);
    Ok(reply.await?)
}

/// Providers of the user's config may be asked by everybody. To let a bundle
/// name any other would be to let it talk to anybody.
fn allow_provider(state: &mut OpState, provider: &ChatProvider) -> Result<(), OpError> {
    let refused = match allow::net(state, &provider.base_url, "chat") {
        Err(OpError::Permission(refused)) => refused,
        allowed => return allowed,
    };
    let registry = services(state).store().map(|store| store.layout().registry());
    let config = registry.and_then(|path| Registry::load(&path).ok()?.config().ok()?);
    let same = |url: &str| url.trim_end_matches('/') == provider.base_url.trim_end_matches('/');
    match config.is_some_and(|config| config.providers.values().any(|p| same(&p.base_url))) {
        true => Ok(()),
        false => Err(refused.into()),
    }
}

#[op2(fast)]
pub(super) fn op_uncaged_enter_role(state: &mut OpState, #[string] role: String) {
    services(state).enter_role(role);
}

#[op2(fast)]
#[smi]
pub(super) fn op_uncaged_react_new(
    state: &mut OpState,
    #[string] config: &str,
) -> Result<u32, OpError> {
    Ok(services(state).react_new(json(config)?)?)
}

#[op2]
#[string]
pub(super) fn op_uncaged_react_step(
    state: &mut OpState,
    #[smi] id: u32,
    #[string] input: &str,
) -> Result<String, OpError> {
    Ok(services(state).react_step(id, json(input)?)?.to_string())
}

#[op2]
#[string]
pub(super) async fn op_uncaged_run_workflow(
    state: Rc<RefCell<OpState>>,
    #[string] request: String,
) -> Result<String, OpError> {
    let request = json::<ChildRequest>(&request)?;
    if let Some(root) = &request.storage_root {
        let state = &mut state.borrow_mut();
        let own = services(state).store();
        // Of another store's registry a bundle may be the author.
        if own.is_none_or(|store| store.layout().root() != Path::new(root)) {
            allow::everything(state, Path::new(root))?;
        }
    }
    let running = services(&state.borrow()).run_workflow(request);
    let result = running.await?;
    serde_json::to_string(&result).map_err(|error| OpError::Type(error.to_string()))
}

#[op2]
#[string]
pub(super) fn op_uncaged_collect_garbage(
    state: &mut OpState,
    #[string] root: &str,
) -> Result<String, OpError> {
    allow::write(state, Path::new(root), "garbageCollectCas()")?;
    Ok(services(state).collect_garbage(root)?.to_string())
}

#[op2]
#[string]
pub(super) fn op_uncaged_storage_root(state: &mut OpState) -> Result<String, OpError> {
    let store = services(state).store().ok_or(OpError::NoStore)?;
    Ok(store.layout().root().to_string_lossy().into_owned())
}

#[op2]
#[string]
pub(super) fn op_uncaged_thread_id(state: &mut OpState) -> String {
    services(state).thread_id()
}

#[op2]
#[string]
pub(super) fn op_uncaged_bundle_hash(state: &mut OpState) -> String {
    state.borrow::<Around>().bundle_hash.clone()
}
