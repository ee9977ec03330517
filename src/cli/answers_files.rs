//! Where answers files are, and which bundle each belongs to.

use std::path::{Path, PathBuf};

use super::error::CommandError;

/// How answers files end.
const ANSWERS: &str = ".answers.yaml";
/// How bundles end.
const BUNDLE: &str = ".esm.js";

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
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    for entry in std::fs::read_dir(folder).map_err(failed)?.flatten() {
        let file = entry.file_name();
        let Some(file) = file.to_str().filter(|file| file.ends_with(ANSWERS)) else { continue };
        let path = path.with_file_name(file);
        if file.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.'))
            && bundle_of(&path).is_ok_and(|bundle| bundle.file_name().is_some_and(|n| n == name))
        {
            found.push(path);
        }
    }
    Ok(())
}

/// The bundle beside an answers file: of those whose name it begins with, the
/// one with the longest.
pub(super) fn bundle_of(answers: &Path) -> Result<PathBuf, CommandError> {
    let name = answers.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut stem = name.strip_suffix(ANSWERS).unwrap_or(name);
    loop {
        let bundle = answers.with_file_name(format!("{stem}{BUNDLE}"));
        if bundle.is_file() {
            return Ok(bundle);
        }
        match stem.rsplit_once('.') {
            Some((shorter, _)) => stem = shorter,
            None => break,
        }
    }
    let wanted = answers.with_file_name(format!("{stem}{BUNDLE}"));
    Err(CommandError::user(format!("there is no bundle {}", wanted.display()))
        .hint("an answers file stands beside its bundle: triage.answers.yaml tests triage.esm.js"))
}
