//! Bytes on disk.

/// A store.
#[derive(Clone)]
pub struct Store;
