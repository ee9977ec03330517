//! Block scalars, literal (`|`) and folded (`>`).

use super::{fold, scalar};

/// Columns of a line.
const WIDTH: usize = 80;

/// Writes text of several lines. `indent` 0 is the root of a document, which is
/// indented only where a line could be taken for a document's border.
pub(super) fn write(out: &mut String, text: &str, indent: usize) {
    let outer = indent;
    let indent = if indent == 0 && scalar::holds_marker(text) { 2 } else { indent };
    let parts = Parts::of(text);
    let header = header(text, &parts, indent);
    let margin = " ".repeat(indent);
    if !fits(text, indent) {
        let mut body = String::with_capacity(text.len() + text.len() / 8);
        push_lines(&mut body, parts.head, &margin);
        push_margin(&mut body, parts.head, &margin);
        push_spaced(&mut body, parts.middle, &margin);
        push_lines(&mut body, parts.tail, &margin);
        if let Some(folded) = fold::block(&body, indent, outer) {
            out.extend([">", &header, "\n", &margin, &folded]);
            return;
        }
    }
    out.extend(["|", &header, "\n", &margin]);
    push_lines(out, text.strip_suffix('\n').unwrap_or(text), &margin);
}

/// The text without its last line feed, in three: blank lines before the first
/// word, lines that may be folded, white space after the last word.
struct Parts<'a> {
    head: &'a str,
    middle: &'a str,
    tail: &'a str,
    /// Whether a blank stands before the first word, so that readers cannot tell
    /// the indentation from the text.
    leading_blank: bool,
    /// The white space at the end, with its last line feed.
    end: &'a str,
}

impl Parts<'_> {
    fn of(text: &str) -> Parts<'_> {
        let words = text.trim_end_matches(['\n', '\t', ' ']);
        let end = &text[words.len()..];
        let word = words.find(|c| c != ' ' && c != '\n').unwrap_or(words.len());
        let blank = &words[..word];
        let head = blank.rfind('\n').map_or(0, |newline| newline + 1);
        Parts {
            head: &words[..head],
            middle: &words[head..],
            tail: end.strip_suffix('\n').unwrap_or(end),
            leading_blank: blank.contains(' '),
            end,
        }
    }
}

/// Indentation indicator and chomping indicator.
fn header(text: &str, parts: &Parts, indent: usize) -> String {
    let indentation = match (parts.leading_blank, indent) {
        (false, _) => "",
        (true, 0) => "1",
        (true, _) => "2",
    };
    let chomping = match parts.end.find('\n') {
        None => "-",
        Some(first) if parts.end.len() == text.len() || first + 1 != parts.end.len() => "+",
        Some(_) => "",
    };
    format!("{indentation}{chomping}")
}

fn fits(text: &str, indent: usize) -> bool {
    text.split('\n').all(|line| {
        // Bytes are never fewer than UTF-16 units.
        line.len() + indent <= WIDTH || line.encode_utf16().count() + indent <= WIDTH
    })
}

/// Pushes lines with the margin before each but the first and empty ones.
fn push_lines(out: &mut String, text: &str, margin: &str) {
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
            push_margin(out, line, margin);
        }
        out.push_str(line);
    }
}

/// Pushes lines so that folding gives them back: one line feed more between two
/// lines of which neither is indented itself.
fn push_spaced(out: &mut String, text: &str, margin: &str) {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut previous = None;
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        if line.is_empty() {
            continue;
        }
        if previous.is_some_and(|previous| needs_another(previous, &lines[i..])) {
            out.push('\n');
        }
        if i > 0 {
            out.push_str(margin);
        }
        out.push_str(line);
        previous = Some(*line);
    }
}

/// Whether between a line and `next`, which begins with the next line that is not
/// empty, stands one line feed more than in the text.
pub(super) fn needs_another(previous: &str, next: &[&str]) -> bool {
    // npm `yaml` looks for the end of an indented line with a pattern that stops
    // at these two separators and then takes the line for an ordinary one.
    let separators = ['\u{2028}', '\u{2029}'];
    let after_indented = is_indented(previous) && !previous.contains(separators);
    if !is_indented(next[0]) {
        return !after_indented;
    }
    // Lines of blanks alone between an indented line and one that is not get one
    // too many, which a reader by the rules then finds in the text.
    after_indented
        && is_blank(next[0])
        && next.iter().find(|line| !is_blank(line)).is_some_and(|word| !is_indented(word))
}

/// Whether folding keeps away from the line.
pub(super) fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

pub(super) fn is_blank(line: &str) -> bool {
    line.bytes().all(|b| b == b' ' || b == b'\t')
}

fn push_margin(out: &mut String, line: &str, margin: &str) {
    if !line.is_empty() {
        out.push_str(margin);
    }
}
