//! Block scalars, literal (`|`) and folded (`>`).

use super::fold::{self, WIDTH};
use super::scalar;

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
        // Bytes are never fewer than columns.
        line.len() + indent <= WIDTH || fold::width(line) + indent <= WIDTH
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
    let mut spacing = Spacing::of(&lines);
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        if line.is_empty() {
            continue;
        }
        if i > 0 {
            if spacing.needs_another(i) {
                out.push('\n');
            }
            out.push_str(margin);
        }
        out.push_str(line);
        spacing.begin(line);
    }
}

/// Tells, line by line, where folded text has one line feed more than it means.
pub(super) struct Spacing<'a> {
    lines: &'a [&'a str],
    /// For each line, whether the next one with a word, itself counted, is indented.
    word_indented: Vec<bool>,
    /// Whether the line before is indented, as far as npm `yaml` sees: it looks for
    /// the end of such a line with a pattern that stops at two separators.
    after_indented: bool,
}

impl<'a> Spacing<'a> {
    pub(super) fn of(lines: &'a [&'a str]) -> Spacing<'a> {
        let mut word_indented = vec![true; lines.len()];
        let mut indented = true;
        for (i, line) in lines.iter().enumerate().rev() {
            if !is_blank(line) {
                indented = is_indented(line);
            }
            word_indented[i] = indented;
        }
        Spacing { lines, word_indented, after_indented: false }
    }

    /// Goes on to a line that is not empty.
    pub(super) fn begin(&mut self, line: &str) {
        self.after_indented = is_indented(line);
        self.extend(line);
    }

    /// Adds to the line more of what it was folded from.
    pub(super) fn extend(&mut self, line: &str) {
        self.after_indented &= !line.contains(['\u{2028}', '\u{2029}']);
    }

    /// Whether there is one line feed more before line `i`, which is not empty.
    pub(super) fn needs_another(&self, i: usize) -> bool {
        let line = self.lines[i];
        if !is_indented(line) {
            return !self.after_indented;
        }
        // Lines of blanks alone between an indented line and one that is not get
        // one too many, which a reader by the rules then finds in the text.
        self.after_indented && is_blank(line) && !self.word_indented[i]
    }
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
