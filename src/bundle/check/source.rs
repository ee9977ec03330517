//! From byte offsets to lines, columns and the text to show.

use std::ops::Range;

use super::report::{Location, Snippet, Span};

/// Most characters of a line that are shown.
const WIDTH: usize = 120;
/// Characters shown before the mark where a line is cut.
const LEAD: usize = 40;
/// Distance of the remembered character counts, in bytes.
const STRIDE: usize = 4096;

/// A file's text and its lines.
pub(super) struct Source<'a> {
    text: &'a str,
    /// Bytes of the byte order mark that stood before `text`.
    skipped: usize,
    line_starts: Vec<usize>,
    /// Characters before each multiple of [`STRIDE`]: a minified bundle is one
    /// line of megabytes, and each finding asks for its column.
    counts: Vec<usize>,
}

impl<'a> Source<'a> {
    /// `text` is the file without the `skipped` bytes of its byte order mark.
    pub(super) fn new(text: &'a str, skipped: usize) -> Source<'a> {
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        for (i, b) in bytes.iter().enumerate() {
            let ends = *b == b'\n' || (*b == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
            if ends {
                line_starts.push(i + 1);
            }
        }
        let mut counts = vec![0];
        let mut sum = 0;
        for chunk in bytes.chunks(STRIDE) {
            sum += count_chars(chunk);
            counts.push(sum);
        }
        Source { text, skipped, line_starts, counts }
    }

    /// Where `range` (bytes of the text) is, with its line.
    pub(super) fn locate(&self, range: impl Into<Range<usize>>) -> Location {
        let Range { start, end } = range.into();
        let start = self.floor(start);
        let end = self.floor(end).max(start);
        let line = self.line_starts.partition_point(|at| *at <= start) - 1;
        let line_start = self.line_starts[line];
        let line_end = self.line_starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = self.text[line_start..line_end].trim_end_matches(['\n', '\r']);
        let mark = (start - line_start).min(text.len())..(end - line_start).min(text.len());
        Location {
            line: line + 1,
            column: self.chars_before(start) - self.chars_before(line_start) + 1,
            span: Span { start: start + self.skipped, end: end + self.skipped },
            snippet: snippet(text, mark),
        }
    }

    fn chars_before(&self, offset: usize) -> usize {
        let chunk = offset / STRIDE;
        self.counts[chunk] + count_chars(&self.text.as_bytes()[chunk * STRIDE..offset])
    }

    /// The start of the character that `offset` lies in.
    fn floor(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset.min(self.text.len()))
    }
}

/// Where a line begins as V8 counts: U+2028 and U+2029 end lines too.
pub(super) fn line_start_in_v8(text: &str, line: usize) -> Option<usize> {
    let ends = text.char_indices().filter(|(i, c)| match c {
        '\n' | '\u{2028}' | '\u{2029}' => true,
        '\r' => text.as_bytes().get(i + 1) != Some(&b'\n'),
        _ => false,
    });
    let mut starts = std::iter::once(0).chain(ends.map(|(i, c)| i + c.len_utf8()));
    starts.nth(line.checked_sub(1)?)
}

/// Characters that begin in `bytes`.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0xC0 != 0x80).count()
}

/// The part of `line` around `mark` (bytes of it) that is shown.
fn snippet(line: &str, mark: Range<usize>) -> Snippet {
    let shown = if line.chars().nth(WIDTH).is_none() { 0..line.len() } else { cut(line, &mark) };
    let mut text = String::new();
    if shown.start > 0 {
        text.push('…');
    }
    push_visible(&mut text, &line[shown.start..mark.start]);
    let offset = text.chars().count();
    push_visible(&mut text, &line[mark.start..mark.end.clamp(mark.start, shown.end)]);
    let length = (text.chars().count() - offset).max(1);
    push_visible(&mut text, &line[mark.end.clamp(mark.start, shown.end)..shown.end]);
    if shown.end < line.len() {
        text.push('…');
    }
    Snippet { text, offset, length }
}

/// [`WIDTH`] characters around `mark`: at most [`LEAD`] before it, more where
/// the line ends soon after.
fn cut(line: &str, mark: &Range<usize>) -> Range<usize> {
    let back = |from: usize, chars: usize| {
        if chars == 0 {
            return from;
        }
        line[..from].char_indices().rev().nth(chars - 1).map_or(0, |(i, _)| i)
    };
    let start = back(mark.start, LEAD);
    let end = line[start..].char_indices().nth(WIDTH).map_or(line.len(), |(i, _)| start + i);
    if end < line.len() {
        return start..end;
    }
    back(line.len(), WIDTH).min(start)..line.len()
}

/// Appends `part` so that it can neither move the cursor nor reorder the line.
fn push_visible(text: &mut String, part: &str) {
    for c in part.chars() {
        match c {
            '\t' => text.push_str("    "),
            '\0'..='\x1f' => text.extend(char::from_u32(0x2400 + c as u32)),
            '\x7f' => text.push('␡'),
            '\u{80}'..='\u{9f}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}' => text.push('\u{fffd}'),
            _ => text.push(c),
        }
    }
}
