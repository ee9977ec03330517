use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::error::CommandError;

/// Where a command's output goes. A reader that has gone away, as in
/// `… | head -1`, ends the program quietly.
#[derive(Clone, Copy)]
pub(super) struct Ui {
    json: bool,
    color: bool,
}

impl Ui {
    pub(super) fn new(json: bool) -> Ui {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Ui { json, color: !plain && io::stdout().is_terminal() }
    }

    /// Whether `--json` was given.
    pub(super) fn json(&self) -> bool {
        self.json
    }

    /// One line on standard output.
    pub(super) fn line(&self, text: impl Display) -> Result<(), CommandError> {
        self.write(format!("{text}\n").as_bytes())
    }

    /// What a command did: a sentence, or with `--json` the value on one line.
    pub(super) fn said(
        &self,
        text: impl Display,
        value: &impl Serialize,
    ) -> Result<(), CommandError> {
        if self.json { self.json_line(value) } else { self.line(text) }
    }

    /// Bytes as they are on standard output.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), CommandError> {
        let mut out = io::stdout().lock();
        let written = out.write_all(bytes).and_then(|()| out.flush());
        written.map_err(CommandError::from_output)
    }

    /// A value as indented JSON.
    pub(super) fn value(&self, value: &impl Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string_pretty(value).map_err(CommandError::internal)?;
        self.line(ascii_controls(&text))
    }

    /// A value as one line of JSON, for streams.
    pub(super) fn json_line(&self, value: &impl Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string(value).map_err(CommandError::internal)?;
        self.line(ascii_controls(&text))
    }

    /// A remark for people, on standard error.
    pub(super) fn note(&self, text: impl Display) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// `text` in a colour that is always the same for the same text.
    pub(super) fn tinted(&self, text: &str) -> String {
        const COLORS: [AnsiColor; 6] = [
            AnsiColor::Cyan,
            AnsiColor::Green,
            AnsiColor::Magenta,
            AnsiColor::Blue,
            AnsiColor::Yellow,
            AnsiColor::BrightCyan,
        ];
        let sum: usize = text.bytes().map(usize::from).sum();
        self.styled(Style::new().bold().fg_color(Some(COLORS[sum % COLORS.len()].into())), text)
    }

    /// `text` set back.
    pub(super) fn dim(&self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }

    fn styled(&self, style: Style, text: &str) -> String {
        match self.color {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }
}

/// JSON without raw C1 control characters, which terminals obey; they can only
/// stand inside strings.
fn ascii_controls(json: &str) -> std::borrow::Cow<'_, str> {
    let control = |c: char| ('\u{7f}'..='\u{9f}').contains(&c);
    if !json.contains(control) {
        return json.into();
    }
    let escape = |c: char| match control(c) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    json.chars().map(escape).collect::<String>().into()
}
