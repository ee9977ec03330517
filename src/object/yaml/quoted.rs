//! Strings in quotes.

use super::{fold, scalar};

/// JSON text of at least this many UTF-16 units has its line feeds written as such.
const SHORTEST_BROKEN: usize = 40;

/// Single quotes where the text holds only double ones, else double quotes.
pub(super) fn write(out: &mut String, text: &str, indent: usize, column: Option<usize>) {
    if prefers_single(text) {
        let indent = guarded(text, indent);
        out.push_str(&fold::flow(&single(text), indent, column));
    } else {
        write_double(out, text, indent, column);
    }
}

/// Double quotes, folded.
pub(super) fn write_double(out: &mut String, text: &str, indent: usize, column: Option<usize>) {
    let indent = guarded(text, indent);
    let breaks = text.contains('\n') && json_width(text) >= SHORTEST_BROKEN;
    let escaped = double(text, breaks.then_some(indent));
    out.push_str(&fold::quoted(&escaped, indent, column));
}

/// At the root of a document, text that holds a document marker is indented.
fn guarded(text: &str, indent: usize) -> usize {
    if indent == 0 && scalar::holds_marker(text) { 2 } else { indent }
}

/// The same choice as [`write`], on one line: for keys.
pub(super) fn line(text: &str) -> String {
    if prefers_single(text) { single(text) } else { double_line(text) }
}

/// Double quotes on one line: for keys.
pub(super) fn double_line(text: &str) -> String {
    double(text, None)
}

fn prefers_single(text: &str) -> bool {
    text.contains('"') && !text.contains('\'')
}

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The text in double quotes. With `broken`, line feeds become empty lines,
/// indented by so much, except where nothing follows them.
fn double(text: &str, broken: Option<usize>) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => match broken.filter(|_| rest.peek().is_some()) {
                Some(indent) => {
                    out.push_str("\n\n");
                    // The last line feed of the text stays an escape.
                    while rest.peek() == Some(&'\n') && rest.clone().nth(1).is_some() {
                        out.push('\n');
                        rest.next();
                    }
                    out.extend(std::iter::repeat_n(' ', indent));
                    if rest.peek() == Some(&' ') {
                        out.push('\\');
                    }
                }
                None => out.push_str("\\n"),
            },
            // A blank before a break would be lost.
            ' ' if rest.peek() == Some(&'\n') => out.push_str("\\ "),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            '\x0c' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\x1b' => out.push_str("\\e"),
            '\x01'..='\x1f' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// How long the text is as JSON.
fn json_width(text: &str) -> usize {
    let width = |c: char| match c {
        '"' | '\\' | '\x08' | '\t' | '\n' | '\x0c' | '\r' => 2,
        '\0'..='\x1f' => 6,
        _ => c.len_utf16(),
    };
    text.chars().map(width).sum::<usize>() + 2
}
