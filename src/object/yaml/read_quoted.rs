use super::layout::line_at;

/// Reads a quoted scalar as we write it, whose further lines are indented by
/// `indent` (two at most at the root); gives the text and what follows.
pub(super) fn read(source: &str, indent: usize) -> Option<(String, &str)> {
    if let Some(source) = source.strip_prefix('\'') {
        return single(source, indent);
    }
    double(source.strip_prefix('"')?, indent)
}

fn single(mut rest: &str, indent: usize) -> Option<(String, &str)> {
    let mut text = String::new();
    loop {
        let end = rest.find(['\'', '\n'])?;
        text.push_str(&rest[..end]);
        rest = &rest[end..];
        if rest.starts_with('\n') {
            text.push(' ');
            rest = line(rest, indent)?;
        } else if let Some(after) = rest.strip_prefix("''") {
            text.push('\'');
            rest = after;
        } else {
            return Some((text, &rest[1..]));
        }
    }
}

fn double(mut rest: &str, indent: usize) -> Option<(String, &str)> {
    let mut text = String::new();
    loop {
        let end = rest.find(['"', '\\', '\n'])?;
        text.push_str(&rest[..end]);
        rest = &rest[end..];
        match rest.as_bytes()[0] {
            b'"' => return Some((text, &rest[1..])),
            b'\n' => rest = folded(&mut text, rest, indent)?,
            _ => rest = escape(&mut text, &rest[1..], indent)?,
        }
    }
}

/// One line feed is a blank, each further one a line feed.
fn folded<'a>(text: &mut String, rest: &'a str, indent: usize) -> Option<&'a str> {
    let empty = rest.bytes().take_while(|b| *b == b'\n').count() - 1;
    let rest = line(&rest[empty..], indent)?;
    if empty == 0 {
        text.push(' ');
        return Some(rest);
    }
    text.extend(std::iter::repeat_n('\n', empty));
    // A blank alone between two line feeds was escaped twice.
    match rest.strip_prefix("\\\\ ") {
        Some(after) if after.starts_with('\n') || after.starts_with("\\n\"") => {
            text.push(' ');
            Some(after)
        }
        _ => Some(rest),
    }
}

/// Reads what follows a backslash.
fn escape<'a>(text: &mut String, rest: &'a str, indent: usize) -> Option<&'a str> {
    let c = match *rest.as_bytes().first()? {
        b'\n' => return line(rest, indent),
        b'x' => {
            let code = u8::from_str_radix(rest.get(1..3)?, 16).ok()?;
            text.push(char::from(code));
            return Some(&rest[3..]);
        }
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' => '\t',
        b'n' => '\n',
        b'v' => '\x0b',
        b'f' => '\x0c',
        b'r' => '\r',
        b'e' => '\x1b',
        b @ (b'"' | b'\\' | b' ') => char::from(b),
        _ => return None,
    };
    text.push(c);
    Some(&rest[1..])
}

/// The next line behind its margin. At the root that is empty, or two blanks; no
/// line begins with a blank of its own.
fn line(rest: &str, indent: usize) -> Option<&str> {
    let line = line_at(rest, indent)?;
    Some(if indent == 0 { line.trim_start_matches(' ') } else { line })
}
