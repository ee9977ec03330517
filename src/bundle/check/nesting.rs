//! How deeply a source nests, and a stack that fits it.
//!
//! Parser and analysis are recursive, and a stack that overflows ends the
//! process. So the depth is bounded beforehand, by a scan that knows tokens but
//! no grammar: open brackets, and for each of them the tokens since the last
//! point where an expression or statement must have ended. No tree is deeper.
//! V8 itself gives up at some 2,000 brackets, so the limits refuse nothing that
//! would run; long `a + b + …` chains, which V8 flattens, get more room.

use super::report::{Code, Finding};
use super::source::Source;

/// Most open brackets.
const MAX_BRACKETS: usize = 2_500;
/// Most links of all chains open at once.
const MAX_LINKS: usize = 120_000;
/// Stack for a level of brackets and for a link, in bytes: about twice the most
/// that any construct was seen to take in an unoptimised build.
const BRACKET_STACK: usize = 16 << 10;
const LINK_STACK: usize = 3 << 10;
/// Stack for everything else.
const BASE_STACK: usize = 8 << 20;

/// Runs `check` on a thread with enough stack for `text`, or says that the
/// source is nested too deeply. Memory is used as far as the stack is reached.
pub(super) fn with_stack(
    text: &str,
    skipped: usize,
    check: impl FnOnce() -> Vec<Finding> + Send,
) -> Vec<Finding> {
    let depth = measure(text);
    let too_deep = |at: usize| {
        let finding = Finding::new(
            Code::Nesting,
            "the source is nested too deeply for the engine",
            "split the expression, or load the data with JSON.parse",
        );
        let source = Source::new(text, skipped);
        vec![finding.at(source.locate(at..at + 1)).label("too deep from here")]
    };
    if let Some(at) = depth.exceeded_at {
        return too_deep(at);
    }
    let stack = BASE_STACK + depth.brackets * BRACKET_STACK + depth.links * LINK_STACK;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("check".into()).stack_size(stack);
        match thread.spawn_scoped(scope, check) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // The system gives no stack of this size.
            Err(_) => too_deep(0),
        }
    })
}

/// Upper bounds for the depth of a syntax tree.
#[derive(Default)]
struct Depth {
    brackets: usize,
    links: usize,
    /// Where a limit was passed; the scan ends there.
    exceeded_at: Option<usize>,
}

/// What an open bracket encloses so far.
#[derive(Default)]
struct Level {
    /// Tokens that may nest, since the last end of an expression or statement.
    links: usize,
    /// `else`s in a row.
    elses: usize,
    /// The statement is over unless `else` follows.
    ended: bool,
    /// The bracket is the head of an `if`, `for`, `while` or `with`.
    head: bool,
    /// The bracket is `${` in a template.
    template: bool,
}

/// What the last token was, as far as `/` and a following name depend on it.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// An operand may follow.
    Operator,
    /// The same, and a bracket is the statement's head.
    Head,
    /// An operand has ended.
    Operand,
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    levels: Vec<Level>,
    /// Links of all levels.
    links: usize,
    last: Last,
    depth: Depth,
}

fn measure(text: &str) -> Depth {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        levels: vec![Level::default()],
        links: 0,
        last: Last::Operator,
        depth: Depth::default(),
    };
    while scan.at < scan.bytes.len() && scan.depth.exceeded_at.is_none() {
        scan.token();
    }
    scan.depth
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn token(&mut self) {
        let byte = self.peek(0);
        let next = self.peek(1);
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
            b'/' if next == b'/' => self.skip_until(b"\n"),
            b'/' if next == b'*' => self.skip_until(b"*/"),
            b'#' if self.at == 0 && next == b'!' => self.skip_until(b"\n"),
            b'/' if self.last != Last::Operand && self.skip_regex() => self.operand(),
            b'"' | b'\'' => {
                self.skip_string(byte);
                self.operand();
            }
            b'`' => {
                self.at += 1;
                self.template_text();
            }
            b'(' | b'[' | b'{' => self.open(false),
            b')' | b']' | b'}' => self.close(),
            b';' | b',' => {
                self.end(byte == b';');
                self.last = Last::Operator;
                self.at += 1;
            }
            b'+' | b'-' if next == byte => {
                // Behind an operand it belongs to it, and `/` divides.
                self.link();
                self.at += 2;
            }
            b'=' | b'&' | b'|' | b'?' | b'<' | b'>' | b'*' => {
                self.link();
                self.last = Last::Operator;
                // None of these is a prefix: a run of them is one operator.
                while matches!(self.peek(0), b'=' | b'&' | b'|' | b'?' | b'<' | b'>' | b'*') {
                    self.at += 1;
                }
            }
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'#' | b'\\' | 0x80.. => {
                self.word();
            }
            _ => {
                self.link();
                self.last = Last::Operator;
                self.at += 1;
            }
        }
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the outermost level is never closed")
    }

    /// Counts a token that may nest.
    fn link(&mut self) {
        self.settle(false);
        self.level().links += 1;
        self.links += 1;
        self.note();
    }

    fn note(&mut self) {
        let brackets = self.levels.len() - 1;
        self.depth.brackets = self.depth.brackets.max(brackets);
        self.depth.links = self.depth.links.max(self.links);
        if brackets > MAX_BRACKETS || self.links > MAX_LINKS {
            self.depth.exceeded_at = Some(self.at);
        }
    }

    /// An expression has ended, or with `statement` a statement.
    fn end(&mut self, statement: bool) {
        let level = self.level();
        let links = std::mem::take(&mut level.links);
        level.ended |= statement;
        self.links -= links;
    }

    /// Begins the token after the end of a statement.
    fn settle(&mut self, is_else: bool) {
        let level = self.level();
        if std::mem::take(&mut level.ended) && !is_else {
            let elses = std::mem::take(&mut level.elses);
            self.links -= elses;
        }
    }

    fn operand(&mut self) {
        if self.last == Last::Operand {
            self.end(true);
        }
        self.settle(false);
        self.last = Last::Operand;
    }

    fn open(&mut self, template: bool) {
        self.link();
        let head = self.last == Last::Head;
        self.levels.push(Level { head, template, ..Level::default() });
        self.note();
        self.last = Last::Operator;
        self.at += 1;
    }

    fn close(&mut self) {
        self.at += 1;
        if self.levels.len() == 1 {
            return;
        }
        let level = self.levels.pop().expect("more than one level is open");
        self.links -= level.links + level.elses;
        if level.template {
            self.template_text();
        } else {
            self.last = if level.head { Last::Operator } else { Last::Operand };
        }
    }

    /// The text of a template up to its end or its next `${`.
    fn template_text(&mut self) {
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.link();
                    self.last = Last::Operand;
                    return;
                }
                b'$' if self.peek(1) == b'{' => {
                    self.at += 1;
                    self.open(true);
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        self.at += 1;
        let bytes = self.bytes;
        let in_number = bytes[start].is_ascii_digit();
        while let Some(byte) = bytes.get(self.at) {
            let part = byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'$' | b'#' | b'\\' | 0x80..)
                || (in_number && *byte == b'.');
            if !part {
                break;
            }
            self.at += 1;
        }
        let property = start > 0 && bytes[start - 1] == b'.';
        match &bytes[start..self.at] {
            b"else" if !property => {
                self.end(true);
                self.settle(true);
                self.level().elses += 1;
                self.links += 1;
                self.note();
                self.last = Last::Operator;
            }
            b"if" | b"for" | b"while" | b"with" if !property => {
                if self.last == Last::Operand {
                    self.end(true);
                }
                self.link();
                self.last = Last::Head;
            }
            // `for await (`
            b"await" if self.last == Last::Head => {}
            b"in" | b"instanceof" | b"of" | b"extends" | b"from" | b"as" if !property => {
                self.link();
                self.last = Last::Operator;
            }
            b"return" | b"throw" | b"typeof" | b"void" | b"delete" | b"new" | b"await"
            | b"yield" | b"do" | b"case"
                if !property =>
            {
                if self.last == Last::Operand {
                    self.end(true);
                }
                self.link();
                self.last = Last::Operator;
            }
            _ => self.operand(),
        }
    }

    fn skip_until(&mut self, end: &[u8]) {
        let rest = &self.bytes[self.at + 2..];
        let found = rest.windows(end.len()).position(|w| w == end);
        self.at = found.map_or(self.bytes.len(), |i| self.at + 2 + i + end.len());
    }

    fn skip_string(&mut self, quote: u8) {
        self.at += 1;
        loop {
            match self.peek(0) {
                b'\\' => self.at += 2,
                // A string ends at its line's end, as an error.
                0 | b'\n' => return,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    /// Skips a regular expression; false where none begins here.
    fn skip_regex(&mut self) -> bool {
        let mut class = false;
        let mut end = self.at + 1;
        loop {
            match self.bytes.get(end) {
                None | Some(b'\n') => return false,
                // Keeps the scan linear; nobody writes one this long.
                Some(_) if end - self.at > 1 << 17 => return false,
                Some(b'\\') => end += 1,
                Some(b'[') => class = true,
                Some(b']') => class = false,
                Some(b'/') if !class => break,
                _ => {}
            }
            end += 1;
        }
        self.at = end + 1;
        true
    }
}
