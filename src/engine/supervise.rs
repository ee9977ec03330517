//! Asking the supervisor, every few steps, whether a thread should go on.

use serde_json::Value;

use super::services::model_for;
use super::{EngineError, ExecuteOptions, ThreadLog};
use crate::bundle::{Config, Registry};
use crate::history::{self, Chain};
use crate::llm::{self, supervisor};
use crate::object::Hash;

/// Whether a model is configured and this step is one after which it is asked.
pub(super) fn is_due(options: &ExecuteOptions, round: u64) -> bool {
    let registry = Registry::load(&options.store.layout().registry());
    let config = registry.ok().and_then(|registry| registry.config().ok().flatten());
    match config.as_ref().map(Config::supervisor_interval) {
        None | Some(0) => false,
        Some(interval) => round.is_multiple_of(interval),
    }
}

/// Whether the supervisor ends the thread. A supervisor that fails or is not
/// configured is logged and never stands in a thread's way.
pub(super) async fn stops(
    options: &ExecuteOptions,
    client: &llm::Client,
    head: Hash,
    log: &ThreadLog,
) -> Result<bool, EngineError> {
    let store = &options.store;
    let provider = match model_for(store, "supervisor", options.env) {
        Ok(provider) => provider,
        Err(error) => {
            log.write("6PX2A9HD", &format!("no supervisor: {error}"));
            return Ok(false);
        }
    };
    let chain = Chain::load(store, head)?;
    let prompt = history::content(store, chain.start.prompt)?.text;
    let before = chain.steps().count().saturating_sub(supervisor::STEPS_SHOWN);
    let mut steps = Vec::new();
    for (_, state) in chain.steps().skip(before) {
        steps.push(supervisor::Step {
            role: state.role.clone(),
            meta: Value::Object(state.meta.clone()),
            text: history::content(store, state.content)?.text,
        });
    }
    match supervisor::decide(client, &provider, &prompt, &steps, before).await {
        Ok(supervisor::Decision::Stop) => {
            log.write("8EJ4V1RC", "the supervisor stops the thread");
            Ok(true)
        }
        Ok(supervisor::Decision::Continue) => Ok(false),
        Err(error) => {
            log.write("2YT7B5QN", &format!("the supervisor gave no decision: {error}"));
            Ok(false)
        }
    }
}
