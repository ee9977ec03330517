use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ExecuteOptions;
use crate::host::Inspect;
use crate::host::services::LocalFuture;
use crate::llm::{Models, Provider, Relay};
use crate::object::Hash;

/// How a thread runs while its bundle's author tries it out with `dev` or
/// `test`. Handed to its process in the environment, so that child threads and
/// the programs that it starts get it too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// Who answers models' requests, and who is told of those without an answer.
    pub relay: Relay,
    /// The bundle that is tried out.
    pub bundle: Hash,
    /// The file that its author has: what stacks and debuggers name.
    pub file: PathBuf,
    /// Where a debugger shall find the first thread of that bundle.
    pub inspect: Option<SocketAddr>,
    /// The folder with stand-ins for agent programs, first in the search path.
    pub programs: Option<PathBuf>,
}

impl Trial {
    /// The trial, where the thread is not a child and runs the bundle that is tried out.
    pub(super) fn of_first_thread(options: &ExecuteOptions, depth: u64) -> Option<&Trial> {
        let trial = options.trial.as_ref()?;
        (trial.bundle == options.bundle && depth == 0).then_some(trial)
    }
}

/// Where a debugger shall find the bundle, and how people learn of it.
pub(super) fn inspected(trial: &Trial) -> Option<Inspect> {
    let (address, relay) = (trial.inspect?, trial.relay.clone());
    let tell = move |url: String| -> LocalFuture<()> {
        let relay = relay.clone();
        Box::pin(async move { relay.debugger_at(&url).await })
    };
    Some(Inspect { address, tell: Box::new(tell) })
}

/// The provider to name where a script answers: none has to be configured then.
pub(super) fn scripted(trial: Option<&Trial>) -> Option<Provider> {
    let models = trial.map(|trial| trial.relay.models);
    matches!(models, Some(Models::Scripted { .. })).then(Relay::scripted_provider)
}

/// After how many steps the supervisor is asked where a script answers.
pub(super) fn scripted_interval(trial: Option<&Trial>) -> Option<u64> {
    match trial?.relay.models {
        Models::Scripted { supervisor_interval } => Some(supervisor_interval),
        Models::Own | Models::Recorded => None,
    }
}

/// Waits until the relay tells of a request that nobody had an answer for, or
/// is gone; for ever where nothing is tried out.
pub(super) async fn unanswered(trial: Option<&Trial>) -> (String, String) {
    let Some(trial) = trial else { return std::future::pending().await };
    match trial.relay.unanswered().await {
        Ok(unanswered) => (unanswered.message, unanswered.detail),
        Err(lost) => (lost.to_string(), lost.to_string()),
    }
}

/// The message and the text of a request that nobody had an answer for.
pub(super) async fn unanswered_yet(trial: Option<&Trial>) -> Option<(String, String)> {
    let told = trial?.relay.unanswered_yet().await?;
    Some((told.message, told.detail))
}
