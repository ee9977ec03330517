//! Reads YAML of any layout, from the events of `saphyr-parser`.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};
use serde_json::{Map, Value};

use super::{BYTE_ORDER_MARK, MAX_DEPTH, ParseError, core};

/// Most values that the aliases of one document may stand for, so that a small
/// text cannot become a huge value.
const MAX_ALIASED: usize = 100_000;

pub(super) fn read(text: &str) -> Result<Value, ParseError> {
    if let Some(at) = text.find('\0') {
        // To the parser it would be the end of the text.
        return Err(error_before(&text[..at], "NUL character"));
    }
    // The parser refuses byte order marks even where strings may hold them.
    let stand_in = text.contains(BYTE_ORDER_MARK).then(|| unused(text)).flatten();
    let text = match stand_in {
        Some(c) => Cow::Owned(text.replace(BYTE_ORDER_MARK, c.encode_utf8(&mut [0; 4]))),
        None => Cow::Borrowed(text),
    };
    let mut parser = Parser::new_from_str(&text);
    let mut builder = Builder { stand_in, ..Builder::default() };
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|e| error(*e.marker(), e.info()))?;
        builder.take(event, span)?;
    }
    Ok(builder.root.unwrap_or(Value::Null))
}

/// A private-use character that the text does not hold.
fn unused(text: &str) -> Option<char> {
    ('\u{E000}'..='\u{F8FF}').find(|c| !text.contains(*c))
}

/// An error at the end of `before`.
fn error_before(before: &str, message: &str) -> ParseError {
    let (line, column) = match before.rsplit_once('\n') {
        Some((lines, last)) => (lines.matches('\n').count() + 2, last),
        None => (1, before),
    };
    ParseError { message: message.into(), line, column: column.chars().count() + 1 }
}

fn error(at: Marker, message: impl Into<String>) -> ParseError {
    ParseError { message: message.into(), line: at.line(), column: at.col() + 1 }
}

/// Makes one value of the events.
#[derive(Default)]
struct Builder {
    /// What stands for a byte order mark.
    stand_in: Option<char>,
    root: Option<Value>,
    /// Collections that have begun and not ended, outermost first.
    open: Vec<Open>,
    /// Finished values by anchor.
    anchors: HashMap<usize, Value>,
    aliased: usize,
}

/// A collection with its anchor (0: none).
enum Open {
    Sequence {
        anchor: usize,
        items: Vec<Value>,
    },
    /// `key` is the one whose value comes next.
    Mapping {
        anchor: usize,
        entries: Map<String, Value>,
        key: Option<String>,
    },
}

impl Builder {
    fn take(&mut self, event: Event, span: Span) -> Result<(), ParseError> {
        let at = span.start;
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => Err(error(at, "a second document")),
            Event::DocumentStart(_) => Ok(()),
            Event::Scalar(text, style, anchor, tag) => {
                let text = match self.stand_in {
                    Some(c) => text.replace(c, BYTE_ORDER_MARK).into(),
                    None => text,
                };
                let value = scalar(&text, style, tag.as_deref(), at)?;
                self.finish(value, anchor, at)
            }
            Event::Alias(anchor) => {
                let value = self.alias(anchor, at)?;
                self.finish(value, 0, at)
            }
            Event::SequenceStart(anchor, _) => {
                self.open(Open::Sequence { anchor, items: Vec::new() }, at)
            }
            Event::MappingStart(anchor, _) => {
                self.open(Open::Mapping { anchor, entries: Map::new(), key: None }, at)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::Sequence { anchor, items }) => {
                    self.finish(Value::Array(items), anchor, at)
                }
                Some(Open::Mapping { anchor, entries, .. }) => {
                    self.finish(Value::Object(entries), anchor, at)
                }
                None => Err(error(at, "a collection ends that has not begun")),
            },
        }
    }

    fn open(&mut self, collection: Open, at: Marker) -> Result<(), ParseError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(error(at, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        if matches!(self.open.last(), Some(Open::Mapping { key: None, .. })) {
            return Err(collection_as_key(at));
        }
        self.open.push(collection);
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: Marker) -> Result<Value, ParseError> {
        let value = self.anchors.get(&anchor);
        let value = value.ok_or_else(|| error(at, "an alias inside what it stands for"))?.clone();
        let (count, height) = size(&value);
        self.aliased += count;
        if self.aliased > MAX_ALIASED {
            return Err(error(at, format!("aliases stand for more than {MAX_ALIASED} values")));
        }
        if self.open.len() + height > MAX_DEPTH {
            return Err(error(at, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(value)
    }

    /// Puts a finished value where it belongs.
    fn finish(&mut self, value: Value, anchor: usize, at: Marker) -> Result<(), ParseError> {
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(Open::Sequence { items, .. }) => items.push(value),
            Some(Open::Mapping { entries, key, .. }) => match key.take() {
                Some(key) => {
                    entries.insert(key, value);
                }
                None => {
                    let text = as_key(value).ok_or_else(|| collection_as_key(at))?;
                    if entries.contains_key(&text) {
                        return Err(error(at, format!("key `{text}` twice")));
                    }
                    *key = Some(text);
                }
            },
        }
        Ok(())
    }
}

fn collection_as_key(at: Marker) -> ParseError {
    error(at, "a collection as a key")
}

/// A key as JavaScript objects have it.
fn as_key(value: Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(bool) => Some(bool.to_string()),
        Value::Number(number) => {
            let mut text = String::new();
            core::write_number(&mut text, &number);
            Some(text)
        }
        Value::String(text) => Some(text),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// What a scalar means: its tag decides, else plain text by the core schema.
fn scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
    at: Marker,
) -> Result<Value, ParseError> {
    let string = || Ok(Value::String(text.to_owned()));
    let Some(tag) = tag else {
        return match style {
            ScalarStyle::Plain => core::resolve(text).map_or_else(string, Ok),
            _ => string(),
        };
    };
    let name = format!("{}{}", tag.handle, tag.suffix);
    let resolved = || core::resolve(text);
    let fits = match name.strip_prefix("tag:yaml.org,2002:") {
        Some("null") => resolved().filter(Value::is_null),
        Some("bool") => resolved().filter(Value::is_boolean),
        // Infinity is a float and has become null.
        Some("int" | "float") => core::double(text).map(core::number),
        _ => return string(),
    };
    fits.ok_or_else(|| error(at, format!("`{text}` is not what its tag says")))
}

/// How many values a value holds, itself included, and how deep they are nested.
fn size(value: &Value) -> (usize, usize) {
    let sum = |(count, height): (usize, usize), value: &Value| {
        let (more, below) = size(value);
        (count + more, height.max(below + 1))
    };
    match value {
        Value::Array(items) => items.iter().fold((1, 1), sum),
        Value::Object(entries) => entries.values().fold((1, 1), sum),
        _ => (1, 0),
    }
}
