//! Whether a thread leads to a blob.

use super::Store;
use super::error::{Damage, StoreError};
use super::graph::{self, Graph};
use super::lock::FileLock;
use crate::object::{Hash, ThreadId};

/// Why nobody knows who needs a blob.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Threads may stand in what cannot be read.
    #[error("{} damaged entries in the thread index, first {}", .0.len(), .0[0])]
    DamagedIndex(Vec<Damage>),
}

/// A thread, active or completed, that leads to this blob; none where it is
/// garbage. Reads the whole store, as a collection does.
pub fn thread_that_needs(store: &Store, hash: &Hash) -> Result<Option<ThreadId>, ReachError> {
    if !store.cas().dir().is_dir() {
        return Ok(None);
    }
    let (roots, damage) = graph::roots(store, FileLock::shared_if_writable)?;
    if !damage.is_empty() {
        return Err(ReachError::DamagedIndex(damage));
    }
    let graph = Graph::load(store.cas(), &|_, _| {})?;
    let Some(wanted) = graph.number(hash) else { return Ok(None) };
    let mut marked = vec![false; graph.hashes.len()];
    for root in roots {
        let ends = [root.head, root.start];
        graph.mark(ends.iter().filter_map(|hash| graph.number(hash)), &mut marked);
        if marked[wanted as usize] {
            return Ok(Some(root.thread));
        }
    }
    Ok(None)
}
