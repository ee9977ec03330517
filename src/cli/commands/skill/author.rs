use std::fmt::Write as _;

use super::{modules, summary};
use crate::bundle::{Code, NODE_MODULES, NODE_ONLY_MODULES, Severity};

/// What a bundle is, with the rules and declarations that this program has.
pub(super) fn document() -> String {
    include_str!("../../../../js/skill/author.md")
        .replace("{{rules}}\n", &rules())
        .replace("{{protocol}}\n", super::declarations("workflow-protocol").unwrap_or_default())
        .replace("{{runtime}}\n", super::declarations("workflow-runtime").unwrap_or_default())
        .replace("{{cas}}\n", super::declarations("workflow-cas").unwrap_or_default())
        .replace("{{modules}}\n", &host_modules())
        .replace("{{node}}", &node_modules())
        .replace("{{example}}\n", include_str!("../../../../js/init/script/workflow.esm.js"))
}

fn rules() -> String {
    let mut text = String::from("| code | | what is found |\n| --- | --- | --- |\n");
    for code in Code::ALL {
        let severity = match code.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let _ = writeln!(text, "| `{code}` | {severity} | {} |", code.meaning());
    }
    text
}

fn host_modules() -> String {
    let mut text = String::from("| module | what it gives |\n| --- | --- |\n");
    for (name, declarations) in modules() {
        let _ = writeln!(text, "| `@uncaged/{name}` | {} |", summary(declarations));
    }
    text
}

fn node_modules() -> String {
    let plain = NODE_MODULES.iter().map(|name| format!("`{name}`"));
    let prefixed = NODE_ONLY_MODULES.iter().map(|name| format!("`node:{name}`"));
    plain.chain(prefixed).collect::<Vec<_>>().join(", ")
}
