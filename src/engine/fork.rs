use super::thread::load_bundle;
use super::{EngineError, Limits};
use crate::history::{self, Keep};
use crate::object::{Hash, ThreadId};
use crate::store::Store;

/// A thread made from an earlier point of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forked {
    /// The new thread.
    pub thread: ThreadId,
    /// The bundle that the old thread started with, and the new one stays on.
    pub bundle: Hash,
}

/// Makes a new thread that shares the start and the kept steps of `source`
/// (SPEC section 10). It is in the store, and not yet executed, when this returns.
///
/// The new thread has the limits of the old one, but for an amount of memory that
/// is given.
pub fn fork(
    store: &Store,
    source: &ThreadId,
    keep: Keep<'_>,
    heap_limit: Option<u64>,
    now_ms: i64,
) -> Result<Forked, EngineError> {
    let Some(located) = store.find_thread(source)? else {
        return Err(EngineError::UnknownThread(source.clone()));
    };
    load_bundle(store, &located.bundle)?;
    let thread = ThreadId::generate();
    let mut limits = Limits::read(store, &located.bundle, source)?;
    limits.heap_limit = heap_limit.or(limits.heap_limit);
    limits.write(store, &located.bundle, &thread)?;
    let forked = history::fork(store, source, keep, &thread, now_ms).inspect_err(|_| {
        let _ = std::fs::remove_file(store.layout().limits(&located.bundle, &thread));
    })?;
    Ok(Forked { thread: forked.thread, bundle: forked.bundle })
}
