//! The extension: ops and the JavaScript in front of them.
//!
//! Ops are thin: JavaScript checks its arguments, an op converts and calls
//! [`Services`] or a pure function of the library.

mod allow;
mod bundle;
mod cas;
mod errors;
mod guard;
mod kill;
mod node;
mod service;
mod text;

use std::rc::Rc;

use deno_core::{OpState, op2, v8};
use sys_traits::impls::RealSys;

use super::import_meta;
use super::services::Services;
use crate::bundle::Grant;

pub(super) use guard::Verdict;

/// The program around the bundle, as ops find it.
#[derive(Clone)]
pub(super) struct Around {
    pub services: Rc<dyn Services>,
    pub bundle_hash: String,
    /// Which programs the bundle may start.
    pub run: Grant,
    /// Whether there is anything that the bundle may not do.
    pub limited: bool,
}

/// The functions of `js/bootstrap.js` that Rust calls.
#[derive(Clone)]
pub(super) struct Functions {
    pub prepare: v8::Global<v8::Function>,
    pub check_exports: v8::Global<v8::Function>,
    pub describe: v8::Global<v8::Function>,
    pub start: v8::Global<v8::Function>,
    pub next: v8::Global<v8::Function>,
    pub finish: v8::Global<v8::Function>,
    pub import_meta: v8::Global<v8::Function>,
}

deno_core::extension!(
    uncaged_host,
    ops = [
        op_uncaged_register,
        import_meta::op_uncaged_bundle_place,
        import_meta::op_uncaged_resolve,
        allow::op_uncaged_child_env,
        allow::op_uncaged_explain_refusal,
        allow::op_uncaged_is_limited,
        bundle::op_uncaged_check_bundle,
        bundle::op_uncaged_describe_bundle,
        bundle::op_uncaged_read_registry,
        cas::op_uncaged_cas_put,
        cas::op_uncaged_cas_get,
        cas::op_uncaged_cas_delete,
        cas::op_uncaged_cas_list,
        guard::op_uncaged_exit,
        guard::op_uncaged_is_internal_caller,
        guard::op_uncaged_mark_own_scripts,
        service::op_uncaged_bundle_hash,
        service::op_uncaged_chat,
        service::op_uncaged_collect_garbage,
        service::op_uncaged_enter_role,
        service::op_uncaged_log,
        service::op_uncaged_react_new,
        service::op_uncaged_react_step,
        service::op_uncaged_run_workflow,
        service::op_uncaged_storage_root,
        service::op_uncaged_thread_id,
        text::op_uncaged_hash_bytes,
        text::op_uncaged_hash_text,
        text::op_uncaged_normalize_blob,
        text::op_uncaged_yaml_parse,
        text::op_uncaged_yaml_stringify,
    ],
    esm_entry_point = "ext:uncaged_host/bootstrap.js",
    esm = [
        dir "js",
        "bootstrap.js",
        "ext:uncaged_host/values.js" = "host/values.js",
        "ext:uncaged_host/import_meta.js" = "host/import_meta.js",
        "ext:uncaged_host/web_errors.js" = "host/web_errors.js",
        "ext:uncaged_host/node_world.js" = "host/node_world.js",
    ],
    options = { around: Around, verdict: Rc<Verdict> },
    middleware = node::replace,
    state = |state, options| {
        state.put(options.around);
        state.put(options.verdict);
        state.put(RealSys); // some of Deno's Node ops look at the system through it
    },
);

#[op2(fast)]
#[allow(clippy::too_many_arguments, reason = "one argument a function")]
fn op_uncaged_register<'s>(
    state: &mut OpState,
    scope: &mut v8::PinScope<'s, '_>,
    prepare: v8::Local<'s, v8::Function>,
    check_exports: v8::Local<'s, v8::Function>,
    describe: v8::Local<'s, v8::Function>,
    start: v8::Local<'s, v8::Function>,
    next: v8::Local<'s, v8::Function>,
    finish: v8::Local<'s, v8::Function>,
    import_meta: v8::Local<'s, v8::Function>,
) {
    let global = |function| v8::Global::new(scope, function);
    state.put(Functions {
        prepare: global(prepare),
        check_exports: global(check_exports),
        describe: global(describe),
        start: global(start),
        next: global(next),
        finish: global(finish),
        import_meta: global(import_meta),
    });
}

fn services(state: &OpState) -> Rc<dyn Services> {
    state.borrow::<Around>().services.clone()
}
