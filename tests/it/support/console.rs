//! Commands as documents show them, run and compared.
//!
//! A ```console block has lines `$ command`, each followed by what it prints, on
//! standard output and standard error. The blocks of a document run one after
//! the other in one folder with a copy of `examples/` and a store of its own.
//! A command's output is compared in full, but for
//!
//! - times of day, dates and milliseconds since 1970, which are all alike;
//! - thread ids, and hashes of nodes that hold a time: the one that stands in the
//!   document is another name for the real one, the same wherever it stands, also
//!   in later commands. Hashes of bundles and of contents are compared as they are;
//! - a line `…`, which stands for any lines, and `…` in a line for any text;
//! - empty lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use uncaged_workflow::object::Hash;

use super::env::{TestEnv, output};

/// A run of a document in a folder of its own.
pub struct Run {
    pub env: TestEnv,
    /// What an id or hash in the document really is.
    names: BTreeMap<String, String>,
}

impl Run {
    pub fn new() -> Run {
        let env = TestEnv::new();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), &env.work().join("examples"));
        Run { env, names: BTreeMap::new() }
    }

    /// Runs one command line and compares what it prints.
    #[track_caller]
    pub fn command(&mut self, line: &str, expected: &[String]) {
        let real = self.real_line(line);
        let program = Path::new(env!("CARGO_BIN_EXE_uncaged-workflow")).parent().unwrap();
        let mut like = self.env.command();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1; {real}")]).current_dir(self.env.work()).env_clear();
        for (name, value) in like.env("PATH", path).get_envs() {
            shell.env(name, value.unwrap());
        }
        if line.contains("npm ") {
            // npm keeps its cache and its settings there.
            shell.env("HOME", std::env::var_os("HOME").unwrap());
        }
        let printed = output(&mut shell).stdout;
        let lines: Vec<&str> = printed.lines().filter(|line| !line.is_empty()).collect();
        let expected: Vec<&str> =
            expected.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
        assert!(
            self.same_lines(&expected, &lines),
            "$ {real}\nthe document has:\n{}\nprinted was:\n{printed}",
            expected.join("\n")
        );
    }

    /// The command with the real ids and hashes in place of the document's.
    pub fn real_line(&self, line: &str) -> String {
        let real = |word: &str| {
            let known: Vec<&String> = match word.len() >= 4 && word.bytes().all(is_crockford) {
                true => {
                    self.names.iter().filter(|(k, _)| k.starts_with(word)).map(|(_, v)| v).collect()
                }
                false => Vec::new(),
            };
            match known.as_slice() {
                [] => word.to_owned(),
                [one] => (*one).clone(),
                _ => panic!("{word} in {line} is the beginning of several ids"),
            }
        };
        line.split(' ').map(real).collect::<Vec<_>>().join(" ")
    }

    pub fn same_lines(&mut self, expected: &[&str], printed: &[&str]) -> bool {
        match (expected, printed) {
            ([], []) => true,
            (["…", rest @ ..], _) => {
                (0..=printed.len()).any(|skip| self.same_lines(rest, &printed[skip..]))
            }
            ([first, expected @ ..], [line, printed @ ..]) => {
                self.same_line(first, line) && self.same_lines(expected, printed)
            }
            _ => false,
        }
    }

    pub fn same_line(&mut self, expected: &str, printed: &str) -> bool {
        let (wanted, found) = (tokens(expected), tokens(printed));
        if wanted.len() == found.len()
            && wanted.iter().zip(&found).all(|(wanted, found)| self.same_token(wanted, found))
        {
            return true;
        }
        // Text before and after the first `…`.
        expected.split_once('…').is_some_and(|(before, after)| {
            printed.len() >= before.len() + after.len()
                && printed.starts_with(before)
                && printed.ends_with(after)
        })
    }

    fn same_token(&mut self, wanted: &Token, found: &Token) -> bool {
        match (wanted, found) {
            (Token::Named(wanted), Token::Named(found)) => {
                if wanted.len() != found.len() {
                    return false;
                }
                if self.is_lasting(found) {
                    return wanted == found;
                }
                let known = self.names.iter().find(|(k, v)| *k == wanted || *v == found);
                if let Some((name, real)) = known {
                    return name == wanted && real == found;
                }
                self.names.insert(wanted.clone(), found.clone());
                true
            }
            _ => wanted == found,
        }
    }

    /// Whether a hash is of a bundle or a content: the same wherever it is made.
    fn is_lasting(&self, name: &str) -> bool {
        let Ok(hash) = name.parse::<Hash>() else { return false };
        let store = self.env.store();
        store.layout().bundle(&hash).exists()
            || matches!(store.get(&hash), Ok(Some(text)) if text.starts_with("type: content\n"))
    }
}

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// A time, a date, or milliseconds since 1970.
    Time,
    /// A thread id or a hash.
    Named(String),
    Text(String),
}

fn is_crockford(byte: u8) -> bool {
    b"0123456789ABCDEFGHJKMNPQRSTVWXYZ".contains(&byte)
}

fn tokens(line: &str) -> Vec<Token> {
    let (mut tokens, mut text, mut rest) = (Vec::new(), String::new(), line);
    let mut inside_word = false;
    while let Some(next) = rest.chars().next() {
        let special = if inside_word { None } else { time(rest).or_else(|| named(rest)) };
        let length = match special {
            Some((token, length)) => {
                tokens.push(Token::Text(std::mem::take(&mut text)));
                tokens.push(token);
                length
            }
            None => {
                text.push(next);
                next.len_utf8()
            }
        };
        inside_word = next.is_alphanumeric();
        rest = &rest[length..];
    }
    tokens.push(Token::Text(text));
    tokens
}

fn time(text: &str) -> Option<(Token, usize)> {
    let shaped = |shape: &str| {
        let part = text.as_bytes().get(..shape.len())?;
        let fits = shape.bytes().zip(part).all(|(wanted, byte)| match wanted {
            b'0' => byte.is_ascii_digit(),
            _ => *byte == wanted,
        });
        let ends = !text.as_bytes().get(shape.len()).is_some_and(u8::is_ascii_alphanumeric);
        (fits && ends).then_some((Token::Time, shape.len()))
    };
    shaped("0000-00-00T00:00:00.000Z")
        .or_else(|| shaped("00:00:00"))
        .or_else(|| shaped("0000000000000"))
}

fn named(text: &str) -> Option<(Token, usize)> {
    let word = text.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    let name = [13, 26].contains(&word.len()) && word.bytes().all(is_crockford);
    name.then(|| (Token::Named(word.to_owned()), word.len()))
}

/// Copies a folder without what was installed or built in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_file() {
            fs::copy(&path, to.join(name)).unwrap();
        } else if name != "node_modules" && name != "dist" {
            copy(&path, &to.join(name));
        }
    }
}
