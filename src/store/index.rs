//! `threads.json`: the active threads of one bundle.

use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, MapAccess, Visitor};
use serde_json::{Map, Value, json};

use super::durable::{self, Durability};
use super::error::{Damage, StoreError};
use super::threads::ThreadEntry;
use crate::object::ThreadId;

/// What a `threads.json` holds.
///
/// Entries are kept as they were read, so that what another program put beside
/// our keys outlives a rewrite.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: Map<String, Value>,
    text: Vec<u8>,
    /// Why what follows the last entry cannot be read.
    broken: Option<Damage>,
}

impl Index {
    /// Reads what can be read. No file is an empty index; an empty file is not.
    pub(super) fn read(path: &Path) -> Result<Index, StoreError> {
        let Some(text) = durable::read(path)? else { return Ok(Index::default()) };
        let mut index = Index { text, ..Index::default() };
        let mut json = serde_json::Deserializer::from_slice(without_bom(&index.text));
        let read = Entries(&mut index.entries).deserialize(&mut json).and_then(|()| json.end());
        index.broken = read.err().map(|e| Damage {
            path: path.to_owned(),
            line: Some(e.line().max(1)),
            problem: problem(&e),
        });
        Ok(index)
    }

    /// Reads for a change: an index that cannot be read whole is never replaced.
    pub(super) fn read_whole(path: &Path) -> Result<Index, StoreError> {
        let mut index = Index::read(path)?;
        match index.broken.take() {
            Some(damage) => Err(StoreError::Index(damage)),
            None => Ok(index),
        }
    }

    pub(super) fn write(&self, path: &Path, durability: Durability) -> Result<(), StoreError> {
        let mut text = serde_json::to_string_pretty(&self.entries).expect("maps have text keys");
        text.push('\n');
        Ok(durable::replace(path, text.as_bytes(), durability)?)
    }

    /// The good entries, then what is damaged.
    pub(super) fn entries(&self, path: &Path) -> (Vec<(ThreadId, ThreadEntry)>, Vec<Damage>) {
        let mut good = Vec::new();
        let mut damage = Vec::new();
        for (key, value) in &self.entries {
            match (key.parse::<ThreadId>(), ThreadEntry::from_value(value)) {
                (Ok(thread), Ok(entry)) => good.push((thread, entry)),
                (thread, entry) => damage.push(Damage {
                    path: path.to_owned(),
                    line: self.line_of(key),
                    problem: match (thread, entry) {
                        (Err(e), _) => e.to_string(),
                        (_, Err(field)) => format!("`{field}` of thread {key} is not a hash"),
                        _ => unreachable!("one of the two failed"),
                    },
                }),
            }
        }
        damage.extend(self.broken.clone());
        (good, damage)
    }

    pub(super) fn get(&self, thread: &ThreadId) -> Option<ThreadEntry> {
        ThreadEntry::from_value(self.entries.get(thread.as_str())?).ok()
    }

    pub(super) fn contains(&self, thread: &ThreadId) -> bool {
        self.entries.contains_key(thread.as_str())
    }

    /// Adds an entry or changes the one that is there, in its place.
    pub(super) fn set(&mut self, thread: &ThreadId, entry: &ThreadEntry) {
        let slot = self.entries.entry(thread.as_str()).or_insert_with(|| json!({}));
        if !slot.is_object() {
            *slot = json!({});
        }
        slot["head"] = json!(entry.head);
        slot["start"] = json!(entry.start);
        slot["updatedAt"] = json!(entry.updated_at);
    }

    pub(super) fn remove(&mut self, thread: &ThreadId) -> bool {
        self.entries.shift_remove(thread.as_str()).is_some()
    }

    /// The line that a key stands on, where it is written without escapes.
    fn line_of(&self, key: &str) -> Option<usize> {
        let quoted = format!("\"{key}\"");
        let at = self.text.windows(quoted.len()).position(|part| part == quoted.as_bytes())?;
        Some(1 + self.text[..at].iter().filter(|byte| **byte == b'\n').count())
    }
}

pub(super) fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

/// A JSON error without its position, which stands in [`Damage::line`].
pub(super) fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// Reads a JSON object entry by entry, so that those before an error are kept.
struct Entries<'a>(&'a mut Map<String, Value>);

impl<'de> DeserializeSeed<'de> for Entries<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of threads")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((key, value)) = map.next_entry()? {
            self.0.insert(key, value);
        }
        Ok(())
    }
}
