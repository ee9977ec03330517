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
/// parser from their first character on, never cut out by their ends. What
/// stands inside a broken value (a comma too many, an end that is missing) is
/// not taken for the answer: a part might be valid and yet not be meant.
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

/// How many brackets that nothing closes are passed over. Each costs a look at
/// the whole rest of the reply.
const MAX_UNCLOSED: u32 = 100;

fn last_value(text: &str) -> Option<Value> {
    let (mut fenced, mut object, mut list) = (None, None, None);
    let (mut at, mut unclosed) = (0, 0);
    while let Some(found) = text[at..].find(['{', '[']) {
        let start = at + found;
        match value_at(&text[start..]) {
            Some((value, length)) => {
                let kind = if value.is_object() { &mut object } else { &mut list };
                *if opens_fence(&text[..start]) { &mut fenced } else { kind } = Some(value);
                at = start + length;
            }
            None => match length_of_broken(&text[start..]) {
                Some(length) => at = start + length,
                None if looks_like_json(&text[start..]) => break,
                None if unclosed == MAX_UNCLOSED => break,
                None => (at, unclosed) = (start + 1, unclosed + 1),
            },
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

/// Where the brackets that `text` begins with are closed, strings aside.
fn length_of_broken(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Whether a bracket begins a value rather than stands in a sentence.
fn looks_like_json(text: &str) -> bool {
    let inside = text[1..].trim_start();
    inside.starts_with('"') || (text.starts_with('[') && inside.starts_with(['{', '[']))
}

/// Whether a line that opens a code fence is the last thing in `before`.
fn opens_fence(before: &str) -> bool {
    let line = before.trim_end().rsplit('\n').next().unwrap_or_default().trim_start();
    line.strip_prefix("```").is_some_and(|language| !language.contains('`'))
}
