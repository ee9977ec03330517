//! The YAML text of nodes, the registry and descriptors.
//!
//! A blob's hash is the hash of its text, so one value must have one text, on
//! every machine, and it must be the text that stores already hold: what npm
//! `yaml` 2.9 gives for `stringify(value, { indent: 2 })`. [`encode`] and
//! [`encode_quoted`] write it, [`decode`] reads it and any other YAML 1.2.
//!
//! # Layout that is written
//!
//! - Block style throughout, two columns a level; sequences are indented under
//!   their key; empty collections are `[]` and `{}`. A collection inside a
//!   sequence starts on the line of its dash.
//! - A key whose text is longer than 1,024 UTF-16 units is written `? key`, `: value`.
//! - A string with a control character (other than tab and line feed) is
//!   double-quoted. Other strings of several lines are block scalars: literal
//!   where every line fits in 80 columns, else folded, else (a word is too
//!   long) literal. Strings of one line are plain where they can be, else
//!   single-quoted where that saves escapes, else double-quoted, folded at 80 columns.
//! - Numbers are doubles and are written as JavaScript writes them.
//! - Keys that are array indices come first, in numeric order: a JavaScript
//!   object holds them so.
//! - Columns are counted in UTF-16 units.
//!
//! Two departures, where npm `yaml` destroys the text. Where it would break a line
//! between the halves of a surrogate pair, the whole character moves to the next
//! line. Where it writes the word `undefined` into quoted strings that are
//! indented by 80 columns, the string moves to the next line.
//!
//! # Reading
//!
//! Text that [`encode`] can have written is read as the value it was written
//! from, so strings come back; anything else follows YAML 1.2 with the core schema.
//! See [`decode`].
//!
//! Of two values with one text only one can come back. npm `yaml` makes such twins
//! of a text whose first line is indented and too long: a line feed in place of a
//! blank just where that line is folded gives the same text, and the same hash. The
//! blank is read (beyond column 60, where every first line is folded, only if the
//! second is full too). The other loss is a byte order mark with which the first
//! key of a document begins.

mod block;
mod core;
mod emit;
mod fold;
mod general;
mod layout;
mod place;
mod quoted;
mod read_block;
mod read_quoted;
mod scalar;

use serde_json::Value;

pub use place::{Place, place_of};

/// Deepest nesting of collections that [`decode`] takes.
pub const MAX_DEPTH: usize = 256;

const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// Text that is not one YAML 1.2 document, or means something JSON cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not YAML: {message} at line {line}, column {column}")]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
}

/// The text that npm `yaml` gives for `stringify(value, { indent: 2 })`.
pub fn encode(value: &Value) -> String {
    emit::document(value, false)
}

/// The same with `defaultStringType: "QUOTE_DOUBLE"`: strings and keys double-quoted.
pub fn encode_quoted(value: &Value) -> String {
    emit::document(value, true)
}

/// Reads one YAML 1.2 document (core schema).
///
/// - `yes` and `2001-01-01` are strings, `0o17` is 15, `0x1F` is 31.
/// - U+0085, U+2028 and U+2029 do not break lines. A byte order mark at the
///   start is dropped, unless the document is one string. An empty document is null.
/// - Numbers are read as doubles: whole ones up to 2^53 come back as integers.
///   JSON has no `.inf` and `.nan`; as in `JSON.stringify` they become null.
/// - Keys that are numbers, booleans or null become strings, as in a JavaScript
///   object (null becomes the empty string); collections as keys are refused.
/// - Aliases are copied, within a bound. Tags of the core schema are honoured,
///   others ignored; `<<` is an ordinary key.
/// - Refused: duplicate keys, a second document, nesting beyond [`MAX_DEPTH`].
pub fn decode(text: &str) -> Result<Value, ParseError> {
    let Some(unmarked) = text.strip_prefix(BYTE_ORDER_MARK) else { return read(text) };
    match (read(unmarked), layout::read(text)) {
        (Ok(collection @ (Value::Array(_) | Value::Object(_))), _) => Ok(collection),
        // A string that begins with a byte order mark, written without quotes.
        (_, Some(string @ Value::String(_))) => Ok(string),
        (unmarked, _) => unmarked,
    }
}

fn read(text: &str) -> Result<Value, ParseError> {
    layout::read(text).map_or_else(|| general::read(text), Ok)
}

/// Whether plain text stands for itself, not for a number, a boolean or null.
pub(super) fn is_plain_string(text: &str) -> bool {
    core::resolve(text).is_none()
}
