//! Ops of Deno's that this host answers differently.
//!
//! `createRequire` knows built-ins only: everything that would look at a disk
//! finds nothing there, so that `require("x")` ends in Node's own
//! `MODULE_NOT_FOUND` error. (Deno's ops need services that an embedder must
//! bring and end the process where there are none.)

use deno_core::{OpDecl, op2};
use deno_error::JsErrorBox;

/// The middleware: sees every op of every extension.
pub(super) fn replace(op: OpDecl) -> OpDecl {
    let replacement = match op.name {
        "op_create_worker" | "op_worker_threads_filename" => op_no_worker(),
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
        "worker threads are not supported here: use child processes, or more workflow threads",
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
