//! What a user named, and how to say that it is not there.

use super::Context;
use super::error::CommandError;
use crate::bundle::{Registry, first_few};
use crate::engine::{self, FindError};
use crate::object::{Hash, ThreadId, WorkflowName};
use crate::store::{Damage, causes};

/// The thread that `text` names: its id in any case, or a unique beginning of it.
pub(super) fn thread(context: &Context, text: &str) -> Result<ThreadId, CommandError> {
    engine::find_thread(&context.store, text).map_err(|error| {
        if let FindError::UnknownThread { damage, .. } = &error {
            warn(context, damage);
        }
        error.into()
    })
}

/// Says which parts of the index were left out because they are damaged.
pub(super) fn warn(context: &Context, damage: &[Damage]) {
    for damage in damage {
        context.ui.note(format!("warning: {damage}"));
    }
}

/// The blob that `text` names: its hash in any case, or a unique beginning of it.
pub(super) fn blob(context: &Context, text: &str) -> Result<Hash, CommandError> {
    Ok(engine::find_blob(&context.store, text)?)
}

/// The registered workflow of this name.
pub(super) fn workflow(registry: &Registry, text: &str) -> Result<WorkflowName, CommandError> {
    Ok(engine::find_workflow(registry, text)?)
}

impl From<FindError> for CommandError {
    fn from(error: FindError) -> CommandError {
        let message = CommandError::user(causes(&error));
        match error {
            FindError::UnknownThread { near, .. } => {
                did_you_mean(message, near.as_deref()).hint("`uncaged-workflow threads` lists them")
            }
            FindError::SeveralThreads { threads, .. } => {
                message.hint(first_few(threads.iter().map(ThreadId::as_str)))
            }
            FindError::UnknownBlob { near, .. } => did_you_mean(message, near.as_deref())
                .hint("`uncaged-workflow cas list` lists them"),
            FindError::SeveralBlobs { blobs, .. } => {
                message.hint(first_few(blobs.iter().map(Hash::as_str)))
            }
            FindError::UnknownWorkflow { name, known } => unknown_workflow(&name, &known),
            _ => message,
        }
    }
}

/// The error with what may have been meant.
pub(super) fn did_you_mean(error: CommandError, near: Option<&str>) -> CommandError {
    match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
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
        None => error.hint(format!("registered: {}", first_few(known.iter().map(String::as_str)))),
    }
}
