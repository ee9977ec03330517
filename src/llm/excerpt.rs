use std::fmt::Write;

/// How many characters of somebody else's text go into one line of ours.
const LENGTH: usize = 300;

/// The beginning of `text` as a part of one line: runs of white space become
/// one space, control and direction characters become escapes, so that a
/// server's text can neither break a line nor steer a terminal.
pub(super) fn excerpt(text: &str) -> String {
    let mut out = String::new();
    let mut space = false;
    for (i, c) in text.trim().chars().enumerate() {
        if i == LENGTH {
            out.push('…');
            break;
        }
        if matches!(c, ' ' | '\t' | '\r' | '\n') {
            space = true;
            continue;
        }
        if std::mem::take(&mut space) {
            out.push(' ');
        }
        if c.is_control() || steers(c) {
            write!(out, "\\u{{{:x}}}", u32::from(c)).expect("a String takes everything");
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that are not controls and yet move what stands around them:
/// line and paragraph separators, embeddings, overrides and isolates.
fn steers(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The longest beginning of `text` that has at most `bytes` bytes.
pub(super) fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
