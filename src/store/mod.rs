//! Bytes on disk: blobs, the thread index, gc, verify, locks.
//!
//! Formats: SPEC sections 2, 4, 5 and 11. Whatever is written here is durable
//! before the call returns, in the order content, state, index; so a crash at
//! any point leaves garbage for [`gc`] and never a head that points at nothing.
//!
//! # Locks
//!
//! All are `flock` locks on files made for that and never renamed or read, so
//! they die with their process. Taken in this order:
//!
//! | file | held |
//! | --- | --- |
//! | `cas/.gc.lock` | by the one collection under way; shared by `verify` |
//! | `logs/<HASH>/.claims.lock` | while a claim is taken, released or looked at |
//! | `bundles/<HASH>/threads.lock` | while `threads.json` or `history/` changes |
//! | `workflow.yaml.lock` | while the registry changes |
//! | `cas/.lock` | shared to look at, touch or publish a blob; exclusive to remove |

mod blobs;
mod claim;
mod completed;
pub mod durable;
mod error;
pub mod gc;
mod graph;
mod index;
mod layout;
pub mod lock;
mod locked;
pub mod reach;
mod threads;
pub mod verify;

pub use blobs::Cas;
pub use claim::{Claim, Running};
pub use durable::Durability;
pub use error::{Damage, IoError, StoreError, causes};
pub use layout::Layout;
pub use threads::{CompletedThread, Listing, Located, Record, ThreadEntry};

use std::path::PathBuf;

use crate::object::{Hash, Node};

/// A storage root. Cheap to clone; any number of processes may use one at once.
#[derive(Debug, Clone)]
pub struct Store {
    layout: Layout,
    cas: Cas,
    durability: Durability,
}

impl Store {
    /// The store at `root`. Nothing is created until something is written.
    pub fn open(root: impl Into<PathBuf>) -> Store {
        Store::with_durability(root, Durability::Synced)
    }

    /// The same, with a say in whether writes wait for the disk.
    pub fn with_durability(root: impl Into<PathBuf>, durability: Durability) -> Store {
        let layout = Layout::new(root);
        let cas = Cas::with_durability(layout.cas_dir(), durability);
        Store { layout, cas, durability }
    }

    /// Where things are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The blobs.
    pub fn cas(&self) -> &Cas {
        &self.cas
    }

    /// See [`Cas::put`].
    pub fn put(&self, text: &str) -> Result<Hash, StoreError> {
        self.cas.put(text)
    }

    /// See [`Cas::put_node`].
    pub fn put_node(&self, node: &Node) -> Result<Hash, StoreError> {
        self.cas.put_node(node)
    }

    /// See [`Cas::get`].
    pub fn get(&self, hash: &Hash) -> Result<Option<String>, StoreError> {
        self.cas.get(hash)
    }

    /// See [`Cas::get_protected`].
    pub fn get_protected(&self, hash: &Hash) -> Result<Option<String>, StoreError> {
        self.cas.get_protected(hash)
    }

    /// See [`Cas::node`].
    pub fn node(&self, hash: &Hash) -> Result<Option<Node>, StoreError> {
        self.cas.node(hash)
    }

    /// See [`Cas::delete`].
    pub fn delete(&self, hash: &Hash) -> Result<bool, StoreError> {
        self.cas.delete(hash)
    }

    /// See [`Cas::list`].
    pub fn list(&self) -> Result<Vec<Hash>, StoreError> {
        self.cas.list()
    }

    /// See [`Cas::touch`].
    pub fn touch(&self, hash: &Hash) -> Result<bool, StoreError> {
        self.cas.touch(hash)
    }
}
