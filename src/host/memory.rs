//! Bounds the memory that V8's own heap limit leaves out: array buffers, and what
//! V8 cannot do without when it is at its end.

use std::alloc::{self, Layout};
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use deno_core::v8;

use super::interrupt::InterruptHandle;

/// As aligned as C's `malloc`, on which V8 counts.
const ALIGN: usize = 16;
/// V8 collects garbage between its attempts; after so many in a row nothing is
/// left to be freed (`Heap::AllocateExternalBackingStore`: at most four).
const ATTEMPTS: usize = 4;

/// The array buffers of one isolate.
pub(super) struct Buffers {
    limit: usize,
    used: AtomicUsize,
    /// Refusals since the last success.
    refusals: AtomicUsize,
    interrupt: OnceLock<InterruptHandle>,
}

impl Buffers {
    pub(super) fn new(limit: usize) -> Arc<Buffers> {
        Arc::new(Buffers {
            limit,
            used: AtomicUsize::new(0),
            refusals: AtomicUsize::new(0),
            interrupt: OnceLock::new(),
        })
    }

    /// Whom to tell when the limit is reached.
    pub(super) fn watch(&self, interrupt: InterruptHandle) {
        let _ = self.interrupt.set(interrupt);
    }

    /// Whether the last buffer that was asked for could not be had.
    pub(super) fn refused(&self) -> bool {
        self.refusals.load(Ordering::Relaxed) > 0
    }

    /// What V8 allocates its array buffers with.
    pub(super) fn allocator(self: &Arc<Self>) -> v8::UniqueRef<v8::Allocator> {
        // SAFETY: the handle is an `Arc` of the type that the functions of the
        // table take; `drop_buffers` gives it back.
        unsafe { v8::new_rust_allocator(Arc::into_raw(self.clone()), &VTABLE) }
    }

    fn allocate(&self, length: usize, make: unsafe fn(Layout) -> *mut u8) -> *mut c_void {
        let before = self.used.fetch_add(length, Ordering::Relaxed);
        let fits = before.checked_add(length).is_some_and(|used| used <= self.limit);
        let made = match layout(length).filter(|_| fits) {
            // SAFETY: a layout is never of size 0.
            Some(layout) => unsafe { make(layout) },
            None => std::ptr::null_mut(),
        };
        if made.is_null() {
            self.used.fetch_sub(length, Ordering::Relaxed);
            let refusals = self.refusals.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(interrupt) = self.interrupt.get().filter(|_| refusals >= ATTEMPTS) {
                interrupt.exhaust();
            }
        } else {
            self.refusals.store(0, Ordering::Relaxed);
        }
        made.cast()
    }
}

fn layout(length: usize) -> Option<Layout> {
    Layout::from_size_align(length.max(1), ALIGN).ok()
}

static VTABLE: v8::RustAllocatorVtable<Buffers> =
    v8::RustAllocatorVtable { allocate, allocate_uninitialized, free, drop: drop_buffers };

unsafe extern "C" fn allocate(buffers: &Buffers, length: usize) -> *mut c_void {
    buffers.allocate(length, alloc::alloc_zeroed)
}

unsafe extern "C" fn allocate_uninitialized(buffers: &Buffers, length: usize) -> *mut c_void {
    buffers.allocate(length, alloc::alloc)
}

unsafe extern "C" fn free(buffers: &Buffers, data: *mut c_void, length: usize) {
    let Some(layout) = layout(length).filter(|_| !data.is_null()) else { return };
    buffers.used.fetch_sub(length, Ordering::Relaxed);
    // SAFETY: V8 gives back what it got from here, with the length it asked for.
    unsafe { alloc::dealloc(data.cast(), layout) };
}

unsafe extern "C" fn drop_buffers(buffers: *const Buffers) {
    // SAFETY: made by `Arc::into_raw` in `Buffers::allocator`, and dropped once.
    drop(unsafe { Arc::from_raw(buffers) });
}

type LastWords = Box<dyn Fn() + Send + Sync>;

static LAST_WORDS: OnceLock<LastWords> = OnceLock::new();

/// What to do when V8 is out of memory with no way back, which it tells right
/// before it ends the process. For a process that runs one bundle; the first call
/// counts.
pub fn on_fatal_memory(last_words: impl Fn() + Send + Sync + 'static) {
    let _ = LAST_WORDS.set(Box::new(last_words));
}

/// To be called by V8.
pub(super) unsafe extern "C" fn fatal(_location: *const c_char, _details: &v8::OomDetails) {
    if let Some(last_words) = LAST_WORDS.get() {
        last_words();
    }
}
