//! Ends what an isolate is doing, from any thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Context;
use std::thread::{self, Thread};
use std::time::Duration;

use deno_core::v8;
use futures::task::AtomicWaker;

/// Ends whatever the bundle is doing: an endless loop, an `await`, its loading.
#[derive(Clone)]
pub struct InterruptHandle(Arc<Shared>);

struct Shared {
    requested: AtomicBool,
    exhausted: AtomicBool,
    isolate: v8::IsolateHandle,
    waker: AtomicWaker,
    /// Who sleeps in [`InterruptHandle::doze`].
    dozing: Mutex<Option<Thread>>,
    /// Whether somebody does.
    is_dozing: AtomicBool,
    /// Whether JavaScript has its thread.
    turn: AtomicBool,
}

impl InterruptHandle {
    pub(super) fn new(isolate: v8::IsolateHandle) -> Self {
        Self(Arc::new(Shared {
            requested: AtomicBool::new(false),
            exhausted: AtomicBool::new(false),
            isolate,
            waker: AtomicWaker::new(),
            dozing: Mutex::new(None),
            is_dozing: AtomicBool::new(false),
            turn: AtomicBool::new(false),
        }))
    }

    /// The call that runs now, or the next one, fails with
    /// [`HostError::Terminated`](super::HostError::Terminated). JavaScript
    /// cannot catch it. One request ends one call.
    pub fn terminate(&self) {
        self.0.requested.store(true, Ordering::SeqCst);
        self.0.isolate.terminate_execution();
        self.0.waker.wake();
    }

    /// The same for a bundle that has used up its memory: the call fails with
    /// [`HostError::HeapLimit`](super::HostError::HeapLimit), and so does every
    /// later one.
    pub fn exhaust(&self) {
        self.0.exhausted.store(true, Ordering::SeqCst);
        self.0.isolate.terminate_execution();
        self.0.waker.wake();
    }

    /// Sleeps for that long, or until JavaScript gets its next turn.
    pub fn doze(&self, duration: Duration) {
        *self.0.dozing.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current());
        self.0.is_dozing.store(true, Ordering::SeqCst);
        if !self.is_busy() {
            thread::park_timeout(duration);
        }
        self.0.is_dozing.store(false, Ordering::SeqCst);
    }

    /// Whether JavaScript has its thread.
    pub fn is_busy(&self) -> bool {
        self.0.turn.load(Ordering::SeqCst)
    }

    /// JavaScript gets a turn, which ends with what is returned.
    pub(super) fn turn(&self) -> Turn {
        self.0.turn.store(true, Ordering::SeqCst);
        self.0.rouse();
        Turn(self.0.clone())
    }

    /// Wakes `cx` when termination is requested.
    pub(super) fn register(&self, cx: &Context<'_>) {
        self.0.waker.register(cx.waker());
    }

    pub(super) fn exhausted(&self) -> bool {
        self.0.exhausted.load(Ordering::SeqCst)
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

impl Shared {
    fn rouse(&self) {
        if self.is_dozing.load(Ordering::SeqCst)
            && let Some(dozing) = &*self.dozing.lock().unwrap_or_else(PoisonError::into_inner)
        {
            dozing.unpark();
        }
    }
}

/// JavaScript has the thread.
pub(super) struct Turn(Arc<Shared>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.turn.store(false, Ordering::SeqCst);
    }
}
