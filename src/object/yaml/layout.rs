//! Reads text in the layout that we write, and only that.
//!
//! YAML's own rules lose a little of what npm `yaml` writes: it folds some lines
//! that are indented, doubles some line feeds too many, and escapes a blank twice.
//! Here the layout is known, so each value can be found whose text is the text at
//! hand. The result is held against [`emit`](super::emit): what does not give the
//! same text again is not ours to read.

use std::borrow::Cow;

use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::{MAX_DEPTH, core, emit, read_block, read_quoted};

/// The value whose text this is, where there is one.
pub(super) fn read(text: &str) -> Option<Value> {
    let body = text.strip_suffix('\n')?;
    let mut reader = Reader { rest: body, depth: 0 };
    let value = reader.node(0)?;
    let is_text = |quoted| emit::document(&value, quoted) == text;
    let ours = reader.rest.is_empty() && (is_text(false) || (text.contains('"') && is_text(true)));
    ours.then_some(value)
}

/// A place in the text. Every method reads from there and leaves the place at the
/// line feed (or the end) behind what it has read.
struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// Reads a node whose further lines are indented by `indent`.
    fn node(&mut self, indent: usize) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = match self.rest.as_bytes().first()? {
            b'\n' => {
                self.rest = line_at(self.rest, indent)?;
                self.node(indent)
            }
            b'-' if self.rest.starts_with("- ") => self.sequence(indent),
            b'?' if self.rest.starts_with("? ") => self.mapping(indent),
            b'[' => self.eat("[]").map(|()| Value::Array(Vec::new())),
            b'{' => self.eat("{}").map(|()| Value::Object(Map::new())),
            b'|' | b'>' => {
                let (text, rest) = read_block::read(self.rest, indent)?;
                self.rest = rest;
                Some(Value::String(text))
            }
            b'"' | b'\'' => self.quoted(indent),
            _ if self.key_width().is_some() => self.mapping(indent),
            _ => Some(self.plain(indent)),
        };
        self.depth -= 1;
        value
    }

    fn sequence(&mut self, indent: usize) -> Option<Value> {
        let mut items = Vec::new();
        self.eat("- ")?;
        items.push(self.node(indent + 2)?);
        while let Some(item) = line_at(self.rest, indent).and_then(|l| l.strip_prefix("- ")) {
            self.rest = item;
            items.push(self.node(indent + 2)?);
        }
        Some(Value::Array(items))
    }

    fn mapping(&mut self, indent: usize) -> Option<Value> {
        let mut entries = Map::new();
        loop {
            let explicit = self.eat("? ").is_some();
            let key = self.key(explicit)?;
            if explicit {
                self.rest = line_at(self.rest, indent)?;
            }
            self.eat(":")?;
            // A line feed instead of a blank comes before what starts on a new line.
            if !self.rest.starts_with('\n') {
                self.eat(" ")?;
            }
            let value = self.node(indent + 2)?;
            match entries.entry(key) {
                Entry::Vacant(entry) => entry.insert(value),
                Entry::Occupied(_) => return None,
            };
            match line_at(self.rest, indent) {
                Some(next) if !next.starts_with([' ', '\n']) => self.rest = next,
                _ => return Some(Value::Object(entries)),
            }
        }
    }

    fn key(&mut self, explicit: bool) -> Option<String> {
        if let Some((text, rest)) = read_quoted::read(self.rest, 0) {
            self.rest = rest;
            return Some(text);
        }
        let width = if explicit {
            self.rest.find('\n').unwrap_or(self.rest.len())
        } else {
            self.key_width()?
        };
        let (key, rest) = self.rest.split_at(width);
        self.rest = rest;
        Some(key.to_owned())
    }

    /// The width of the plain key that the line begins with.
    fn key_width(&self) -> Option<usize> {
        let line = self.rest.split('\n').next()?;
        line.find(": ").or_else(|| line.ends_with(':').then(|| line.len() - 1))
    }

    /// A quoted scalar, or a mapping whose first key is quoted.
    fn quoted(&mut self, indent: usize) -> Option<Value> {
        let (text, rest) = read_quoted::read(self.rest, indent)?;
        if rest.starts_with(':') {
            return self.mapping(indent);
        }
        self.rest = rest;
        Some(Value::String(text))
    }

    fn plain(&mut self, indent: usize) -> Value {
        let mut text = Cow::Borrowed(self.line());
        while let Some(next) = line_at(self.rest, indent) {
            self.rest = next;
            text.to_mut().push(' ');
            text.to_mut().push_str(self.line());
        }
        core::resolve(&text).unwrap_or_else(|| Value::String(text.into_owned()))
    }

    fn line(&mut self) -> &'a str {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest;
        line
    }

    fn eat(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }
}

/// What follows the margin of the next line, where the line has so wide a margin.
pub(super) fn line_at(rest: &str, indent: usize) -> Option<&str> {
    let line = rest.strip_prefix('\n')?;
    let margin = line.as_bytes().get(..indent)?;
    margin.iter().all(|b| *b == b' ').then(|| &line[indent..])
}
