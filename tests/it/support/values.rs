//! Values that are hard to write as YAML.

use serde_json::{Map, Number, Value, json};

/// Draws values from a seed.
pub struct Values {
    state: u64,
}

/// Pieces that strings are put together from.
const PIECES: &[&str] = &[
    "a",
    "b",
    " ",
    " ",
    "  ",
    "\n",
    "\n",
    "\n\n",
    "\t",
    "word ",
    "\"",
    "'",
    ": ",
    " #",
    "- ",
    "\\",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{FEFF}",
    "\u{A0}",
    "\r",
    "\r\n",
    "é",
    "中文字",
    "😀",
    "👩‍👩‍👧",
    "\n  ",
    "\n\t",
    " \n",
    "\n- a",
    "\n---\n",
    "\n...\n",
    "---",
    "...",
    "%",
    "|",
    ">",
    "@",
    "`",
    "{",
    "}",
    "[",
    "]",
    ",",
    "?",
    ":",
    "&",
    "*",
    "!",
    "null",
    "1e3",
    "\\n",
    "\x07",
    "\x1b[0m",
    "the quick brown fox jumps ",
    "# Title\n\n",
    "* item\n",
    "1. first\n",
    "```rust\nfn f() {}\n```\n",
    "| a | b |\n| --- | --- |\n",
    "> quoted\n",
    "[link](http://x/y#z)",
    "**bold** _it_ `code` ",
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n context\n",
    "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ",
];

/// Whole strings that look like something else.
const LOOKALIKES: &[&str] = &[
    "",
    " ",
    "\t",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "~",
    "null",
    "Null",
    "NULL",
    "nULL",
    "true",
    "True",
    "TRUE",
    "false",
    "False",
    "FALSE",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "0",
    "00",
    "-0",
    "+0",
    "1",
    "-1",
    "+1",
    "012",
    "0o7",
    "0o8",
    "0o",
    "0x1F",
    "0xg",
    "0x",
    "0b1",
    "1_000",
    "1.",
    ".5",
    "+.5",
    "-.5e-5",
    "1.5e10",
    "1e",
    "e1",
    "1e+5",
    "1E5",
    "1.e5",
    "1e400",
    "+",
    ".",
    "-.",
    "+.",
    "..",
    ".inf",
    "-.inf",
    "+.INF",
    ".Inf",
    ".iNF",
    ".nan",
    ".NaN",
    ".NAN",
    "2001-01-01",
    "12:30:00",
    "2001-12-14t21:59:43.10-05:00",
    "<<",
    "=",
    "!!str",
    "!!binary aGk=",
    "!tag",
    "!",
    "&a",
    "&",
    "*a",
    "*",
    "|",
    "|-",
    "|2",
    ">",
    ">+",
    "-",
    "- ",
    "-a",
    "?",
    "? ",
    "?a",
    ":",
    ": ",
    ":a",
    "a:",
    "a: b",
    "a:b",
    "---",
    "--- a",
    "---a",
    "...",
    "... a",
    "%YAML 1.2",
    "%",
    "# c",
    "#",
    "a #b",
    "a#b",
    "{}",
    "[]",
    "{a",
    "[a",
    "a]",
    "a}",
    "a,b",
    ",a",
    "\\",
    "\"",
    "'",
    "''",
    "'\"",
    "\"a\" b",
    "`",
    "@",
    "\u{FEFF}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{A0}",
    "\0",
    "\x7f",
    "\u{9f}",
    "__proto__",
    "constructor",
];

impl Values {
    pub fn new(seed: u64) -> Values {
        Values { state: seed }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A node of any kind, or a bare value.
    pub fn any(&mut self) -> Value {
        match self.below(20) {
            0..=6 => json!({ "type": "content", "payload": self.string(), "refs": [] }),
            7..=13 => json!({
                "type": "state",
                "payload": { "role": self.string(), "meta": self.mapping(4), "compact": null },
                "refs": ["02N2F1GXYZMFY", "1796045931001"],
            }),
            14..=16 => self.value(4),
            17 => self.deep(),
            18 => json!({ (self.long_key()): self.value(2), "next": 1 }),
            _ => Value::String(self.string()),
        }
    }

    pub fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth > 0 { 10 } else { 6 }) {
            0..=3 => Value::String(self.string()),
            4 => self.number(),
            5 => [Value::Null, json!(true), json!(false), json!([]), json!({})][self.below(5)]
                .clone(),
            6 | 7 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => self.mapping(depth - 1),
        }
    }

    fn mapping(&mut self, depth: usize) -> Value {
        let entries = (0..self.below(4)).map(|_| (self.key(), self.value(depth)));
        Value::Object(entries.collect::<Map<_, _>>())
    }

    fn key(&mut self) -> String {
        match self.below(6) {
            0 => self.string(),
            1 => self.pick(LOOKALIKES).to_owned(),
            2 => self.below(100).to_string(),
            3 => "key".repeat(self.below(30)),
            _ => format!("field{}", self.below(9)),
        }
    }

    /// Around the length from which keys are written behind a question mark.
    fn long_key(&mut self) -> String {
        let piece = self.pick(&["k", "key ", "😀", "é", "\"", "a\n"]);
        piece.repeat((1000 + self.below(60)) / piece.encode_utf16().count())
    }

    /// A string under many lists and mappings.
    fn deep(&mut self) -> Value {
        let lists = self.below(3);
        let mut value = Value::String(self.string());
        for _ in 0..self.below(43) {
            value = match lists {
                0 => json!([value]),
                1 if self.below(2) == 0 => json!([value]),
                _ => json!({ (self.pick(&["k", "key", "a longer key"])): value }),
            };
        }
        value
    }

    pub fn string(&mut self) -> String {
        let pieces = match self.below(10) {
            0 | 1 => return self.pick(LOOKALIKES).to_owned(),
            2..=5 => 1 + self.below(4),
            6..=8 => 1 + self.below(9),
            _ => 1 + self.below(40),
        };
        (0..pieces).map(|_| self.piece()).collect()
    }

    fn piece(&mut self) -> String {
        match self.below(12) {
            // Every control character, and around.
            0 => char::from_u32(self.below(0xA2) as u32).unwrap().to_string(),
            1 => "x".repeat(self.below(100)),
            2 => "word ".repeat(self.below(30)),
            3 => self.pick(&["😀", "字字", "é", "👍🏽 "]).repeat(self.below(20)),
            _ => self.pick(PIECES).to_owned(),
        }
    }

    /// Every kind of double, and integers that doubles cannot hold.
    fn number(&mut self) -> Value {
        let double = match self.below(12) {
            0 => return json!(self.below(1000)),
            1 => return json!(-(self.below(1_000_000) as i64)),
            2 => return json!(self.next()),
            3 => return json!(self.next() as i64),
            4 => -0.0,
            5 => self.below(1_000_000) as f64 / 1000.0,
            6 => 2f64.powi(self.below(1024) as i32),
            7 => -2f64.powi(-(self.below(1074) as i32)),
            8 => 10f64.powi(self.below(600) as i32 - 300),
            9 => {
                self.pick(&[1e21, 1e20, 1e-6, 1e-7, 5e-324, f64::MAX, f64::MIN_POSITIVE, 0.1 + 0.2])
            }
            _ => f64::from_bits(self.next()),
        };
        Number::from_f64(double).map_or(Value::Null, Value::Number)
    }
}
