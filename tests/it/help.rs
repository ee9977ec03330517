//! What every command says of itself: its help, its examples, its completions,
//! and the documents for coding agents that are made of them.

use std::path::Path;
use std::process::Command as Process;

use clap::Command;
use serde_json::Value;

use crate::support::env::{TestEnv, output};
use crate::support::terminal::Terminal;

/// Every command below the root, with the words that lead to it.
fn commands() -> Vec<(Vec<String>, Command)> {
    let mut root = uncaged_workflow::cli::command();
    root.build();
    let (mut found, mut open) = (Vec::new(), vec![(Vec::new(), root)]);
    while let Some((path, command)) = open.pop() {
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            let mut path = path.clone();
            path.push(below.get_name().to_owned());
            open.push((path, below.clone()));
        }
        found.push((path, command));
    }
    assert!(found.len() > 40, "{}", found.len());
    found
}

/// The words of a command line as a shell has them, up to what explains it:
/// two spaces or more. Of a pipe, the last command.
pub fn words(line: &str) -> Vec<String> {
    let line = line.rsplit(" | ").next().unwrap().trim();
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, Some(open)) if c == open => quote = None,
            (' ', None) => {
                words.extend(word.take());
                if characters.peek() == Some(&' ') {
                    return words;
                }
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The command lines of a help's examples.
fn examples(help: &str) -> Vec<Vec<String>> {
    let (_, examples) = help.split_once("Examples:\n").unwrap_or_default();
    let examples = examples.split("\n\n").next().unwrap().replace("\\\n      ", "");
    examples.lines().map(words).collect()
}

#[test]
fn every_command_has_examples_and_each_is_a_valid_command_line() {
    let mut broken = Vec::new();
    for (path, command) in commands() {
        let name = path.join(" ");
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples = examples(&help);
        if examples.is_empty() {
            broken.push(format!("{name}: no examples"));
        }
        for example in examples {
            if let Err(error) = uncaged_workflow::cli::command().try_get_matches_from(&example) {
                broken.push(format!("{name}: {example:?}: {error}"));
            }
        }
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            if arg.get_help().is_none() {
                broken.push(format!("{name}: {arg} is not explained"));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn the_help_that_people_see_has_the_examples() {
    let env = TestEnv::new();
    let help = env.run(["thread", "fork", "--help"]).ok();
    assert!(help.contains("Usage: uncaged-workflow thread fork [OPTIONS] <ID>\n"), "{help}");
    assert_eq!(examples(&help).len(), 3, "{help}");
}

#[test]
fn the_command_reference_for_agents_names_every_command_and_flag() {
    let env = TestEnv::new();
    let reference = env.run(["skill", "cli"]).ok();
    for (path, command) in commands().iter().filter(|(path, _)| !path.is_empty()) {
        let heading = format!("\n## `uncaged-workflow {}`\n", path.join(" "));
        let (_, section) = reference.split_once(&heading).unwrap_or_else(|| panic!("{heading}"));
        let section = section.split("\n## ").next().unwrap();
        for arg in command.get_arguments() {
            let Some(long) = arg.get_long().filter(|_| !arg.is_global_set()) else { continue };
            let known = ["help", "version"].contains(&long);
            assert!(known || section.contains(&format!("`--{long}")), "{heading}{long}");
        }
        assert!(section.contains("Examples:\n"), "{heading}");
    }
}

#[test]
fn the_guides_for_agents_are_made_of_what_the_program_goes_by() {
    let env = TestEnv::new();
    let author = env.run(["skill", "author"]).ok();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/types");
    let types = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    for module in ["workflow-protocol.d.ts", "workflow-runtime.d.ts", "workflow-cas.d.ts"] {
        assert!(author.contains(&types(module)), "{module}");
    }
    for module in uncaged_workflow::bundle::HOST_MODULES {
        assert!(author.contains(&format!("| `{module}` |")), "{module}");
        let page = env.run(["skill", module]).ok();
        let name = module.strip_prefix("@uncaged/").unwrap();
        let declarations = types(&format!("{name}.d.ts"));
        assert_eq!(page, format!("# {module}\n\n```ts\n{declarations}```\n"));
    }
    for code in uncaged_workflow::bundle::Code::ALL {
        assert!(author.contains(&format!("| `{code}` |")), "{code}");
    }
    let develop = env.run(["skill", "develop"]).ok();
    assert!(!author.contains("{{") && !develop.contains("{{"), "no place is left to be filled");

    // The bundle in the guide is one.
    let (_, bundle) = author.split_once("```js\n").unwrap();
    env.write("guide.esm.js", bundle.split("```").next().unwrap());
    let checked = env.run(["check", "guide.esm.js"]).ok();
    assert_eq!(checked, "guide.esm.js is a valid bundle (roles: greeter, counter)\n");
    // So is what the other guide builds on, as `init` writes it.
    env.run(["init", "workspace", "triage"]).ok();
    assert!(develop.contains(&env.read("work/triage/src/triage.ts")));
    assert!(develop.contains(&env.read("work/triage/triage.answers.yaml")));
    for line in develop.lines().filter(|line| line.starts_with("uncaged-workflow ")) {
        let parsed = uncaged_workflow::cli::command().try_get_matches_from(words(line));
        assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
    }
}

#[test]
fn every_export_of_a_host_module_is_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/types");
    let (mut bare, mut count) = (Vec::new(), 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let (mut before, mut explained) = ("", "");
        for line in text.lines() {
            let declared =
                line.strip_prefix("export ").map(|rest| rest.trim_start_matches("declare "));
            let mut words = declared.unwrap_or_default().split([' ', '<', '(', ':']);
            let kind = words.next().unwrap();
            let name = words.next().unwrap_or_default();
            // What is only passed on is explained where it is declared.
            let own = ["function", "const", "type", "interface"].contains(&kind) && name != "{";
            if own {
                count += 1;
                // An overload needs no words of its own.
                if !before.ends_with("*/") && explained != name {
                    bare.push(format!("{}: {name}", path.display()));
                }
                explained = name;
            }
            before = line;
        }
    }
    assert_eq!(bare, Vec::<String>::new());
    assert!(count > 120, "{count}");
}

#[test]
fn the_topics_are_listed_and_a_mistyped_one_is_recognised() {
    let env = TestEnv::new();
    let listed: Value = serde_json::from_str(&env.run(["skill", "--json"]).ok()).unwrap();
    let topics: Vec<&str> =
        listed.as_array().unwrap().iter().map(|t| t["topic"].as_str().unwrap()).collect();
    assert_eq!(topics[..3], ["cli", "develop", "author"]);
    assert_eq!(topics.len(), 3 + uncaged_workflow::bundle::HOST_MODULES.len());
    let plain = env.run(["skill"]).ok();
    assert_eq!(plain.lines().count(), topics.len() + 2, "{plain}");
    let refused = env.run(["skill", "autor"]);
    assert_eq!(refused.stderr, "error: there is no topic `autor`\nhint: did you mean `author`?\n");
    assert_eq!(refused.code, Some(1));
}

/// The folder of the program, put before the path.
fn with_program_on_path(command: &mut Process) {
    let program = Path::new(env!("CARGO_BIN_EXE_uncaged-workflow")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", program.display()));
}

#[test]
fn bash_completes_commands_flags_and_values() {
    let env = TestEnv::new();
    let script = env.run(["completions", "bash"]).ok();
    let file = env.write("completions.bash", script);
    let complete = |line: &[&str]| {
        let (word, before) = (line[line.len() - 1], line[line.len() - 2]);
        let asked = format!(
            "source '{}'; COMP_WORDS=({}); COMP_CWORD={}; \
             $(complete -p uncaged-workflow | sed 's/.*-F \\([^ ]*\\) .*/\\1/') \
             uncaged-workflow '{word}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            file.display(),
            line.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            line.len() - 1,
        );
        let mut bash = Process::new("bash");
        bash.args(["--norc", "-c", &asked]).env("UNCAGED_WORKFLOW_STORAGE_ROOT", env.root());
        with_program_on_path(&mut bash);
        output(&mut bash).ok().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete(&["uncaged-workflow", "thr"]), ["threads", "thread"]);
    assert_eq!(complete(&["uncaged-workflow", "thread", "pa"]), ["pause"]);
    assert_eq!(complete(&["uncaged-workflow", "fork", "--fr"]), ["--from-role"]);
    assert_eq!(complete(&["uncaged-workflow", "completions", ""])[5..], ["bash", "zsh", "fish"]);
    let scenes = complete(&["uncaged-workflow", "setup", "--scene", ""]);
    assert_eq!(scenes, ["default", "extract", "supervisor"]);

    // What is in the store, by its beginning.
    env.add("haiku", include_str!("../../examples/haiku.esm.js"));
    let thread = env.start("haiku", &[]);
    env.ended(&thread);
    let id = thread.as_str();
    for verb in ["kill", "fork", "live"] {
        assert_eq!(complete(&["uncaged-workflow", verb, &id[..5]]), [id], "{verb}");
    }
    assert_eq!(complete(&["uncaged-workflow", "thread", "rm", ""]).last().unwrap(), id);
    assert_eq!(complete(&["uncaged-workflow", "thread", &id[..5]]), [id]);
    assert_eq!(complete(&["uncaged-workflow", "run", "hai"]), ["haiku"]);
    assert_eq!(complete(&["uncaged-workflow", "workflow", "show", "h"]), ["haiku"]);
    // Where a new name is wanted, one that is taken is no help.
    for what in ["workspace", "template"] {
        assert_eq!(complete(&["uncaged-workflow", "init", what, "hai"]), [""], "{what}");
    }
    let hash = env.run(["cas", "list"]).ok().lines().next().unwrap().to_owned();
    assert_eq!(complete(&["uncaged-workflow", "cas", "get", &hash[..6]]), [hash]);

    // The tabulator key in a real bash.
    let mut like = env.command();
    with_program_on_path(&mut like);
    like.env("PS1", "ready> ");
    let mut terminal = Terminal::start(&like, "bash --norc --noprofile -i");
    terminal.wait_for("ready> ");
    terminal.type_text("source completions.bash\n");
    terminal.wait_for("ready> ");
    terminal.type_text("uncaged-workflow rollb\t");
    terminal.wait_for("uncaged-workflow rollback ");
    terminal.type_text("--he\t");
    terminal.wait_for("--help ");
    terminal.type_text("\nexit\n");
    let (screen, _) = terminal.finish();
    assert!(screen.contains("uncaged-workflow rollback\u{1b}[0m [OPTIONS]"), "{screen}");
}

#[test]
fn the_other_shells_get_all_commands_too() {
    let env = TestEnv::new();
    for shell in ["zsh", "fish"] {
        let script = env.run(["completions", shell]).ok();
        let file = env.write(&format!("completions.{shell}"), &script);
        for (path, _) in commands().iter().filter(|(path, _)| path.len() == 1) {
            assert!(script.contains(&path[0]), "{shell} knows {path:?}");
        }
        for list in ["threads", "list", "cas list"] {
            let asks = format!("uncaged-workflow {list} 2>/dev/null | cut -f1)");
            assert!(script.contains(&asks), "{shell} asks for {list}");
        }
        // Where a new name is wanted, one that is taken is no help.
        let offered = script.lines().filter(|line| match shell {
            "zsh" => line.contains("such as `review-pr`") && line.contains("_known_"),
            _ => line.contains("_using_subcommand init") && line.contains("cut -f1"),
        });
        assert_eq!(offered.collect::<Vec<_>>(), [""; 0], "{shell}");
        match Process::new(shell).arg("-n").arg(&file).output() {
            Ok(parsed) => assert!(parsed.status.success(), "{shell}: {parsed:?}"),
            Err(_) => crate::support::report(&format!("SKIPPED: {shell} is not there to parse")),
        }
    }
    let refused = env.run(["completions", "fsh"]);
    assert!(refused.stderr.contains("a similar value exists: 'fish'"), "{}", refused.stderr);
    assert_eq!(refused.code, Some(2));
}
