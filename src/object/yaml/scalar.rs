//! Which style a string gets.

use std::borrow::Cow;

use super::{block, core, fold, quoted};

/// Writes a string value. `indent` is that of its further lines, `column` where it
/// starts when it follows a key.
pub(super) fn write(out: &mut String, text: &str, indent: usize, column: Option<usize>) {
    if holds_control(text) {
        quoted::write_double(out, text, indent, column);
    } else if text.contains('\n') {
        if ends_in_blank_line(text) {
            quoted::write_double(out, text, indent, column);
        } else {
            block::write(out, text, indent);
        }
    } else if !can_be_plain(text) {
        quoted::write(out, text, indent, column);
    } else if indent == 0 && holds_marker(text) {
        block::write(out, text, indent);
    } else {
        out.push_str(&fold::flow(text, indent, column));
    }
}

/// Writes a string value in double quotes.
pub(super) fn write_quoted(out: &mut String, text: &str, indent: usize, column: Option<usize>) {
    quoted::write_double(out, text, indent, column);
}

/// A key's text, always on one line. `root` is for keys of the outermost mapping.
pub(super) fn key(text: &str, quoted: bool, root: bool) -> Cow<'_, str> {
    let double = quoted || text.contains('\n') || holds_control(text);
    if double {
        Cow::Owned(quoted::double_line(text))
    } else if !can_be_plain(text) || (root && holds_marker(text)) {
        Cow::Owned(quoted::line(text))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether the text has characters that only double quotes may hold: C0 without
/// tab and line feed, DEL, C1 (of which UTF-8 makes C2 80 to C2 9F).
fn holds_control(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(i, byte)| match byte {
        b'\t' | b'\n' => false,
        0..0x20 | 0x7F => true,
        0xC2 => bytes[i + 1] < 0xA0,
        _ => false,
    })
}

/// Whether the last line is blank but not empty, which no block scalar can keep.
fn ends_in_blank_line(text: &str) -> bool {
    text.trim_end_matches([' ', '\t']).ends_with('\n') && !text.ends_with('\n')
}

/// Whether a line of the text would, without indentation, be taken for a directive
/// or a document's border. For npm `yaml` two more separators begin lines here.
pub(super) fn holds_marker(text: &str) -> bool {
    let marker =
        |line: &str| line.starts_with('%') || line.starts_with("---") || line.starts_with("...");
    text.split(['\n', '\r', '\u{2028}', '\u{2029}']).any(marker)
}

/// Whether a line of text reads as itself without quotes: it begins with no
/// indicator, holds neither `: ` nor ` #`, has no blank at either end, and is not
/// what the core schema takes for something else.
fn can_be_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return false };
    let blank = |b: u8| b == b' ' || b == b'\t';
    let starts_well = match first {
        b'-' | b'?' => bytes.len() > 1 && !blank(bytes[1]),
        _ => !b" \t,[]{}#&*!|>'\"%@`".contains(&first),
    };
    let ends_well = !blank(last) && last != b':';
    let pairs_well = bytes
        .windows(2)
        .all(|pair| !(pair[0] == b':' && blank(pair[1]) || blank(pair[0]) && pair[1] == b'#'));
    starts_well && ends_well && pairs_well && core::resolve(text).is_none()
}
