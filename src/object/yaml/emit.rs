use serde_json::{Map, Value};

use super::{core, fold, scalar};

/// Longest key, in UTF-16 units with its quotes, that may stand before a colon.
const LONGEST_KEY: usize = 1024;

pub(super) fn document(value: &Value, quoted: bool) -> String {
    let mut out = String::new();
    Emitter { out: &mut out, quoted }.node(value, 0, None);
    out.push('\n');
    out
}

struct Emitter<'a> {
    out: &'a mut String,
    /// Double quotes around every string.
    quoted: bool,
}

impl Emitter<'_> {
    /// Writes `value` from where the text stands; lines after the first are
    /// indented by `indent`. `column` is where a scalar starts that follows a key,
    /// counted from the key.
    fn node(&mut self, value: &Value, indent: usize, column: Option<usize>) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(number) => core::write_number(self.out, number),
            Value::String(text) if self.quoted => {
                scalar::write_quoted(self.out, text, indent, column);
            }
            Value::String(text) => scalar::write(self.out, text, indent, column),
            Value::Array(items) if items.is_empty() => self.out.push_str("[]"),
            Value::Array(items) => self.sequence(items, indent),
            Value::Object(entries) if entries.is_empty() => self.out.push_str("{}"),
            Value::Object(entries) => self.mapping(entries, indent),
        }
    }

    fn sequence(&mut self, items: &[Value], indent: usize) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.new_line(indent);
            }
            self.out.push_str("- ");
            self.node(item, indent + 2, None);
        }
    }

    fn mapping(&mut self, entries: &Map<String, Value>, indent: usize) {
        for (i, (key, value)) in in_javascript_order(entries).into_iter().enumerate() {
            if i > 0 {
                self.new_line(indent);
            }
            let key = scalar::key(key, self.quoted, indent == 0);
            let width = fold::width(&key);
            if width > LONGEST_KEY {
                self.out.push_str("? ");
                self.out.push_str(&key);
                self.new_line(indent);
                self.out.push_str(": ");
                self.node(value, indent + 2, None);
                continue;
            }
            self.out.push_str(&key);
            self.out.push(':');
            if is_block(value) {
                self.new_line(indent + 2);
                self.node(value, indent + 2, None);
                continue;
            }
            // A scalar may move to the next line by itself; no space then.
            let space = self.out.len();
            self.out.push(' ');
            self.node(value, indent + 2, Some(width + 2));
            if self.out.as_bytes().get(space + 1) == Some(&b'\n') {
                self.out.remove(space);
            }
        }
    }

    fn new_line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        _ => false,
    }
}

/// The entries as a JavaScript object enumerates them: array indices first, in
/// numeric order, then the others as they were put in.
fn in_javascript_order(entries: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut ordered: Vec<_> = entries.iter().collect();
    if entries.keys().any(|key| array_index(key).is_some()) {
        ordered.sort_by_key(|(key, _)| array_index(key).unwrap_or(u32::MAX));
    }
    ordered
}

/// The index that `key` spells; `u32::MAX` is not one.
fn array_index(key: &str) -> Option<u32> {
    let digits = key.bytes().all(|b| b.is_ascii_digit());
    if !digits || (key.starts_with('0') && key != "0") {
        return None;
    }
    key.parse().ok().filter(|index| *index != u32::MAX)
}
