//! Breaking text into lines of 80 columns.

use std::borrow::Cow;

/// Columns of a line.
pub(super) const WIDTH: usize = 80;
/// A line holds at least so much text, however deep it is indented.
const NARROWEST: usize = 20;

/// Folds plain or single-quoted text at single blanks between words.
pub(super) fn flow(text: &str, indent: usize, column: Option<usize>) -> Cow<'_, str> {
    match fold(text, Kind::Flow, indent, column) {
        Some(folded) => Cow::Owned(folded.text),
        None => Cow::Borrowed(text),
    }
}

/// Folds double-quoted text, escapes done; words too long for a line are cut.
pub(super) fn quoted(text: &str, indent: usize, column: Option<usize>) -> Cow<'_, str> {
    match fold(text, Kind::Quoted, indent, column) {
        Some(folded) => Cow::Owned(folded.text),
        None => Cow::Borrowed(text),
    }
}

/// Folds the body of a folded block scalar, whose first line is without its
/// margin and is measured as if it began at `column`. `None` where a line stays
/// too long.
pub(super) fn block(text: &str, indent: usize, column: usize) -> Option<Cow<'_, str>> {
    match fold(text, Kind::Block, indent, Some(column)) {
        Some(folded) => (!folded.overflow).then_some(Cow::Owned(folded.text)),
        None => Some(Cow::Borrowed(text)),
    }
}

/// Whether the first word of `next` would have gone on the line before it, which
/// has so much room.
pub(super) fn fits(line: &str, next: &str, room: usize) -> bool {
    let bytes = next.as_bytes();
    let word = (1..bytes.len().saturating_sub(1)).find(|at| {
        let is_word = |at: usize| is_word(Some(bytes[at]));
        bytes[*at] == b' ' && is_word(at - 1) && is_word(at + 1)
    });
    let word = &next[..word.unwrap_or(next.len())];
    width(line) + 1 + width(word) <= room
}

/// Columns of a line that begins after a break.
pub(super) fn room(indent: usize) -> usize {
    WIDTH.saturating_sub(indent).max(NARROWEST)
}

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Flow,
    Quoted,
    Block,
}

struct Folded {
    text: String,
    overflow: bool,
}

/// Folds, or gives `None` for text that is short enough as a whole.
fn fold(text: &str, kind: Kind, indent: usize, column: Option<usize>) -> Option<Folded> {
    let widest = room(indent);
    if text.len() <= widest + 1 {
        return None;
    }
    // Columns are UTF-16 units. ASCII needs no conversion.
    if text.is_ascii() {
        let filler = Filler::new(text.as_bytes(), kind, indent, widest);
        let (breaks, overflow) = filler.fill(column)?;
        return Some(Folded { text: insert(text, &breaks, indent), overflow });
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let (mut breaks, overflow) = Filler::new(&units, kind, indent, widest).fill(column)?;
    to_byte_offsets(text, &mut breaks);
    Some(Folded { text: insert(text, &breaks, indent), overflow })
}

/// Where a line ends.
#[derive(Clone, Copy)]
enum Break {
    /// Before the first character.
    Ahead,
    /// In place of the blank at this offset.
    Blank(usize),
    /// Before the character at this offset, behind a backslash.
    Cut(usize),
}

fn insert(text: &str, breaks: &[Break], indent: usize) -> String {
    let margin = " ".repeat(indent);
    let mut out = String::with_capacity(text.len() + breaks.len() * (indent + 2));
    let mut from = 0;
    for found in breaks {
        let (until, mark, next) = match *found {
            Break::Ahead => (0, "", 0),
            Break::Blank(at) => (at, "", at + 1),
            Break::Cut(at) => (at, "\\", at),
        };
        out.push_str(&text[from..until]);
        out.extend([mark, "\n", &margin]);
        from = next;
    }
    out.push_str(&text[from..]);
    out
}

fn to_byte_offsets(text: &str, breaks: &mut [Break]) {
    let mut chars = text.char_indices();
    let mut units = 0;
    for found in breaks {
        let (Break::Blank(offset) | Break::Cut(offset)) = found else { continue };
        // Breaks ascend and fall on whole characters.
        while units < *offset {
            units += chars.next().expect("a break lies within the text").1.len_utf16();
        }
        *offset = chars.offset();
    }
}

/// Finds the breaks of one text, of bytes or of UTF-16 units.
struct Filler<'a, U> {
    text: &'a [U],
    kind: Kind,
    indent: usize,
    /// Units on a line that begins after a break.
    widest: usize,
}

impl<'a, U: Copy + Into<u32>> Filler<'a, U> {
    fn new(text: &'a [U], kind: Kind, indent: usize, widest: usize) -> Self {
        Filler { text, kind, indent, widest }
    }

    fn unit(&self, at: usize) -> Option<u8> {
        let unit: u32 = (*self.text.get(at)?).into();
        // Only ASCII matters; anything else counts as a letter.
        Some(u8::try_from(unit).unwrap_or(b'x'))
    }

    /// The breaks, and whether a line stays too long; `None` where the text as a
    /// whole fits. Text that follows a key is measured without the key here.
    fn fill(&self, column: Option<usize>) -> Option<(Vec<Break>, bool)> {
        if self.text.len() <= self.widest + 1 {
            return None;
        }
        let mut breaks = Vec::new();
        let mut overflow = false;
        // A break is due at the first unit at or past the limit.
        let mut limit = WIDTH.saturating_sub(self.indent);
        match column {
            Some(column) if column > WIDTH - NARROWEST => breaks.push(Break::Ahead),
            Some(column) => limit = WIDTH - column,
            None => {}
        }
        // The last blank on this line that may become a break, and the last escape.
        let mut blank = None;
        let mut escape = None;
        let mut previous = None;
        let mut at = 0;
        if self.kind == Kind::Block
            && let Some(end) = self.after_indented(0)
        {
            limit = end + self.widest + 1;
            at = end + 1;
        }
        while let Some(mut unit) = self.unit(at) {
            if unit == b'\n' {
                if self.kind == Kind::Block {
                    at = self.after_indented(at + 1).unwrap_or(at);
                }
                limit = at + self.indent + self.widest + 1;
                blank = None;
                previous = Some(unit);
                at += 1;
                continue;
            }
            if unit == b' ' && is_word(previous) && is_word(self.unit(at + 1)) {
                blank = Some(at);
            }
            if unit == b'\\' && self.kind == Kind::Quoted {
                let start = at;
                at += if self.unit(at + 1) == Some(b'x') { 3 } else { 1 };
                escape = Some((start, at));
            }
            if at >= limit {
                if let Some(blank) = blank.take() {
                    breaks.push(Break::Blank(blank));
                    limit = blank + self.widest + 1;
                } else if self.kind == Kind::Quoted {
                    while matches!(previous, Some(b' ' | b'\t')) {
                        previous = Some(unit);
                        at += 1;
                        unit = self.unit(at).unwrap_or(b'"');
                    }
                    let cut = self.cut(at, escape).max(1);
                    // Deep down there may be no room for more than the quote.
                    match breaks.last() {
                        None if cut == 1 => breaks.push(Break::Ahead),
                        Some(Break::Ahead) if cut == 1 => {}
                        _ => breaks.push(Break::Cut(cut)),
                    }
                    limit = cut + self.widest;
                } else {
                    overflow = true;
                }
            }
            previous = Some(unit);
            at += 1;
        }
        Some((breaks, overflow))
    }

    /// Where to cut a word when the line is full at `at`: before the unit in
    /// front, not inside an escape, nor (here we depart) inside a surrogate pair.
    fn cut(&self, at: usize, escape: Option<(usize, usize)>) -> usize {
        match escape {
            Some((start, end)) if at <= end + 1 => start,
            _ => {
                let before = at.saturating_sub(1);
                let low = matches!(self.text[before].into(), 0xDC00..=0xDFFF);
                if low { before - 1 } else { before }
            }
        }
    }

    /// Where the last of the lines from `start` on ends that are indented beyond
    /// the margin, and so must not be folded.
    fn after_indented(&self, mut start: usize) -> Option<usize> {
        let blank = |at| matches!(self.unit(at), Some(b' ' | b'\t'));
        let mut end = None;
        while (start..=start + self.indent).all(blank) {
            let mut at = start + self.indent;
            while self.unit(at).is_some_and(|unit| unit != b'\n') {
                at += 1;
            }
            end = Some(at);
            start = at + 1;
        }
        end
    }
}

fn is_word(unit: Option<u8>) -> bool {
    unit.is_some_and(|unit| !matches!(unit, b' ' | b'\n' | b'\t'))
}
