//! The modules that a bundle may import.

use super::super::similar::closest;

/// Node's built-in modules that have a name without `node:`.
pub const NODE_MODULES: &[&str] = &[
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "dns/promises",
    "domain",
    "events",
    "fs",
    "fs/promises",
    "http",
    "http2",
    "https",
    "inspector",
    "inspector/promises",
    "module",
    "net",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "readline/promises",
    "repl",
    "stream",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "string_decoder",
    "sys",
    "timers",
    "timers/promises",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "util/types",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Node's built-in modules that exist with `node:` only.
pub const NODE_ONLY_MODULES: &[&str] = &["sea", "sqlite", "test", "test/reporters"];

/// The modules that the host gives (SPEC section 9).
pub const HOST_MODULES: &[&str] = &[
    "@uncaged/workflow",
    "@uncaged/workflow-agent-cursor",
    "@uncaged/workflow-agent-hermes",
    "@uncaged/workflow-agent-llm",
    "@uncaged/workflow-agent-react",
    "@uncaged/workflow-cas",
    "@uncaged/workflow-execute",
    "@uncaged/workflow-protocol",
    "@uncaged/workflow-reactor",
    "@uncaged/workflow-register",
    "@uncaged/workflow-runtime",
    "@uncaged/workflow-template-develop",
    "@uncaged/workflow-template-solve-issue",
    "@uncaged/workflow-util",
    "@uncaged/workflow-util-agent",
];

/// What an import's specifier asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// A module that the host gives.
    Given,
    /// `node:` and a name that Node does not have.
    UnknownNode,
    /// `test` and the like, which exist as `node:test` only.
    NeedsNodePrefix,
    /// `@uncaged/workflow` and a name that the host does not have.
    UnknownHost,
    /// A file beside this one.
    Relative,
    /// `#internal`, from a package.json.
    PackageImport,
    /// `bun` or `bun:…`.
    Bun,
    /// `npm:…`, `jsr:…`, `deno:…`
    Registry,
    /// `uncaged:…`, which host modules share among themselves.
    Internal,
    /// `http://…`, `data:…`, `file:…`
    Url,
    /// The name of an npm package.
    Package,
    /// The empty text.
    Nothing,
}

/// Sorts a specifier.
pub(super) fn asked(specifier: &str) -> Asked {
    if let Some(name) = specifier.strip_prefix("node:") {
        let known = NODE_MODULES.contains(&name) || NODE_ONLY_MODULES.contains(&name);
        return if known { Asked::Given } else { Asked::UnknownNode };
    }
    if NODE_MODULES.contains(&specifier) || HOST_MODULES.contains(&specifier) {
        return Asked::Given;
    }
    if specifier.is_empty() {
        return Asked::Nothing;
    }
    if specifier.starts_with("@uncaged/") {
        return Asked::UnknownHost;
    }
    if specifier.starts_with(['.', '/', '\\']) {
        return Asked::Relative;
    }
    if specifier.starts_with('#') {
        return Asked::PackageImport;
    }
    if specifier == "bun" || specifier.starts_with("bun:") {
        return Asked::Bun;
    }
    if let Some((scheme, _)) = specifier.split_once(':') {
        return match scheme {
            "npm" | "jsr" | "deno" | "ext" => Asked::Registry,
            "uncaged" => Asked::Internal,
            _ => Asked::Url,
        };
    }
    if NODE_ONLY_MODULES.contains(&specifier) {
        return Asked::NeedsNodePrefix;
    }
    Asked::Package
}

/// The module that was probably meant by a specifier the host does not know.
pub(super) fn meant(specifier: &str) -> Option<String> {
    if let Some(name) = specifier.strip_prefix("node:") {
        let known = NODE_MODULES.iter().chain(NODE_ONLY_MODULES).copied();
        return closest(name, known).map(|m| format!("node:{m}"));
    }
    if let Some(name) = specifier.strip_prefix("@uncaged/") {
        let names = HOST_MODULES.iter().filter_map(|m| m.strip_prefix("@uncaged/"));
        let bare = names.clone().find(|m| m.strip_prefix("workflow-") == Some(name));
        return bare.or_else(|| closest(name, names)).map(|m| format!("@uncaged/{m}"));
    }
    // A short name is close to many npm packages' names: only a longer one counts.
    if specifier.len() < 5 {
        return None;
    }
    closest(specifier, NODE_MODULES.iter().copied()).map(str::to_owned)
}
