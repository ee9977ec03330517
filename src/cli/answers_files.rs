//! Where answers files are, and which bundle each belongs to.
//!
//! `triage.answers.yaml` and `triage.<case>.answers.yaml` belong to
//! `triage.esm.js` in their folder, else to the one in its `dist`, where a build
//! puts what may be thrown away.

use std::path::{Path, PathBuf};

use super::error::CommandError;

/// How answers files end.
const ANSWERS: &str = ".answers.yaml";
/// How bundles end.
const BUNDLE: &str = ".esm.js";
/// The folder of what is built.
const BUILT: &str = "dist";

/// The answers files that a path names: itself, those of a bundle, or all below
/// a folder.
pub(super) fn find(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), CommandError> {
    look(path, true, found)
}

/// `named`: by the user, and not found on the way.
fn look(path: &Path, named: bool, found: &mut Vec<PathBuf>) -> Result<(), CommandError> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let failed = |error| CommandError::user(format!("cannot read {}: {error}", path.display()));
    if path.is_dir() {
        if !named && (name == "node_modules" || name.starts_with('.')) {
            return Ok(());
        }
        for entry in std::fs::read_dir(path).map_err(failed)?.flatten() {
            let inner =
                if path == Path::new(".") { entry.file_name().into() } else { entry.path() };
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder || inner.to_str().is_some_and(|name| name.ends_with(ANSWERS)) {
                look(&inner, false, found)?;
            }
        }
        return Ok(());
    }
    if name.ends_with(ANSWERS) {
        if !path.is_file() {
            return Err(CommandError::user(format!("there is no file {}", path.display())));
        }
        found.push(path.to_owned());
        return Ok(());
    }
    let Some(stem) = name.strip_suffix(BUNDLE).filter(|_| path.is_file()) else {
        let message = format!("{} is no bundle, answers file or folder", path.display());
        return Err(CommandError::user(message)
            .hint("bundles end in .esm.js, answers files in .answers.yaml"));
    };
    let folder = std::path::absolute(path).map_err(failed)?;
    let folder = folder.parent().unwrap_or(Path::new("/"));
    let source = folder.parent().filter(|_| folder.ends_with(BUILT));
    for folder in [Some(folder), source].into_iter().flatten() {
        for entry in std::fs::read_dir(folder).map_err(failed)?.flatten() {
            let file = entry.file_name();
            let Some(file) = file.to_str().filter(|file| file.ends_with(ANSWERS)) else { continue };
            let own = file.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.'));
            let answers = folder.join(file);
            if own && bundle_of(&answers).is_ok_and(|bundle| same(&bundle, path)) {
                found.push(shown(answers));
            }
        }
    }
    Ok(())
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A path below the working directory as seen from there.
fn shown(path: PathBuf) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).map(Path::to_owned).unwrap_or(path)
}

/// The bundle of an answers file: of those whose name it begins with, the one
/// with the longest.
pub(super) fn bundle_of(answers: &Path) -> Result<PathBuf, CommandError> {
    let name = answers.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut stem = name.strip_suffix(ANSWERS).unwrap_or(name);
    loop {
        let bundle = format!("{stem}{BUNDLE}");
        let built = answers.with_file_name(BUILT).join(&bundle);
        for bundle in [answers.with_file_name(&bundle), built] {
            if bundle.is_file() {
                return Ok(bundle);
            }
        }
        match stem.rsplit_once('.') {
            Some((shorter, _)) => stem = shorter,
            None => break,
        }
    }
    let wanted = answers.with_file_name(format!("{stem}{BUNDLE}"));
    Err(CommandError::user(format!("there is no bundle {}", wanted.display())).hint(format!(
        "triage.answers.yaml tests triage.esm.js in its folder, or in the folder `{BUILT}` there"
    )))
}
