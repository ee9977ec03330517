//! The answers file that `dev --record` writes.

use std::collections::BTreeSet;
use std::path::Path;

use super::Context;
use super::error::CommandError;
use super::trial::Running;
use crate::bundle::{Config, Registry};
use crate::http::bodies::{self, ThreadRow, ThreadRows};
use crate::object::Node;
use crate::script::{Answering, Happened, Replayed};
use crate::store::durable;

/// What the thread was started with, and what came of it.
pub(super) struct Replay<'a> {
    /// The task.
    pub prompt: &'a str,
    /// Steps that it might take.
    pub max_rounds: u64,
    /// What came of it; none where it did not come to its own end.
    pub whole: Option<&'a Happened>,
}

/// Writes the answers that came so far into `file`.
pub(super) fn write(
    context: &Context,
    running: &Running,
    file: &Path,
    replay: Replay<'_>,
) -> Result<(), CommandError> {
    let supervisor_interval = interval(running);
    let text = running.server.look(|answering| match answering {
        Answering::Recording(notes) => Some(notes.to_text(&Replayed {
            prompt: replay.prompt,
            max_rounds: replay.max_rounds,
            supervisor_interval,
            happened: replay.whole,
        })),
        _ => None,
    });
    durable::write_atomic(file, text.unwrap_or_default())
        .map_err(|error| CommandError::user(&error))?;
    context.ui.note(format!("recorded in {}", file.display()));
    let children = children(running);
    if let Some(first) = children.first() {
        // Their files are the user's to name: a store has only what was built.
        let names: Vec<&str> = children.iter().map(String::as_str).collect();
        context.ui.note(format!(
            "warning: it ran other workflows ({}): name their bundles in the file before you \
             replay it, as in `workflows: {{ {first}: ./{first}.esm.js }}`",
            names.join(", "),
        ));
    }
    Ok(())
}

/// After how many steps the supervisor was asked.
fn interval(running: &Running) -> u64 {
    let registry = Registry::load(&running.context.store.layout().registry());
    let config = registry.ok().and_then(|registry| registry.config().ok().flatten());
    config.map_or(Config::DEFAULT_SUPERVISOR_INTERVAL, |config| config.supervisor_interval())
}

/// The names of the workflows that the thread ran as its children.
fn children(running: &Running) -> BTreeSet<String> {
    let Running { context, thread, .. } = running;
    let threads = bodies::threads(&context.store, &context.workers, &ThreadRows::default());
    let rows = threads.map(|listing| listing.records).unwrap_or_default();
    // Others may lie in a store that stays: those that are not children, and older ones.
    let is_child = |row: &ThreadRow| {
        let start = context.store.node(&row.start);
        matches!(start, Ok(Some(Node::Start(start))) if start.depth > 0)
    };
    let children = rows.into_iter().filter(|row| row.thread_id > *thread && is_child(row));
    children.filter(|row| row.hash != *running.bundle()).map(|row| row.name).collect()
}
