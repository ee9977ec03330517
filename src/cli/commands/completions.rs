use clap::{Args, ValueEnum};
use clap_complete::{Shell as Generator, generate};

use super::super::error::CommandError;
use super::super::{Context, args};

/// Print the completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow completions bash    for ~/.local/share/bash-completion/completions/uncaged-workflow
  uncaged-workflow completions zsh     for a file _uncaged-workflow in a folder of $fpath
  uncaged-workflow completions fish    for ~/.config/fish/completions/uncaged-workflow.fish")]
pub(in super::super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

pub(super) fn cmd_completions(
    context: &Context,
    args: &CompletionsArgs,
) -> Result<(), CommandError> {
    let script = match args.shell {
        Shell::Bash => bash(),
        Shell::Zsh => script(Generator::Zsh, args::command().get_name()),
        Shell::Fish => script(Generator::Fish, args::command().get_name()),
    };
    context.ui.write(script.as_bytes())
}

fn script(generator: Generator, name: &str) -> String {
    let mut script = Vec::new();
    generate(generator, &mut args::command(), name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// clap_complete's script for bash knows no commands of a program whose name has
/// a hyphen (clap issue 6421): it is made for another name, and registered for ours.
fn bash() -> String {
    let command = args::command();
    let (name, made_for) = (command.get_name(), command.get_name().replace('-', "_"));
    script(Generator::Bash, &made_for)
        .replace(&format!("default {made_for}\n"), &format!("default {name}\n"))
}
