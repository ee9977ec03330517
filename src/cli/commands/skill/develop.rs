use crate::cli::args;

/// How to get from an empty folder to a registered workflow, with the help of
/// the commands that lead there.
pub(super) fn document() -> String {
    let mut text = include_str!("../../../../js/skill/develop.md").to_owned();
    for (place, path) in [
        ("{{init}}", &["init", "workspace"][..]),
        ("{{init template}}", &["init", "template"]),
        ("{{check}}", &["check"]),
        ("{{run}}", &["run"]),
        ("{{live}}", &["live"]),
        ("{{thread}}", &["thread", "show"]),
        ("{{fork}}", &["fork"]),
    ] {
        text = text.replace(place, &examples(path));
    }
    text.replace("{{workflow}}\n", include_str!("../../../../js/init/workspace/workflow.ts"))
        .replace("{{answers}}\n", include_str!("../../../../js/init/workspace/answers.yaml"))
        .replace("NAME", "triage")
}

/// The examples in the help of a command, without their heading.
fn examples(path: &[&str]) -> String {
    let root = args::command();
    let command = path.iter().try_fold(&root, |command, name| command.find_subcommand(name));
    let help = command.and_then(|command| command.get_after_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    help.lines().skip(1).map(|line| line.trim_start_matches("  ")).collect::<Vec<_>>().join("\n")
}
