use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::bundle::{ConfigError, RegistryError};
use crate::engine::EngineError;
use crate::history::HistoryError;
use crate::object::{InvalidHash, InvalidThreadId, InvalidWorkflowName};
use crate::store::gc::GcError;
use crate::store::{StoreError, causes};
use crate::worker::ClientError;
use crate::worker::control::ControlError;

/// Who is at fault decides heading and exit code.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// What was asked for cannot be done; exit code 1.
    User,
    /// The command line itself is wrong; exit code 2.
    Usage,
    /// The reader of our output went away; says nothing.
    Quiet,
}

/// A failed command: what to say, what to do about it, and the exit code.
#[derive(Debug)]
pub(super) struct CommandError {
    kind: Kind,
    message: String,
    hints: Vec<String>,
}

impl CommandError {
    pub(super) fn user(message: impl Display) -> CommandError {
        CommandError { kind: Kind::User, message: message.to_string(), hints: Vec::new() }
    }

    pub(super) fn usage(message: impl Display) -> CommandError {
        CommandError { kind: Kind::Usage, ..CommandError::user(message) }
    }

    pub(super) fn internal(error: impl Display) -> CommandError {
        CommandError::user(error)
    }

    pub(super) fn from_output(error: io::Error) -> CommandError {
        match error.kind() {
            io::ErrorKind::BrokenPipe => {
                CommandError { kind: Kind::Quiet, ..CommandError::user("") }
            }
            _ => CommandError::user(format!("cannot write the output: {error}")),
        }
    }

    pub(super) fn hint(mut self, hint: impl Display) -> CommandError {
        self.hints.push(hint.to_string());
        self
    }

    /// The message without hints.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub(super) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Says it on standard error and gives the exit code.
    pub(super) fn report(&self) -> ExitCode {
        let mut err = io::stderr().lock();
        let code = match self.kind {
            Kind::Quiet => return ExitCode::SUCCESS,
            Kind::User => 1,
            Kind::Usage => 2,
        };
        let heading = if self.message.starts_with("error") { "" } else { "error: " };
        let _ = writeln!(err, "{heading}{}", self.message.trim_end());
        for hint in &self.hints {
            let _ = writeln!(err, "hint: {hint}");
        }
        ExitCode::from(code)
    }
}

macro_rules! plain {
    ($($error:ty),*) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> CommandError {
                CommandError::user(causes(&error))
            }
        })*
    };
}

plain!(StoreError, HistoryError, RegistryError, ConfigError, InvalidHash, InvalidThreadId);
plain!(InvalidWorkflowName, ClientError);

impl From<GcError> for CommandError {
    fn from(error: GcError) -> CommandError {
        CommandError::user(format!("nothing was deleted: {}", causes(&error)))
            .hint("`uncaged-workflow cas verify` lists all damage")
    }
}

impl From<EngineError> for CommandError {
    fn from(error: EngineError) -> CommandError {
        let message = CommandError::user(causes(&error));
        match error {
            EngineError::UnknownWorkflow { name, known } => {
                super::find::unknown_workflow(name.as_str(), &known)
            }
            EngineError::UnknownThread(_) => message.hint("`uncaged-workflow threads` lists them"),
            EngineError::BundleMissing { bundle, .. }
            | EngineError::BundleAltered { bundle, .. } => message
                .hint(format!("`uncaged-workflow add` the file whose hash is {bundle} once more")),
            EngineError::Limits { .. } => {
                message.hint("mend the file, or remove it to let the thread do whatever you may")
            }
            EngineError::AlreadyEnded(thread) => message.hint(format!(
                "`uncaged-workflow fork {thread}` starts a new thread from its steps"
            )),
            EngineError::History(HistoryError::UnknownRole { role, roles }) => {
                let near = crate::bundle::closest(&role, roles.iter().map(String::as_str));
                match near {
                    Some(near) => message.hint(format!("did you mean `{near}`?")),
                    None if roles.is_empty() => message.hint("the thread has no steps yet"),
                    None => message.hint(format!("its roles: {}", roles.join(", "))),
                }
            }
            _ => message,
        }
    }
}

impl From<ControlError> for CommandError {
    fn from(error: ControlError) -> CommandError {
        let message = CommandError::user(causes(&error));
        match error {
            ControlError::Engine(error) => error.into(),
            ControlError::NotStarted { thread, .. } => message.hint(format!(
                "thread {thread} is saved; `uncaged-workflow resume {thread}` tries again"
            )),
            ControlError::Ended(thread) => {
                message.hint(format!("`uncaged-workflow thread {thread}` shows how"))
            }
            ControlError::NotRunning(thread) => {
                message.hint(format!("`uncaged-workflow resume {thread}` continues it"))
            }
            ControlError::BeingStarted(_) => message.hint("try again"),
            ControlError::Worker(_) | ControlError::Unknown(_) | ControlError::Ending(_) => message,
        }
    }
}
