//! Finding what a user named: by its whole name, a unique beginning, or near it.

use super::Context;
use super::error::CommandError;
use crate::bundle::Registry;
use crate::object::{Hash, ThreadId, WorkflowName};
use crate::store::{Damage, Record};

/// The thread that `text` names: its id in any case, or a unique beginning of it.
pub(super) fn thread(context: &Context, text: &str) -> Result<ThreadId, CommandError> {
    let id: ThreadId = text.parse()?;
    if matches!(context.store.find_thread(&id), Ok(Some(_))) {
        return Ok(id);
    }
    let (threads, damage) = all_threads(context)?;
    let mut all: Vec<ThreadId> = threads.into_iter().map(|(_, known, _)| known).collect();
    all.dedup();
    let matches: Vec<&ThreadId> =
        all.iter().filter(|known| starts_with(known.as_str(), text)).collect();
    match matches.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            warn(context, &damage);
            let known = all.iter().map(ThreadId::as_str);
            let error = CommandError::user(format!("there is no thread {text}"));
            Err(near(error, text, known).hint("`uncaged-workflow threads` lists them"))
        }
        several => Err(CommandError::user(format!("{text} is the beginning of several threads"))
            .hint(list(several.iter().map(|id| id.as_str())))),
    }
}

/// The error with the id or hash that may have been meant.
pub(super) fn near<'a>(
    error: CommandError,
    text: &str,
    known: impl Iterator<Item = &'a str>,
) -> CommandError {
    match crate::bundle::closest_beginning(text, known) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// Every thread, by id, and what of the index is damaged.
#[allow(clippy::type_complexity, reason = "read once, by name")]
pub(super) fn all_threads(
    context: &Context,
) -> Result<(Vec<(Hash, ThreadId, Record)>, Vec<Damage>), CommandError> {
    let (mut threads, mut damage) = (Vec::new(), Vec::new());
    for bundle in context.store.bundles_with_threads()? {
        let listing = context.store.threads_of(&bundle)?;
        damage.extend(listing.damage);
        threads
            .extend(listing.records.into_iter().map(|(thread, record)| (bundle, thread, record)));
    }
    threads.sort_by(|(_, a, _), (_, b, _)| a.cmp(b));
    Ok((threads, damage))
}

/// Says which parts of the index were left out because they are damaged.
pub(super) fn warn(context: &Context, damage: &[Damage]) {
    for damage in damage {
        context.ui.note(format!("warning: {damage}"));
    }
}

/// The blob that `text` names: its hash in any case, or a unique beginning of it.
pub(super) fn blob(context: &Context, text: &str) -> Result<Hash, CommandError> {
    let whole = text.parse::<Hash>();
    if let Ok(hash) = whole
        && !matches!(context.store.get(&hash), Ok(None))
    {
        return Ok(hash);
    }
    if whole.is_err() && text.len() >= HASH_LENGTH {
        return Ok(whole?);
    }
    let all = context.store.list()?;
    let matches: Vec<&Hash> = all.iter().filter(|h| starts_with(h.as_str(), text)).collect();
    match matches.as_slice() {
        [one] if !text.is_empty() => Ok(**one),
        [] => {
            let error = CommandError::user(format!("there is no blob {text}"));
            Err(near(error, text, all.iter().map(Hash::as_str))
                .hint("`uncaged-workflow cas list` lists them"))
        }
        several => Err(CommandError::user(format!("`{text}` is the beginning of several blobs"))
            .hint(list(several.iter().map(|h| h.as_str())))),
    }
}

/// Characters of a whole hash.
const HASH_LENGTH: usize = 13;

/// The registered workflow of this name.
pub(super) fn workflow(registry: &Registry, text: &str) -> Result<WorkflowName, CommandError> {
    let name: WorkflowName = text.parse()?;
    if registry.get(&name).is_some() {
        return Ok(name);
    }
    let known: Vec<String> = registry.names().map(|n| n.to_string()).collect();
    Err(unknown_workflow(text, &known))
}

/// The error for a name that is not registered.
pub(super) fn unknown_workflow(name: &str, known: &[String]) -> CommandError {
    let error = CommandError::user(format!("no workflow is named `{name}`"));
    let near = crate::bundle::closest(name, known.iter().map(String::as_str));
    match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if known.is_empty() => {
            error.hint("`uncaged-workflow add <file.esm.js>` registers a workflow")
        }
        None => error.hint(format!("registered: {}", list(known.iter().map(String::as_str)))),
    }
}

fn starts_with(whole: &str, beginning: &str) -> bool {
    whole.get(..beginning.len()).is_some_and(|w| w.eq_ignore_ascii_case(beginning))
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 8;
    let items: Vec<&str> = items.collect();
    let shown = items[..items.len().min(SHOWN)].join(", ");
    match items.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
