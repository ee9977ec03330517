//! Asking the supervisor, every few steps, whether a thread should go on.

use serde_json::Value;

use super::services::model_for;
use super::{ExecuteOptions, ThreadLog, trial};
use crate::bundle::{Config, Registry};
use crate::history::{self, Chain};
use crate::llm::{self, supervisor};
use crate::object::Hash;
use crate::store::causes;

/// Whether a model is configured and this step is one after which it is asked.
pub(super) fn is_due(options: &ExecuteOptions, round: u64, log: &ThreadLog) -> bool {
    if let Some(interval) = trial::scripted_interval(options.trial.as_ref()) {
        return interval != 0 && round.is_multiple_of(interval);
    }
    let registry = Registry::load(&options.store.layout().registry());
    let config = registry.and_then(|registry| registry.config()).unwrap_or_else(|error| {
        log.write("4BN7K1TY", &format!("no supervisor: {error}"));
        None
    });
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
) -> bool {
    match ask(options, client, head).await {
        Ok(supervisor::Decision::Stop) => {
            log.write("8EJ4V1RC", "the supervisor stops the thread");
            true
        }
        Ok(supervisor::Decision::Continue) => false,
        Err(problem) => {
            log.write("6PX2A9HD", &format!("the supervisor gave no decision: {problem}"));
            false
        }
    }
}

async fn ask(
    options: &ExecuteOptions,
    client: &llm::Client,
    head: Hash,
) -> Result<supervisor::Decision, String> {
    let store = &options.store;
    let provider = model_for(store, "supervisor", options.env, options.trial.as_ref());
    let provider = provider.map_err(|e| e.to_string())?;
    let content =
        |hash| Ok::<_, String>(history::content(store, hash).map_err(|e| causes(&e))?.text);
    let chain = Chain::load(store, head).map_err(|e| causes(&e))?;
    let prompt = content(chain.start.prompt)?;
    let before = chain.steps().count().saturating_sub(supervisor::STEPS_SHOWN);
    let mut steps = Vec::new();
    for (_, state) in chain.steps().skip(before) {
        steps.push(supervisor::Step {
            role: state.role.clone(),
            meta: Value::Object(state.meta.clone()),
            text: content(state.content)?,
        });
    }
    let decision = supervisor::decide(client, &provider, &prompt, &steps, before).await;
    decision.map_err(|e| e.to_string())
}
