//! Ops of Deno's that this host answers differently.
//!
//! `createRequire` knows built-ins only: everything that would look at a disk
//! finds nothing there, so that `require("x")` ends in Node's own
//! `MODULE_NOT_FOUND` error. (Deno's ops need services that an embedder must
//! bring and end the process where there are none.)
//!
//! `process.execPath` is what a program for Node starts to run another script,
//! so it is the `node` of the search path where there is one, and its arguments
//! are handed over as they are and not as Deno would have them.

use std::path::PathBuf;

use deno_core::{OpDecl, ToV8, op2};
use deno_error::JsErrorBox;
use sys_traits::EnvVar;
use sys_traits::impls::RealSys;

use super::kill;

/// The middleware: sees every op of every extension.
pub(super) fn replace(op: OpDecl) -> OpDecl {
    let replacement = match op.name {
        "op_create_worker" | "op_worker_threads_filename" => op_no_worker(),
        "op_v8_set_heap_snapshot_near_heap_limit" => op_no_snapshot(),
        "op_node_process_kill" => kill::op_kill(),
        "op_exec_path" => op_node_path(),
        "op_node_translate_cli_args" => op_same_args(),
        "op_require_node_module_paths" => op_no_paths(),
        "op_require_is_deno_dir_package"
        | "op_require_is_maybe_cjs"
        | "op_node_call_is_from_dependency"
        | "op_node_in_npm_package" => op_false(),
        "op_require_stat" => op_no_file(),
        "op_require_real_path" | "op_require_read_file" => op_no_require(),
        "op_require_resolve_deno_dir"
        | "op_require_try_self"
        | "op_require_resolve_exports"
        | "op_require_read_package_scope"
        | "op_require_package_imports_resolve" => op_nothing(),
        _ => return op,
    };
    op.with_implementation_from(&replacement)
}

#[op2(fast)]
fn op_no_worker() -> Result<(), JsErrorBox> {
    Err(JsErrorBox::new(
        "NotSupported",
        "worker_threads.Worker is not supported here: use child processes, or more workflow threads",
    ))
}

/// Deno's puts itself in the place of this host's heap limit.
#[op2(nofast)]
fn op_no_snapshot(#[smi] _limit: u32) -> Result<(), JsErrorBox> {
    Err(JsErrorBox::new(
        "NotSupported",
        "heap snapshots near the heap limit are not supported here",
    ))
}

#[op2(fast)]
fn op_no_require() -> Result<(), JsErrorBox> {
    Err(JsErrorBox::type_error(
        "require() of files is refused: a bundle is one file; build everything else into it",
    ))
}

#[op2]
fn op_no_paths() -> Vec<String> {
    Vec::new()
}

#[op2(fast)]
fn op_false() -> bool {
    false
}

#[op2(fast)]
#[smi]
fn op_no_file() -> i32 {
    -1
}

#[op2]
#[string]
fn op_nothing() -> Option<String> {
    None
}

#[op2]
#[string]
fn op_node_path() -> Result<String, JsErrorBox> {
    // The isolate's environment, as `process.env` has it.
    let path = RealSys.env_var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join("node")).find(|it| it.is_file());
    let own = || std::env::current_exe().map_err(JsErrorBox::from_err);
    found
        .map_or_else(own, Ok)
        .map(PathBuf::into_os_string)?
        .into_string()
        .map_err(|path| JsErrorBox::generic(format!("not UTF-8: {}", path.to_string_lossy())))
}

/// Arguments for a Node program as Deno's `child_process` asks for them.
#[derive(ToV8)]
struct NodeArgs {
    deno_args: Vec<String>,
    node_options: Vec<String>,
    needs_npm_process_state: bool,
}

/// `for_spawn` is false for a part of a shell command, which a refusal leaves
/// as it is.
#[op2]
fn op_same_args(
    #[scoped] args: Vec<String>,
    _in_npm_package: bool,
    for_spawn: bool,
) -> Result<NodeArgs, JsErrorBox> {
    match for_spawn {
        true => Ok(NodeArgs {
            deno_args: args,
            node_options: Vec::new(),
            needs_npm_process_state: false,
        }),
        false => Err(JsErrorBox::generic("left as it is")),
    }
}
