use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use serde::Serialize;

/// A thread's debug log, `logs/<HASH>/<THREAD>.info.jsonl`: one JSON object
/// a line with `tag`, `content` and `timestamp` (milliseconds), and `level`
/// where a bundle's `console` spoke.
///
/// Losing a line of it must never stop a thread, so writing reports nothing.
pub struct ThreadLog {
    file: Option<Mutex<File>>,
    clock: fn() -> i64,
}

#[derive(Serialize)]
struct Line<'a> {
    tag: &'a str,
    content: &'a str,
    timestamp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'a str>,
}

impl ThreadLog {
    /// Opens the log at `path` for appending; its folder is made.
    pub fn open(path: &Path, clock: fn() -> i64) -> ThreadLog {
        let open = || {
            std::fs::create_dir_all(path.parent()?).ok()?;
            OpenOptions::new().create(true).append(true).open(path).ok()
        };
        ThreadLog { file: open().map(Mutex::new), clock }
    }

    /// A line of ours. `tag` is one constant a call site.
    pub fn write(&self, tag: &str, content: &str) {
        self.line(tag, content, None);
    }

    /// A line of the bundle's, with its level.
    pub fn console(&self, tag: &str, level: &str, content: &str) {
        self.line(tag, content, Some(level));
    }

    fn line(&self, tag: &str, content: &str, level: Option<&str>) {
        let Some(file) = &self.file else { return };
        let line = Line { tag, content, timestamp: (self.clock)(), level };
        let Ok(mut text) = serde_json::to_vec(&line) else { return };
        text.push(b'\n');
        if let Ok(mut file) = file.lock() {
            // One write a line, so that lines of several processes never mix.
            let _ = file.write_all(&text);
        }
    }
}
