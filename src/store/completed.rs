//! `history/YYYY-MM-DD.jsonl`: the completed threads of one bundle, by the UTC
//! date of their end.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::durable::{self, Durability};
use super::error::{Damage, StoreError};
use super::index::{problem, without_bom};
use super::lock::FileLock;
use super::threads::CompletedThread;
use crate::object::{Hash, ThreadId};

/// One line, as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    thread_id: &'a ThreadId,
    head: Hash,
    start: Hash,
    completed_at: i64,
}

/// One line, as it is read. Borrows, because there may be very many.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawLine<'a> {
    #[serde(borrow)]
    thread_id: Cow<'a, str>,
    #[serde(borrow)]
    head: Cow<'a, str>,
    #[serde(borrow)]
    start: Cow<'a, str>,
    #[serde(default)]
    completed_at: f64,
}

impl CompletedThread {
    fn line(&self) -> String {
        let CompletedThread { thread: thread_id, head, start, completed_at } = self;
        let (head, start, completed_at) = (*head, *start, *completed_at);
        let line = Line { thread_id, head, start, completed_at };
        serde_json::to_string(&line).expect("plain fields")
    }
}

/// A record, or why there is none, with its line number.
pub(super) type Parsed = (usize, Result<CompletedThread, String>);

/// The files of a `history` folder, oldest date first.
pub(super) fn files(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let names = durable::names(dir)?;
    let lines = names.into_iter().filter(|name| name.ends_with(".jsonl"));
    Ok(lines.map(|name| dir.join(name)).collect())
}

/// Those among `files` that may hold a thread completed at `ms` or later.
pub(super) fn since(mut files: Vec<PathBuf>, ms: i64) -> Vec<PathBuf> {
    // Two clocks may have been read, so the day before counts as well.
    let first = date_of(ms).yesterday().unwrap_or(Date::MIN);
    files.retain(|path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        stem.parse().map_or(true, |date: Date| date >= first)
    });
    files
}

/// Reads one file.
///
/// A last line without its newline may be one that is being written right now;
/// when it makes no sense it is read again under the index's `lock`. Callers
/// that hold that one give none.
pub(super) fn read(path: &Path, lock: Option<&Path>) -> Result<Vec<Parsed>, StoreError> {
    let read = || Ok::<_, StoreError>(durable::read(path)?.unwrap_or_default());
    let bytes = read()?;
    let records = parse(&bytes);
    let torn = !bytes.ends_with(b"\n") && matches!(records.last(), Some((_, Err(_))));
    if torn && let Some(Ok(_lock)) = lock.map(FileLock::shared) {
        return Ok(parse(&read()?));
    }
    Ok(records)
}

/// Looks for a thread, in the newest files first.
pub(super) fn find(
    dir: &Path,
    thread: &ThreadId,
    since_ms: Option<i64>,
    lock: Option<&Path>,
) -> Result<Option<CompletedThread>, StoreError> {
    let files = files(dir)?;
    let files = match since_ms {
        Some(ms) => since(files, ms),
        None => files,
    };
    for path in files.iter().rev() {
        if !mentions(path, thread)? {
            continue;
        }
        let mut good = read(path, lock)?.into_iter().filter_map(|(_, record)| record.ok());
        if let Some(found) = good.find(|record| record.thread == *thread) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn parse(bytes: &[u8]) -> Vec<Parsed> {
    let lines = without_bom(bytes).split(|byte| *byte == b'\n').zip(1..);
    let lines = lines.filter(|(line, _)| !line.trim_ascii().is_empty());
    lines.map(|(line, number)| (number, parse_line(line))).collect()
}

fn parse_line(line: &[u8]) -> Result<CompletedThread, String> {
    let line: RawLine = serde_json::from_slice(line).map_err(|e| problem(&e))?;
    Ok(CompletedThread {
        thread: line.thread_id.parse::<ThreadId>().map_err(|e| e.to_string())?,
        head: line.head.parse::<Hash>().map_err(|e| e.to_string())?,
        start: line.start.parse::<Hash>().map_err(|e| e.to_string())?,
        completed_at: line.completed_at as i64,
    })
}

/// Names `line` of `path` in an error.
pub(super) fn damage(path: &Path, line: usize, problem: String) -> Damage {
    Damage { path: path.to_owned(), line: Some(line), problem }
}

/// Whether a file may hold a thread at all; saves parsing those that do not.
fn mentions(path: &Path, thread: &ThreadId) -> Result<bool, StoreError> {
    let bytes = durable::read(path)?.unwrap_or_default();
    Ok(match std::str::from_utf8(&bytes) {
        Ok(text) => text.contains(thread.as_str()),
        Err(_) => true,
    })
}

/// Appends a record to the file of its day. Callers hold the lock.
pub(super) fn append(
    dir: &Path,
    thread: &CompletedThread,
    durability: Durability,
) -> Result<(), StoreError> {
    let path = dir.join(format!("{}.jsonl", date_of(thread.completed_at)));
    Ok(durable::append(&path, &thread.line(), durability)?)
}

/// Rewrites the files without the records of `thread`, or with `new` in their
/// place. Lines that make no sense stay. Callers hold the lock.
pub(super) fn replace(
    dir: &Path,
    thread: &ThreadId,
    new: Option<&CompletedThread>,
    durability: Durability,
) -> Result<(), StoreError> {
    for path in files(dir)? {
        let bytes = durable::read(&path)?.unwrap_or_default();
        let mut kept = Vec::with_capacity(bytes.len());
        let mut found = false;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let record = parse_line(without_bom(line));
            if record.is_ok_and(|record| record.thread == *thread) {
                if let (Some(new), false) = (new, found) {
                    kept.extend_from_slice(new.line().as_bytes());
                    kept.push(b'\n');
                }
                found = true;
            } else {
                kept.extend_from_slice(line);
            }
        }
        if found && kept.is_empty() {
            durable::remove_file(&path, durability)?;
        } else if found {
            durable::replace(&path, &kept, durability)?;
        }
    }
    Ok(())
}

fn date_of(ms: i64) -> Date {
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or_default();
    jiff::tz::TimeZone::UTC.to_datetime(at).date()
}
