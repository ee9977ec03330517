//! The modules that the host serves itself, and the rule for their names.
//!
//! | file below `js/modules` | specifier | who may import it |
//! | --- | --- | --- |
//! | `workflow*.js` | `@uncaged/workflow*` | everyone |
//! | any other | `uncaged:<path>` | host modules |
//!
//! `uncaged:host` has no file there: it is part of the extension
//! (`js/host/host.js`) and gives host modules their powers. Each module has one
//! URL, `uncaged:<path>`, whatever name it was imported by.

/// The URL of `uncaged:host`: Deno tells the kind of an extension's files by
/// their ending.
pub(super) const HOST_MODULE: &str = "uncaged:host.js";

/// `(path without ".js", source)`, sorted by path.
static MODULES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/host_modules.rs"));

/// The source of `uncaged:<path>`.
pub(super) fn source(path: &str) -> Option<&'static str> {
    let index = MODULES.binary_search_by_key(&path, |(name, _)| name).ok()?;
    Some(MODULES[index].1)
}

/// The path of a module that everyone may import by its `@uncaged/` name.
pub(super) fn public_path(specifier: &str) -> Option<&str> {
    let path = specifier.strip_prefix("@uncaged/")?;
    let public = path.starts_with("workflow") && !path.contains('/');
    (public && source(path).is_some()).then_some(path)
}

/// The names of all public modules, for messages.
pub(super) fn public_names() -> impl Iterator<Item = String> {
    MODULES
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| path.starts_with("workflow") && !path.contains('/'))
        .map(|path| format!("@uncaged/{path}"))
}
