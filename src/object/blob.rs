use serde_json::Value;

use super::yaml;
use super::{ContentNode, Node};

/// What `put(text)` stores: text that already is a node as it stands, anything
/// else wrapped as a content node without refs (SPEC section 4).
pub fn normalize_blob(text: &str) -> String {
    if may_be_node(text) && yaml::decode(text).is_ok_and(|value| is_node(&value)) {
        return text.to_owned();
    }
    Node::from(ContentNode { text: text.to_owned(), refs: Vec::new() }).encode()
}

/// The hashes that a stored blob refers to; none where it is not a node.
///
/// Where the text ends in a plain `refs` block this does not read the rest, so a
/// damaged blob may still name what it refers to. It never names less than a
/// whole reading would.
pub fn blob_refs(text: &str) -> Vec<String> {
    match trailing_refs(text) {
        Some(refs) => refs.into_iter().map(str::to_owned).collect(),
        None => yaml::decode(text).map(|value| refs_of(&value)).unwrap_or_default(),
    }
}

/// `refs`, or `children` where there are none.
pub(super) fn refs_of(value: &Value) -> Vec<String> {
    let list = value.get("refs").and_then(Value::as_array);
    let list = list.or_else(|| value.get("children").and_then(Value::as_array));
    let strings = list.into_iter().flatten().filter_map(Value::as_str);
    strings.map(str::to_owned).collect()
}

/// Spares most text the reading: a node spells these words, if not with escapes.
fn may_be_node(text: &str) -> bool {
    let words = text.contains("type") && (text.contains("refs") || text.contains("children"));
    words || text.contains('\\')
}

fn is_node(value: &Value) -> bool {
    let strings = |key: &str| {
        let list = value.get(key).and_then(Value::as_array);
        list.is_some_and(|list| list.iter().all(Value::is_string))
    };
    match value.get("type").and_then(Value::as_str) {
        Some("content" | "step" | "thread") => strings("refs") || strings("children"),
        Some(_) => strings("refs"),
        None => false,
    }
}

/// The entries of a `refs` block with which the text ends.
///
/// The first line makes the document a block mapping at column 0. In such a
/// mapping every line at column 0 begins an entry: scalars and flow collections
/// that go on over lines must be indented. Anything left open before the block
/// would have to be closed behind it, and nothing is there. So in every valid
/// document the block is the value of its `refs`.
fn trailing_refs(text: &str) -> Option<Vec<&str>> {
    let (kind, _) = text.strip_prefix("type: ")?.split_once('\n')?;
    if kind.is_empty() || !kind.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let at = text.rfind("\nrefs:")?;
    let block = text[at..].strip_prefix("\nrefs:")?.strip_suffix('\n')?;
    if block == " []" {
        return Some(Vec::new());
    }
    block.strip_prefix("\n  - ")?.split("\n  - ").map(reference).collect()
}

/// A list entry that can be nothing but a string of upper-case letters and digits.
fn reference(item: &str) -> Option<&str> {
    let quoted = item.strip_prefix('"').and_then(|item| item.strip_suffix('"'));
    let text = quoted.unwrap_or(item);
    let plain = !text.is_empty() && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'Z'));
    (plain && (quoted.is_some() || yaml::is_plain_string(text))).then_some(text)
}
