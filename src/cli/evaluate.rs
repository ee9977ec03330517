//! Evaluating a bundle's top level in a process of its own: it may end that
//! process or write on its output, and a command must neither end nor say
//! anything that the bundle chose.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::commands::add::block_on;
use crate::engine::{self, EvaluationError};
use crate::host::DESCRIBE_LIMIT;

/// First argument of the process that evaluates.
pub(super) const EVALUATE_COMMAND: &str = "__evaluate";
/// What starting and ending that process may take beside the evaluation.
const MARGIN: Duration = Duration::from_secs(10);

type Outcome = Result<Value, EvaluationError>;

/// Evaluates the bundle in `file`, whose text is `source`.
pub(super) fn evaluate(file: &Path, source: &[u8]) -> Outcome {
    evaluate_unless(&|| false, file, source)
}

/// The same, for as long as nobody has `given_up`. What it gives then is no more
/// than that there is nothing to give.
pub(super) fn evaluate_unless(given_up: &dyn Fn() -> bool, file: &Path, source: &[u8]) -> Outcome {
    let failed = |error: std::io::Error| EvaluationError::Failed {
        message: format!("no process to evaluate it in: {error}"),
        place: None,
    };
    // A file, because the bundle could write into any pipe, and has no
    // permission to write files.
    let answer = tempfile::NamedTempFile::new().map_err(failed)?;
    let program = crate::worker::this_program().map_err(failed)?;
    let mut command = Command::new(program);
    command.arg(EVALUATE_COMMAND).arg(file).arg(answer.path());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // Fails where the process has died, which is said below.
        let _ = stdin.write_all(source);
    }
    let status = wait(&mut child, given_up).map_err(failed)?;
    let Some(status) = status else { return Err(EvaluationError::TimedOut) };
    let text = fs::read_to_string(answer.path()).map_err(failed)?;
    serde_json::from_str::<Outcome>(&text)
        .unwrap_or_else(|_| Err(EvaluationError::Died(status.to_string())))
}

/// Waits for the child's end, for a bounded time and until somebody has `given_up`.
fn wait(child: &mut Child, given_up: &dyn Fn() -> bool) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + DESCRIBE_LIMIT + MARGIN;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > deadline || given_up() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// The process itself: the bundle's text comes in on standard input.
pub(super) fn serve(file: &Path, answer: &Path) -> std::io::Result<()> {
    let source = std::io::read_to_string(std::io::stdin())?;
    let outcome: Outcome = match block_on(engine::describe(file.to_owned(), source)) {
        Ok(outcome) => outcome,
        Err(error) => {
            Err(EvaluationError::Failed { message: error.message().to_owned(), place: None })
        }
    };
    fs::write(answer, serde_json::to_vec(&outcome)?)
}
