//! Debug logs: `logs/<HASH>/<THREAD>.info.jsonl` of a thread, `worker.log` beside it of the worker.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// Appends lines to a log that thread process and worker share.
///
/// Each line is one write to the end of the file, so lines never mix. They are
/// not synced: a log that lacks its last lines after a power loss is no harm.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: Option<File>,
}

#[derive(Serialize)]
struct Line<'a> {
    tag: &'a str,
    content: &'a str,
    timestamp: u64,
}

impl Log {
    /// The log at `path`, which is made when something is written.
    pub fn new(path: PathBuf) -> Log {
        Log { path, file: None }
    }

    /// Appends one line. `tag` names the place in the code that writes it.
    /// A log that cannot be written must not stop a thread: it loses the line.
    pub fn line(&mut self, tag: &str, content: &str) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = Line { tag, content, timestamp: now.as_millis() as u64 };
        if let Ok(mut text) = serde_json::to_vec(&line) {
            text.push(b'\n');
            let _ = self.append(&text);
        }
    }

    fn append(&mut self, text: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            if let Some(dir) = self.path.parent() {
                std::fs::create_dir_all(dir)?;
            }
            self.file = Some(OpenOptions::new().append(true).create(true).open(&self.path)?);
        }
        self.file.as_mut().expect("just opened").write_all(text)
    }
}
