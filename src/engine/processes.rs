use std::io;
use std::path::Path;

use crate::object::{Hash, ThreadId};

/// The processes around a thread's own, as its engine needs them. The worker
/// implements this; the engine knows nothing of sockets.
pub trait Processes: Send + Sync {
    /// Ends every process that this thread has started, with all descendants. Tells
    /// whether there were any.
    fn end_descendants(&self) -> bool;

    /// Has an active thread of a store executed by its bundle's worker. Blocks
    /// until that worker has taken it.
    fn execute(&self, root: &Path, bundle: &Hash, thread: &ThreadId) -> io::Result<()>;

    /// Asks for the end of a thread of a store.
    fn kill(&self, root: &Path, bundle: &Hash, thread: &ThreadId) -> io::Result<()>;
}
