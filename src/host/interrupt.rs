//! Ends what an isolate is doing, from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Context;

use deno_core::v8;
use futures::task::AtomicWaker;

/// Ends whatever the bundle is doing: an endless loop, an `await`, its loading.
#[derive(Clone)]
pub struct InterruptHandle(Arc<Shared>);

struct Shared {
    requested: AtomicBool,
    isolate: v8::IsolateHandle,
    waker: AtomicWaker,
}

impl InterruptHandle {
    pub(super) fn new(isolate: v8::IsolateHandle) -> Self {
        let requested = AtomicBool::new(false);
        Self(Arc::new(Shared { requested, isolate, waker: AtomicWaker::new() }))
    }

    /// The call that runs now, or the next one, fails with
    /// [`HostError::Terminated`](super::HostError::Terminated). JavaScript
    /// cannot catch it. One request ends one call.
    pub fn terminate(&self) {
        self.0.requested.store(true, Ordering::SeqCst);
        self.0.isolate.terminate_execution();
        self.0.waker.wake();
    }

    /// Wakes `cx` when termination is requested.
    pub(super) fn register(&self, cx: &Context<'_>) {
        self.0.waker.register(cx.waker());
    }

    pub(super) fn requested(&self) -> bool {
        self.0.requested.load(Ordering::SeqCst)
    }

    /// Execution may go on.
    pub(super) fn clear(&self) {
        self.0.requested.store(false, Ordering::SeqCst);
        self.0.isolate.cancel_terminate_execution();
    }
}
