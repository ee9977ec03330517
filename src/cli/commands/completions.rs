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
    let generator = match args.shell {
        Shell::Bash => Generator::Bash,
        Shell::Zsh => Generator::Zsh,
        Shell::Fish => Generator::Fish,
    };
    let mut command = args::command();
    let (name, mut script) = (command.get_name().to_owned(), Vec::new());
    generate(generator, &mut command, name, &mut script);
    context.ui.write(&script)
}
