//! Ends of a run that JavaScript must not catch, and who is calling.

use std::cell::Cell;
use std::rc::Rc;

use deno_core::{OpState, op2, v8};

/// Why execution was terminated, when it was not by an interrupt.
#[derive(Debug, Default)]
pub(in crate::host) struct Verdict {
    /// Set by `process.exit`.
    pub exit: Cell<Option<i32>>,
}

#[op2(fast)]
pub(super) fn op_uncaged_exit(state: &mut OpState, scope: &mut v8::PinScope, #[smi] code: i32) {
    state.borrow::<Rc<Verdict>>().exit.set(Some(code));
    scope.terminate_execution();
}

/// The number of a script that was compiled after all of Deno's that have no
/// name, and before any of the bundle's.
struct LastOwnScript(usize);

/// Called from such a script.
#[op2(fast, reentrant)]
pub(super) fn op_uncaged_mark_own_scripts(state: &mut OpState, scope: &mut v8::PinScope) {
    let trace = v8::StackTrace::current_stack_trace(scope, 1);
    let frame = trace.and_then(|trace| trace.get_frame(scope, 0));
    if let Some(frame) = frame {
        state.put(LastOwnScript(frame.get_script_id()));
    }
}

/// Whether the function that called the one that calls this op belongs to Deno:
/// its scripts are named `ext:` or `node:`, but for a few functions that it made of
/// text (`fs.statSync` looks at one's result).
#[op2(fast, reentrant)]
pub(super) fn op_uncaged_is_internal_caller(state: &OpState, scope: &mut v8::PinScope) -> bool {
    const FRAMES: usize = 3; // the arrow function, the proxy's trap, the caller
    let Some(trace) = v8::StackTrace::current_stack_trace(scope, FRAMES) else { return false };
    // A promise's reaction has no caller, and V8 does not look whether there is one.
    if trace.get_frame_count() < FRAMES {
        return false;
    }
    let Some(frame) = trace.get_frame(scope, FRAMES - 1) else { return false };
    let Some(name) = frame.get_script_name(scope) else {
        let last = state.try_borrow::<LastOwnScript>();
        return last.is_some_and(|last| frame.get_script_id() <= last.0);
    };
    let name = name.to_rust_string_lossy(scope);
    name.starts_with("ext:") || name.starts_with("node:")
}
