//! Questions at a terminal. They are written to standard error, so that what
//! a command prints stays clean.

use std::io::{self, IsTerminal, Write};

use rustix::termios::{self, LocalModes, OptionalActions, Termios};

use super::error::CommandError;

/// Whether somebody is there to answer.
pub(super) fn possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// One line; an empty answer takes the default, where there is one, and is asked
/// for again where there is none.
pub(super) fn line(question: &str, default: Option<&str>) -> Result<String, CommandError> {
    let question = match default {
        Some(default) => format!("{question} [{default}]: "),
        None => format!("{question}: "),
    };
    loop {
        say(&question)?;
        let mut answer = String::new();
        if io::stdin().read_line(&mut answer).map_err(unreadable)? == 0 {
            say("\n")?;
            return Err(CommandError::user("the input ended before everything was answered"));
        }
        match (answer.trim(), default) {
            ("", Some(default)) => return Ok(default.to_owned()),
            ("", None) => {}
            (answer, _) => return Ok(answer.to_owned()),
        }
    }
}

/// A secret, which is not shown; an empty answer takes the default.
pub(super) fn secret(question: &str, default: &str) -> Result<String, CommandError> {
    // rpassword turns the echo off only after the question has been written;
    // what is typed or pasted in between would be shown.
    let _silent = Silent::new();
    say(&format!("{question} [{default}]: "))?;
    let answer = rpassword::read_password().map_err(unreadable)?;
    let answer = answer.trim();
    Ok(if answer.is_empty() { default } else { answer }.to_owned())
}

fn say(text: &str) -> Result<(), CommandError> {
    let mut err = io::stderr().lock();
    err.write_all(text.as_bytes()).and_then(|()| err.flush()).map_err(CommandError::from_output)
}

fn unreadable(error: io::Error) -> CommandError {
    CommandError::user(format!("cannot read the answer: {error}"))
}

/// The terminal does not show what is typed, as long as this lives.
struct Silent(Option<Termios>);

impl Silent {
    fn new() -> Silent {
        let before = termios::tcgetattr(io::stdin()).ok();
        if let Some(before) = &before {
            let mut silent = before.clone();
            silent.local_modes.remove(LocalModes::ECHO);
            let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, &silent);
        }
        Silent(before)
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}
