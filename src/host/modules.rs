//! The modules that the host serves itself, and the rule for their names.
//!
//! | file below `js/modules` | specifier | who may import it |
//! | --- | --- | --- |
//! | `workflow*.js` | `@uncaged/workflow*` | everyone |
//! | any other | `uncaged:<path>.js` | host modules |
//!
//! Each module has one URL, `uncaged:<path>.js`, whatever name it was imported
//! by, and is in the snapshot, evaluated; so is `uncaged:host.js`
//! (`js/host/host.js`), which gives host modules their powers.

/// The paths below `js/modules`, without ".js", sorted.
static MODULES: &[&str] = include!(concat!(env!("OUT_DIR"), "/host_modules.rs"));

/// The URL of a module that everyone may import by its `@uncaged/` name.
pub(super) fn public_url(specifier: &str) -> Option<String> {
    let path = specifier.strip_prefix("@uncaged/")?;
    let public = is_public(path) && MODULES.binary_search(&path).is_ok();
    public.then(|| format!("uncaged:{path}.js"))
}

/// The names of all public modules, for messages.
pub(super) fn public_names() -> impl Iterator<Item = String> {
    MODULES.iter().filter(|path| is_public(path)).map(|path| format!("@uncaged/{path}"))
}

fn is_public(path: &str) -> bool {
    path.starts_with("workflow") && !path.contains('/')
}
