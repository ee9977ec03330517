//! What a refused permission says: what was asked for, and how to grant it here.

use std::path::Path;

use crate::bundle::Kind;

/// Deno's message about a refusal in terms of this program; other messages as
/// they are.
pub(super) fn explained(message: &str) -> String {
    if message.contains("requires unscoped --allow-read and --allow-write") {
        return SYMLINK.to_owned();
    }
    parse(message).map_or_else(|| message.to_owned(), |refusal| refusal.text())
}

/// A path that is granted says nothing of where a link in it leads.
const SYMLINK: &str = "Requires read and write access to everything, because a symbolic link may \
lead anywhere: grant it with `uncaged-workflow add --allow-read --allow-write`, or with \
`read: true` and `write: true` in the workflow's permissions in workflow.yaml";

/// `Requires read access to "x", run again with the --allow-read flag`
struct Refusal<'m> {
    access: &'m str,
    kind: Option<Kind>,
    /// What was asked for; none where it was all of the kind.
    value: Option<&'m str>,
}

fn parse(message: &str) -> Option<Refusal<'_>> {
    let (access, rest) = message.strip_prefix("Requires ")?.rsplit_once(", run again with the ")?;
    rest.strip_suffix(" flag")?;
    let (name, what) = access.split_once(" access")?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.key() == name);
    let value = what.strip_prefix(" to \"").and_then(|what| what.strip_suffix('"'));
    Some(Refusal { access, kind, value })
}

impl Refusal<'_> {
    fn text(&self) -> String {
        let access = self.access;
        let Some(kind) = self.kind else {
            return format!(
                "Requires {access}, which only a workflow without permissions in workflow.yaml has \
                 (`uncaged-workflow add --allow-all`)"
            );
        };
        let exact = self.value.map(|value| granted(kind, value));
        let (flag, entry) = match exact.filter(|value| kind.is_exact(value)).map(|value| [value]) {
            Some(value) => (kind.flag(&value), kind.entry(&value)),
            None => (Some(format!("--allow-{}", kind.key())), format!("{}: true", kind.key())),
        };
        let flag = flag.map(|flag| format!("`uncaged-workflow add {flag}`, or with "));
        format!(
            "Requires {access}: grant it with {}`{entry}` in the workflow's permissions in \
             workflow.yaml",
            flag.unwrap_or_default()
        )
    }
}

/// The value that grants what was asked for: paths are absolute there.
fn granted(kind: Kind, value: &str) -> String {
    if !kind.is_path(value) {
        return value.to_owned();
    }
    match std::path::absolute(Path::new(value)) {
        Ok(path) => path.to_string_lossy().into_owned(),
        Err(_) => value.to_owned(),
    }
}
