use clap::{Args, Command, ValueEnum};
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
/// a hyphen (clap issue 6421): it is made for another name, and registered for
/// ours. Around it, a function that also knows what is in the store.
fn bash() -> String {
    let command = args::command();
    let (name, made_for) = (command.get_name(), command.get_name().replace('-', "_"));
    let known = format!("_{made_for}_known");
    let script = script(Generator::Bash, &made_for)
        .replace(&format!("complete -F _{made_for} "), &format!("complete -F {known} "))
        .replace(&format!("default {made_for}\n"), &format!("default {name}\n"));
    let mut cases = String::new();
    for (arg, list) in [("id", "threads"), ("name", "list"), ("hash", "cas list")] {
        let paths = commands_taking(&command, arg, "");
        let listed = format!("$(compgen -W \"$(\"$1\" {list} 2>/dev/null | cut -f1)\" -- \"$2\")");
        cases += &format!("        {})\n            COMPREPLY+=({listed}) ;;\n", paths.join("|"));
    }
    format!(
        "{script}\n# Names, ids and hashes: the first word after these commands.\n{known}() {{\n    \
         _{made_for} \"$@\"\n    [[ \"$2\" == -* ]] && return\n    \
         case \"${{COMP_WORDS[*]:1:COMP_CWORD-1}}\" in\n{cases}    esac\n}}\n"
    )
}

/// The commands, as bash patterns, whose first argument is this one.
fn commands_taking(command: &Command, arg: &str, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let first = command.get_positionals().next();
    if !path.is_empty() && first.is_some_and(|first| first.get_id() == arg) {
        found.push(format!("'{path}'"));
    }
    for below in command.get_subcommands() {
        for name in std::iter::once(below.get_name()).chain(below.get_visible_aliases()) {
            found.extend(commands_taking(below, arg, format!("{path} {name}").trim_start()));
        }
    }
    found
}
