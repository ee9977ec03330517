use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::super::answers_files::{bundle_of, find};
use super::super::changes::Stops;
use super::super::error::CommandError;
use super::super::trial::{Running, TrialOptions, read_answers};
use super::super::{Context, view};
use super::add::block_on;
use crate::engine::{DEFAULT_MAX_ROUNDS, Progress};
use crate::script::{Answering, Difference, Script, compare};

/// Run bundles against the answers files beside them
///
/// A bundle `triage.esm.js` is tested by `triage.answers.yaml` and by every
/// `triage.<case>.answers.yaml` in its folder; a bundle in `dist` also by those in
/// the folder around it. A test passes when the thread's
/// steps and end are as `expect` in the file says (without it: return code 0),
/// and every answer was used. `dev --record` writes such a file from a real run.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow test                        every answers file in this folder and below
  uncaged-workflow test dist/triage.esm.js     those of one bundle
  uncaged-workflow test triage.two-bugs.answers.yaml

Expectations in an answers file (each part may be left out):
  expect:
    steps:
      - role: reporter
        meta: { severity: 3 }
    returnCode: 0
    summary: \"reported\"")]
pub(in super::super) struct TestArgs {
    /// Bundles, answers files, or folders to look for them in
    #[arg(value_name = "FILE|DIR", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Tests that run at the same time
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Seconds that one test may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
}

/// What came of one test.
struct Verdict {
    problems: Vec<Problem>,
    took: Duration,
}

/// Said of a thread without an end that nobody runs.
const INTERRUPTED: &str = "the thread was interrupted: somebody ended the process that runs it";

/// Why a test fails.
enum Problem {
    /// It could not be run.
    Broken(CommandError),
    /// Something else came than was expected.
    Differs(Difference),
    /// Answers that nobody asked for, each shown.
    Unused(Vec<String>),
    /// It took too long, so many seconds.
    TimedOut(u64),
    /// Nobody runs it any more, and it has no end.
    Interrupted,
    /// What the end of a failed thread says.
    Detail(String),
}

pub(super) fn cmd_test(context: &Context, args: &TestArgs) -> Result<ExitCode, CommandError> {
    let mut files = Vec::new();
    for path in &args.paths {
        find(path, &mut files)?;
    }
    files.sort();
    files.dedup();
    if files.is_empty() {
        let places: Vec<String> = args.paths.iter().map(|p| p.display().to_string()).collect();
        let message = format!("there is no answers file in {}", places.join(", "));
        return Err(CommandError::user(message).hint(
            "`uncaged-workflow dev <file.esm.js> --record <name>.answers.yaml` writes one from a real run",
        ));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or(cores).clamp(1, files.len());
    let begun = Instant::now();
    if !context.ui.json() {
        context.ui.line(format!("running {}", count(files.len(), "test")))?;
    }
    let verdicts = run_all(context, &files, jobs, args.timeout)?;
    summarize(context, &files, &verdicts, begun.elapsed())
}

/// Runs all tests, some side by side, and shows each in its order. A signal
/// ends those that run; those that have not begun then have no verdict.
fn run_all(
    context: &Context,
    files: &[PathBuf],
    jobs: usize,
    timeout: u64,
) -> Result<Vec<Option<Verdict>>, CommandError> {
    let given_up = Arc::new(AtomicBool::new(false));
    let next = AtomicUsize::new(0);
    let (sender, mut received) = mpsc::unbounded_channel();
    let mut verdicts: Vec<Option<Verdict>> = files.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, given_up, next) = (sender.clone(), &given_up, &next);
            scope.spawn(move || {
                while !given_up.load(Ordering::SeqCst) {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    let Some(file) = files.get(number) else { return };
                    let verdict = test(context, file, timeout, given_up);
                    if !given_up.load(Ordering::SeqCst) {
                        let _ = sender.send((number, verdict));
                    }
                }
            });
        }
        drop(sender);
        let shown = block_on(async {
            let mut stops = Stops::new()?;
            let mut shown = 0;
            loop {
                let (number, verdict) = tokio::select! {
                    received = received.recv() => match received {
                        Some(received) => received,
                        None => return Ok::<(), CommandError>(()),
                    },
                    _ = stops.next() => {
                        given_up.store(true, Ordering::SeqCst);
                        return Ok(());
                    }
                };
                verdicts[number] = Some(verdict);
                while let Some(verdict) = verdicts.get(shown).and_then(Option::as_ref) {
                    show(context, &files[shown], verdict)?;
                    shown += 1;
                }
            }
        });
        // Also where the reader of our output has gone.
        if !matches!(shown, Ok(Ok(()))) {
            given_up.store(true, Ordering::SeqCst);
        }
        shown?
    })?;
    Ok(verdicts)
}

/// One test from its file to its verdict.
fn test(context: &Context, file: &Path, timeout: u64, given_up: &Arc<AtomicBool>) -> Verdict {
    let begun = Instant::now();
    let problems = match block_on(problems(context, file, timeout, given_up)) {
        Ok(Ok(problems)) => problems,
        Ok(Err(error)) | Err(error) => vec![Problem::Broken(error)],
    };
    Verdict { problems, took: begun.elapsed() }
}

async fn problems(
    context: &Context,
    file: &Path,
    timeout: u64,
    given_up: &Arc<AtomicBool>,
) -> Result<Vec<Problem>, CommandError> {
    let answers = read_answers(file)?;
    let bundle = bundle_of(file)?;
    let expect = answers.expect.clone();
    let options = TrialOptions {
        file: bundle,
        prompt: answers.prompt.clone().unwrap_or_default(),
        max_rounds: answers.max_rounds.unwrap_or(DEFAULT_MAX_ROUNDS),
        answering: Answering::Script(Script::new(answers)),
        store: None,
        inspect: None,
        given_up: given_up.clone(),
    };
    let running = Running::start(context, options)?;
    // None where it is further off than any clock goes.
    let deadline = Instant::now().checked_add(Duration::from_secs(timeout));
    let over = || deadline.is_some_and(|deadline| Instant::now() > deadline);
    let progress = running.wait(|| over() || given_up.load(Ordering::SeqCst)).await?;
    let happened = running.happened()?;
    if happened.end.is_none() {
        return Ok(vec![match progress {
            Progress::Interrupted | Progress::Gone => Problem::Interrupted,
            Progress::Running | Progress::Ended => Problem::TimedOut(timeout),
        }]);
    }
    let difference = compare(&expect, &happened);
    let failed = difference.is_some();
    let mut problems: Vec<Problem> = difference.map(Problem::Differs).into_iter().collect();
    problems.extend(happened.detail.filter(|_| failed).map(Problem::Detail));
    let unused = running.server.look(|answering| match answering {
        Answering::Script(script) => script.unused_shown(),
        _ => Vec::new(),
    });
    if !unused.is_empty() {
        problems.push(Problem::Unused(unused));
    }
    Ok(problems)
}

fn show(context: &Context, file: &Path, verdict: &Verdict) -> Result<(), CommandError> {
    if context.ui.json() {
        return Ok(());
    }
    let word = if verdict.problems.is_empty() { "ok" } else { "FAILED" };
    let took = verdict.took.as_secs_f64();
    context.ui.line(format!("test {} ... {word} ({took:.2} s)", file.display()))
}

fn summarize(
    context: &Context,
    files: &[PathBuf],
    verdicts: &[Option<Verdict>],
    took: Duration,
) -> Result<ExitCode, CommandError> {
    let finished = || files.iter().zip(verdicts).filter_map(|(f, v)| Some((f, v.as_ref()?)));
    let passed = finished().filter(|(_, verdict)| verdict.problems.is_empty()).count();
    let failed = finished().count() - passed;
    let not_run = files.len() - passed - failed;
    if context.ui.json() {
        let tests: Vec<Value> = finished().map(|(file, verdict)| in_json(file, verdict)).collect();
        context.ui.value(&json!({
            "tests": tests, "passed": passed, "failed": failed, "notRun": not_run,
            "durationMs": took.as_millis() as u64,
        }))?;
    } else {
        for (file, verdict) in finished().filter(|(_, verdict)| !verdict.problems.is_empty()) {
            context.ui.line(format!("\n{}", file.display()))?;
            for problem in &verdict.problems {
                for line in problem.lines() {
                    context.ui.line(format!("  {line}").trim_end())?;
                }
            }
        }
        let not_run = if not_run > 0 { format!(", {not_run} not run") } else { String::new() };
        let took = took.as_secs_f64();
        context.ui.line(format!("\n{passed} passed, {failed} failed{not_run} ({took:.2} s)"))?;
    }
    Ok(match (failed, not_run) {
        (0, 0) => ExitCode::SUCCESS,
        (_, 0) => ExitCode::FAILURE,
        _ => ExitCode::from(130),
    })
}

fn in_json(file: &Path, verdict: &Verdict) -> Value {
    let problem = |problem: &Problem| match problem {
        Problem::Broken(error) => json!({ "kind": "error", "message": error.message() }),
        Problem::Differs(Difference { expected, actual }) => {
            json!({ "kind": "difference", "expected": expected, "actual": actual })
        }
        Problem::Unused(answers) => json!({ "kind": "unused-answers", "answers": answers }),
        Problem::TimedOut(seconds) => json!({ "kind": "timeout", "seconds": seconds }),
        Problem::Interrupted => json!({ "kind": "interrupted", "message": INTERRUPTED }),
        Problem::Detail(text) => json!({ "kind": "detail", "message": text }),
    };
    json!({
        "file": file,
        "ok": verdict.problems.is_empty(),
        "problems": verdict.problems.iter().map(problem).collect::<Vec<_>>(),
        "durationMs": verdict.took.as_millis() as u64,
    })
}

impl Problem {
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        match self {
            Problem::Broken(error) => {
                lines.extend(error.message().lines().map(view::visible));
                lines.extend(error.hints().iter().map(|hint| format!("hint: {hint}")));
            }
            Problem::Differs(difference) => {
                lines.push("expected (-) and actual (+) differ:".to_owned());
                let shown = difference.lines();
                lines.extend(shown.iter().map(|line| format!("  {}", view::visible(line))));
            }
            Problem::Unused(answers) => {
                lines.push("answers that nobody asked for:".to_owned());
                lines.extend(answers.iter().map(|answer| format!("  {answer}")));
            }
            Problem::TimedOut(seconds) => {
                lines.push(format!("it did not end within {seconds} s (--timeout gives it longer)"))
            }
            Problem::Interrupted => lines.push(INTERRUPTED.to_owned()),
            Problem::Detail(text) => {
                lines.push("the thread failed:".to_owned());
                lines.extend(text.lines().map(|line| format!("  {}", view::visible(line))));
            }
        }
        lines
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
