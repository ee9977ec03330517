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
        Shell::Zsh => zsh(),
        Shell::Fish => fish(),
    };
    context.ui.write(script.as_bytes())
}

fn script(generator: Generator, name: &str) -> String {
    let mut script = Vec::new();
    generate(generator, &mut args::command(), name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Arguments that name something in the store, and the command that lists it in
/// the first column.
const NAMED: [(&str, &str); 3] = [("id", "threads"), ("name", "list"), ("hash", "cas list")];

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
    for (arg, list) in NAMED {
        let paths = commands_taking(&command, arg, Vec::new());
        let paths: Vec<String> = paths.iter().map(|path| format!("'{}'", path.join(" "))).collect();
        let listed = format!("$(compgen -W \"$(\"$1\" {list} 2>/dev/null | cut -f1)\" -- \"$2\")");
        cases += &format!("        {})\n            COMPREPLY+=({listed}) ;;\n", paths.join("|"));
    }
    format!(
        "{script}\n# Names, ids and hashes: the first word after these commands.\n{known}() {{\n    \
         _{made_for} \"$@\"\n    [[ \"$2\" == -* ]] && return\n    \
         case \"${{COMP_WORDS[*]:1:COMP_CWORD-1}}\" in\n{cases}    esac\n}}\n"
    )
}

/// The arguments that clap_complete has files for, completed from the store.
fn zsh() -> String {
    let name = args::command().get_name().to_owned();
    let mut functions = String::new();
    for (arg, list) in NAMED {
        let listed = format!("${{(f)\"$({name} {list} 2>/dev/null | cut -f1)\"}}");
        functions += &format!("_{name}_known_{arg}() {{ compadd -- {listed} }}\n");
    }
    let script = script(Generator::Zsh, &name);
    let lines = script.lines().map(|line| {
        let argument = line.trim_start_matches(['\'', ':']);
        let known = NAMED.iter().find(|(arg, _)| argument.starts_with(&format!("{arg} -- ")));
        match (known, line.strip_suffix(":_default' \\")) {
            (Some((arg, _)), Some(line)) => format!("{line}:_{name}_known_{arg}' \\"),
            _ => line.to_owned(),
        }
    });
    let lines: Vec<String> = lines.collect();
    let lines = lines.join("\n") + "\n";
    lines.replacen("#compdef uncaged-workflow\n", &format!("#compdef {name}\n\n{functions}"), 1)
}

/// The script, and what is in the store for the first word after each command.
fn fish() -> String {
    let command = args::command();
    let name = command.get_name();
    let mut script = script(Generator::Fish, name);
    let using = format!("__fish_{}_using_subcommand", name.replace('-', "_"));
    for (arg, list) in NAMED {
        for path in commands_taking(&command, arg, Vec::new()) {
            let below: String = path[1..]
                .iter()
                .map(|n| format!("; and __fish_seen_subcommand_from {n}"))
                .collect();
            script += &format!(
                "complete -c {name} -n \"{using} {}{below}\" -f -a \"({name} {list} 2>/dev/null | cut -f1)\"\n",
                path[0]
            );
        }
    }
    for shell in Shell::value_variants().iter().filter_map(ValueEnum::to_possible_value) {
        let shell = shell.get_name();
        script += &format!("complete -c {name} -n \"{using} completions\" -f -a {shell}\n");
    }
    script
}

/// The commands whose first argument is this one, as the words that lead there.
fn commands_taking(command: &Command, arg: &str, path: Vec<String>) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for below in command.get_subcommands() {
        for name in std::iter::once(below.get_name()).chain(below.get_visible_aliases()) {
            let mut path = path.clone();
            path.push(name.to_owned());
            found.extend(commands_taking(below, arg, path));
        }
    }
    let first = command.get_positionals().next();
    if !path.is_empty() && first.is_some_and(|first| first.get_id() == arg) {
        found.push(path);
    }
    found
}
