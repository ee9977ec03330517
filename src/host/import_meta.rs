//! `import.meta` of a bundle: what Node has there, and what Bun's bundler
//! builds on (`import.meta.require`). deno_core's own has no place for more.
//! The object is filled in `js/host/import_meta.js`.

use deno_core::{JsRuntime, ModuleSpecifier, OpState, op2, v8};
use deno_error::JsErrorBox;

use super::loader;
use super::ops::Functions;

/// The URL of the bundle, as scripts on the stack are named.
struct BundleUrl(String);

/// Takes over from deno_core, whose own modules do not use `import.meta`.
pub(super) fn install(runtime: &mut JsRuntime, bundle: &ModuleSpecifier) {
    runtime.op_state().borrow_mut().put(BundleUrl(bundle.to_string()));
    runtime.v8_isolate().set_host_initialize_import_meta_object_callback(initialize);
}

/// Called when a module asks for its `import.meta` for the first time. Modules
/// of node:vm keep an empty one.
extern "C" fn initialize(
    context: v8::Local<v8::Context>,
    _module: v8::Local<v8::Module>,
    meta: v8::Local<v8::Object>,
) {
    // SAFETY: V8 calls this from JavaScript that runs in this context.
    v8::callback_scope!(unsafe scope, context);
    let trace = v8::StackTrace::current_stack_trace(scope, 1);
    let frame = trace.and_then(|trace| trace.get_frame(scope, 0));
    let Some(asking) = frame.and_then(|frame| frame.get_script_name(scope)) else { return };
    let asking = asking.to_rust_string_lossy(scope);
    let state = JsRuntime::op_state_from(scope);
    let fill = {
        let state = state.borrow();
        if state.borrow::<BundleUrl>().0 != asking {
            return;
        }
        state.borrow::<Functions>().import_meta.clone()
    };
    let fill = v8::Local::new(scope, fill);
    let receiver = v8::undefined(scope).into();
    // What it throws is pending then, for the module to see.
    let _ = fill.call(scope, receiver, &[meta.into()]);
}

/// The bundle's URL and path.
#[op2]
#[serde]
pub(super) fn op_uncaged_bundle_place(state: &OpState) -> (String, String) {
    let url = &state.borrow::<BundleUrl>().0;
    let path = ModuleSpecifier::parse(url).ok().and_then(|url| url.to_file_path().ok());
    let path = path.and_then(|path| path.into_os_string().into_string().ok());
    (url.clone(), path.unwrap_or_default())
}

#[op2]
#[string]
pub(super) fn op_uncaged_resolve(#[string] specifier: &str) -> Result<String, JsErrorBox> {
    loader::resolve_given(specifier)
}
