//! Errors of the engine as data.

use deno_core::error::{CoreError, CoreErrorKind, JsError};

use super::error::{HostError, Place, Thrown};

impl Thrown {
    /// `bundle` is the bundle's URL, as frames name it.
    pub(super) fn new(error: &JsError, bundle: &str) -> Self {
        let uncaught = error.exception_message.trim_start_matches("Uncaught ");
        let shown = uncaught.trim_start_matches("(in promise) ");
        let message = error.message.clone().unwrap_or_else(|| match &error.name {
            Some(_) => String::new(),
            None => shown.to_string(),
        });
        let mut stack = error
            .stack
            .as_deref()
            .map(without_own_frames)
            .filter(|stack| !stack.is_empty())
            .unwrap_or_else(|| {
                let at = error.frames.iter().filter_map(|frame| frame.maybe_format_location());
                at.fold(shown.to_string(), |stack, at| format!("{stack}\n    at {at}"))
            });
        for part in error.aggregated.iter().flatten() {
            stack.push_str("\nOne of: ");
            stack.push_str(&Thrown::new(part, bundle).stack);
        }
        if let Some(cause) = &error.cause {
            stack.push_str("\nCaused by: ");
            stack.push_str(&Thrown::new(cause, bundle).stack);
        }
        let frame = error.frames.iter().find(|frame| frame.file_name.as_deref() == Some(bundle));
        let place = frame.and_then(|frame| {
            let line = frame.line_number?.try_into().ok()?;
            let column = frame.column_number?.try_into().ok()?;
            Some(Place { line, column })
        });
        Self { name: error.name.clone(), message, stack, place }
    }
}

/// A value that describes itself, for errors without a JavaScript error behind.
fn plain(message: String) -> Thrown {
    let stack = format!("TypeError: {message}");
    Thrown { name: Some("TypeError".into()), stack, message, place: None }
}

/// An error while the module graph is put together.
pub(super) fn module_error(error: CoreError, bundle: &str) -> HostError {
    match *error.0 {
        CoreErrorKind::Js(error) => HostError::Module(Thrown::new(&error, bundle)),
        CoreErrorKind::JsBox(error) => HostError::Module(plain(error.to_string())),
        other => HostError::Internal(other.to_string()),
    }
}

/// Whether V8 says that a top-level `await` can never settle: unlike a thrown
/// value, that is a message about a place and carries no error.
pub(super) fn is_stalled_await(error: &CoreError) -> bool {
    match error.0.as_ref() {
        CoreErrorKind::Js(error) => {
            error.name.is_none() && error.stack.is_none() && !error.frames.is_empty()
        }
        CoreErrorKind::ModuleEvaluationDeadlock => true,
        _ => false,
    }
}

/// Leaves out the frames of `js/`: they say nothing to a bundle's author.
fn without_own_frames(stack: &str) -> String {
    let own = |line: &&str| line.starts_with("    at ") && line.contains("ext:uncaged_host/");
    stack.lines().filter(|line| !own(line)).collect::<Vec<_>>().join("\n")
}
