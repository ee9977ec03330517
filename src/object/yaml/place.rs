//! Where a field stands in YAML of any layout.

use saphyr_parser::{Event, Parser};

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
}

/// Where the field stands that `path` (keys, and positions in lists) leads to, or
/// the deepest part of the way that the text has.
pub fn place_of(text: &str, path: &[String]) -> Place {
    let mut best = (0, Place { line: 1, column: 1 });
    let mut open: Vec<Open> = Vec::new();
    let mut parser = Parser::new_from_str(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    while let Some(Ok((event, span))) = parser.next_event() {
        let (scalar, opens) = match event {
            Event::Scalar(text, ..) => (Some(text.to_string()), None),
            Event::Alias(_) => (None, None),
            Event::MappingStart(..) => (None, Some(Open::Mapping { key: None })),
            Event::SequenceStart(..) => (None, Some(Open::Sequence { index: 0 })),
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                next(&mut open);
                continue;
            }
            _ => continue,
        };
        let is_key = match open.last_mut() {
            Some(Open::Mapping { key: key @ None }) => {
                *key = Some(scalar.unwrap_or_default());
                true
            }
            _ => false,
        };
        let depth = matched(&open, path);
        if depth > best.0 {
            best = (depth, Place { line: span.start.line(), column: span.start.col() + 1 });
        }
        match opens {
            _ if is_key => {}
            Some(collection) => open.push(collection),
            None => next(&mut open),
        }
    }
    best.1
}

enum Open {
    Mapping { key: Option<String> },
    Sequence { index: usize },
}

/// The value that stood here is over.
fn next(open: &mut [Open]) {
    match open.last_mut() {
        Some(Open::Mapping { key }) => *key = None,
        Some(Open::Sequence { index }) => *index += 1,
        None => {}
    }
}

/// How many steps of the way the place has, where it lies on the way.
fn matched(open: &[Open], wanted: &[String]) -> usize {
    let here = |open: &Open, step: &String| match open {
        Open::Mapping { key } => key.as_ref() == Some(step),
        Open::Sequence { index } => index.to_string() == *step,
    };
    let on_the_way = open.len() <= wanted.len() && open.iter().zip(wanted).all(|(o, w)| here(o, w));
    if on_the_way { open.len() } else { 0 }
}
