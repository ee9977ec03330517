use serde_json::Value;

/// The JSON value that a plain reply is about.
///
/// - The whole reply, where that is JSON.
/// - Else a `<think>` block at its beginning is dropped ([`spoken`]), and so is
///   what stands before the last `</think>`, if JSON follows it.
/// - Else the last code fence that begins with an object or a list, else the
///   last object, else the last list: a reply says first what it means to do
///   and then does it.
///
/// A fence inside a string of the JSON is no fence: values are read by a JSON
/// parser from their first character on, never cut out by their ends.
pub fn json_in(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let spoken = spoken(text);
    if let Some((_, tail)) = spoken.rsplit_once("</think>")
        && let Some(value) = last_value(tail)
    {
        return Some(value);
    }
    last_value(spoken)
}

/// A reply without the `<think>` block at its beginning; a block that does not
/// end leaves nothing.
pub fn spoken(text: &str) -> &str {
    let text = text.trim();
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        if let Some(thought) = text.strip_prefix(open) {
            return thought.split_once(close).map_or("", |(_, rest)| rest);
        }
    }
    text
}

fn last_value(text: &str) -> Option<Value> {
    let (mut fenced, mut object, mut list) = (None, None, None);
    let mut at = 0;
    while let Some(found) = text[at..].find(['{', '[']) {
        let start = at + found;
        match value_at(&text[start..]) {
            Some((value, length)) => {
                let kind = if value.is_object() { &mut object } else { &mut list };
                *if opens_fence(&text[..start]) { &mut fenced } else { kind } = Some(value);
                at = start + length;
            }
            None => at = start + 1,
        }
    }
    fenced.or(object).or(list)
}

/// The value that `text` begins with and its length in bytes.
fn value_at(text: &str) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// Whether a line that opens a code fence is the last thing in `before`.
fn opens_fence(before: &str) -> bool {
    let line = before.trim_end().rsplit('\n').next().unwrap_or_default().trim_start();
    line.strip_prefix("```").is_some_and(|language| !language.contains('`'))
}
