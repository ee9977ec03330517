//! A thread as people watch it: `live`, and `run --wait`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::ExitCode;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::Context;
use super::commands::add::block_on;
use super::error::CommandError;
use crate::engine::{Completion, Followed, Follower, Progress, ending};
use crate::http::bodies::Record;
use crate::object::{FORK_ROLE, ThreadId};
use crate::store::causes;
use crate::worker::control::{self, ControlError};

/// How often the store is looked at; a step shows at most this late.
const POLL: Duration = Duration::from_millis(15);
/// Lines of a step's content that are shown.
const CONTENT_LINES: usize = 10;

/// Characters of a line that are shown.
const LINE_CHARS: usize = 2000;

/// What to show.
#[derive(Debug, Default)]
pub(super) struct ViewOptions {
    /// Log lines too.
    pub(super) debug: bool,
    /// Only steps of this role.
    pub(super) role: Option<String>,
    /// Give up where nobody runs the thread any more.
    pub(super) until_interrupted: bool,
    /// What to do then, where that can be said.
    pub(super) hint: Option<String>,
}

/// Watches a thread to its end. Ctrl-C leaves it running.
pub(super) fn live(
    context: &Context,
    thread: &ThreadId,
    options: &ViewOptions,
) -> Result<ExitCode, CommandError> {
    block_on(async {
        tokio::select! {
            result = follow(context, thread, options) => result.map(|_| ExitCode::SUCCESS),
            _ = tokio::signal::ctrl_c() => Ok(ExitCode::from(130)),
        }
    })?
}

/// Watches a thread to its end and exits with its return code. Ctrl-C asks for
/// the thread's end.
pub(super) fn wait(context: &Context, thread: &ThreadId) -> Result<ExitCode, CommandError> {
    block_on(async {
        let asked = async || {
            let _ = tokio::signal::ctrl_c().await;
            context.ui.note(format!("ending thread {thread}"));
        };
        let hint = Some(format!("`uncaged-workflow resume {thread}` continues it"));
        watch(context, thread, hint, asked).await.map(|end| exit_code(end.as_ref()))
    })?
}

/// Shows a thread's steps to its end. It is killed whenever `asked` comes back;
/// `hint` says what to do with one that is interrupted.
pub(super) async fn watch(
    context: &Context,
    thread: &ThreadId,
    hint: Option<String>,
    mut asked: impl AsyncFnMut(),
) -> Result<Option<Completion>, CommandError> {
    let options = ViewOptions { until_interrupted: true, hint, ..ViewOptions::default() };
    let mut following = std::pin::pin!(follow(context, thread, &options));
    loop {
        tokio::select! {
            result = &mut following => return result,
            () = asked() => {
                match control::kill(&context.store, &context.workers, thread) {
                    // It may have ended just now, which is what was wanted.
                    Ok(_) | Err(ControlError::Ended(_)) => {}
                    Err(error) => context.ui.note(format!("cannot end it: {}", causes(&error))),
                }
            }
        }
    }
}

/// The return code as an exit code.
pub(super) fn exit_code(end: Option<&Completion>) -> ExitCode {
    let code = end.map_or(1, |end| end.return_code);
    match u8::try_from(code) {
        Ok(code) => ExitCode::from(code),
        Err(_) => ExitCode::from(1),
    }
}

async fn follow(
    context: &Context,
    thread: &ThreadId,
    options: &ViewOptions,
) -> Result<Option<Completion>, CommandError> {
    let mut follower = Follower::new(context.store.clone(), thread.clone());
    let mut log = options.debug.then(|| LogTail::new(context, thread)).transpose()?;
    if context.ui.json()
        && let Some(located) = context.store.find_thread(thread)?
    {
        let (thread_id, hash) = (thread.clone(), located.bundle);
        context.ui.json_line(&Record::ThreadStart { thread_id, hash })?;
    }
    let mut end = None;
    let mut interrupted = false;
    loop {
        let (steps, progress) = follower.poll()?;
        if let Some(log) = &mut log {
            log.show(context)?;
        }
        for step in &steps {
            match ending(&step.state) {
                Some(completion) => end = Some((completion, Record::of(thread, step))),
                None => show(context, options, thread, step)?,
            }
        }
        match progress {
            Progress::Ended => break,
            Progress::Gone => {
                return Err(CommandError::user(format!("thread {thread} was removed")));
            }
            Progress::Interrupted if options.until_interrupted => {
                let error = CommandError::user(format!("thread {thread} was interrupted"));
                return Err(options.hint.iter().fold(error, CommandError::hint));
            }
            Progress::Interrupted if !interrupted => {
                interrupted = true;
                context.ui.note(format!(
                    "thread {thread} is interrupted; `uncaged-workflow resume {thread}` continues it"
                ));
            }
            Progress::Interrupted => {}
            Progress::Running => interrupted = false,
        }
        tokio::time::sleep(POLL).await;
    }
    if let Some(log) = &mut log {
        log.show(context)?;
    }
    let Some((end, record)) = end else { return Ok(None) };
    match context.ui.json() {
        true => context.ui.json_line(&record)?,
        false => context.ui.line(format!(
            "completed: returnCode={} — {}",
            end.return_code,
            cut(&visible(&end.summary))
        ))?,
    }
    Ok(Some(end))
}

fn show(
    context: &Context,
    options: &ViewOptions,
    thread: &ThreadId,
    step: &Followed,
) -> Result<(), CommandError> {
    let Followed { state, content, .. } = step;
    let other = options.role.as_ref().is_some_and(|role| *role != state.role);
    if other || state.role == FORK_ROLE {
        return Ok(());
    }
    let ui = &context.ui;
    if ui.json() {
        return ui.json_line(&Record::of(thread, step));
    }
    ui.line(format!("{} {}", ui.dim(&time(state.timestamp)), ui.tinted(&visible(&state.role))))?;
    let lines: Vec<&str> = content.lines().collect();
    for line in lines.iter().take(CONTENT_LINES) {
        ui.line(format!("  {}", cut(&visible(line))))?;
    }
    if lines.len() > CONTENT_LINES {
        ui.line(ui.dim(&format!("  … {} more lines", lines.len() - CONTENT_LINES)))?;
    }
    if !state.meta.is_empty() {
        let meta = visible(&Value::Object(state.meta.clone()).to_string());
        ui.line(ui.dim(&format!("  meta: {}", cut(&meta))))?;
    }
    Ok(())
}

/// The text of a step with its control characters written out: it comes from
/// models, and a terminal must not obey it.
pub(super) fn visible(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' => "\t".to_owned(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// What is shown of a long line.
fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}… ({} characters)", &line[..end], line.chars().count()),
        None => line.to_owned(),
    }
}

/// The local time of day.
fn time(ms: i64) -> String {
    let Ok(timestamp) = Timestamp::from_millisecond(ms) else { return ms.to_string() };
    timestamp.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string()
}

/// The lines that a thread's log gets, each once and whole.
struct LogTail {
    path: std::path::PathBuf,
    reader: Option<BufReader<File>>,
    partial: String,
}

impl LogTail {
    fn new(context: &Context, thread: &ThreadId) -> Result<LogTail, CommandError> {
        let store = &context.store;
        let bundle = store.find_thread(thread)?.map(|located| located.bundle);
        let path = bundle.map(|b| store.layout().log(&b, thread)).unwrap_or_default();
        Ok(LogTail { path, reader: None, partial: String::new() })
    }

    fn show(&mut self, context: &Context) -> Result<(), CommandError> {
        if self.reader.is_none() {
            self.reader = File::open(&self.path).ok().map(BufReader::new);
        }
        let Some(reader) = &mut self.reader else { return Ok(()) };
        while reader.read_line(&mut self.partial).is_ok_and(|read| read > 0) {
            if !self.partial.ends_with('\n') {
                break;
            }
            let line: Value = serde_json::from_str(&self.partial).unwrap_or(Value::Null);
            if let (Some(tag), Some(text)) = (line["tag"].as_str(), line["content"].as_str()) {
                let ui = &context.ui;
                match ui.json() {
                    true => ui.json_line(&serde_json::json!({
                        "type": "log", "tag": tag, "content": text, "timestamp": line["timestamp"],
                    }))?,
                    false => ui.line(ui.dim(&format!("  [{tag}] {}", cut(&visible(text)))))?,
                }
            }
            self.partial.clear();
        }
        Ok(())
    }
}
