use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::cli::args;

/// Every command as Markdown, from the command tree that parses them.
pub(super) fn document() -> String {
    let mut root = args::command();
    root.build();
    let mut text = String::from("# uncaged-workflow\n\n");
    about(&mut text, &root);
    text.push_str(
        "Every command takes `--json` and `--help`. Ids and hashes may be shortened to any unique \
         beginning. Errors go to standard error; the exit code is 1 for a refusal, 2 for a \
         command line that is wrong.\n\n",
    );
    for command in root.get_subcommands() {
        section(&mut text, command);
    }
    text
}

/// One command and those below it.
fn section(text: &mut String, command: &Command) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let path = command.get_bin_name().unwrap_or(command.get_name());
    let _ = write!(text, "## `{path}`\n\n");
    about(text, command);
    let usage = command.clone().render_usage().to_string();
    let _ = write!(text, "    {}\n\n", usage.trim_start_matches("Usage: ").replace('\n', "\n   "));
    let own = |arg: &&Arg| !arg.is_hide_set() && !arg.is_global_set() && !is_standard(arg);
    for arg in command.get_arguments().filter(own) {
        let _ = writeln!(text, "- {}", argument(arg));
    }
    if command.get_arguments().any(|arg| own(&arg)) {
        text.push('\n');
    }
    if let Some(examples) = command.get_after_help() {
        let _ = write!(text, "```\n{}\n```\n\n", examples.to_string().trim_end());
    }
    for below in command.get_subcommands() {
        section(text, below);
    }
}

fn about(text: &mut String, command: &Command) {
    let about = command.get_long_about().or(command.get_about());
    if let Some(about) = about {
        let _ = write!(text, "{}\n\n", about.to_string().trim_end());
    }
}

/// `--help` and `--version`.
fn is_standard(arg: &Arg) -> bool {
    matches!(arg.get_id().as_str(), "help" | "version")
}

/// `--last <N>`: what it is for, its default and its values.
fn argument(arg: &Arg) -> String {
    let mut text = format!("`{arg}`");
    if let Some(help) = arg.get_long_help().or(arg.get_help()) {
        let _ = write!(text, ": {}", help.to_string().replace('\n', " "));
    }
    let words = |words: Vec<String>| words.join(", ");
    let takes_value = arg.get_action().takes_values();
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|v| v.to_string_lossy().into_owned()).collect();
    if takes_value && !defaults.is_empty() {
        let _ = write!(text, " (default: {})", words(defaults));
    }
    let values: Vec<String> =
        arg.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
    if takes_value && !values.is_empty() {
        let _ = write!(text, " (one of: {})", words(values));
    }
    text
}
