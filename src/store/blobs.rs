use std::fs::File;
use std::path::{Path, PathBuf};

use super::durable::{self, Durability, Temp};
use super::error::{IoError, StoreError};
use super::lock::{self, FileLock};
use crate::object::{ContentNode, Hash, Node, blob_refs, normalize_blob};

/// A folder of blobs, each named by the hash of its bytes: `<HASH>.txt`.
#[derive(Debug, Clone)]
pub struct Cas {
    dir: PathBuf,
    durability: Durability,
}

impl Cas {
    /// The blobs in `dir`, which need not exist yet.
    pub fn at(dir: impl Into<PathBuf>) -> Cas {
        Cas::with_durability(dir, Durability::Synced)
    }

    pub(super) fn with_durability(dir: impl Into<PathBuf>, durability: Durability) -> Cas {
        Cas { dir: dir.into(), durability }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn path(&self, hash: &Hash) -> PathBuf {
        self.dir.join(format!("{hash}.txt"))
    }

    /// Excludes the removal of blobs while one is looked at, touched or
    /// published; held for microseconds.
    pub(super) fn removal_lock(&self) -> PathBuf {
        self.dir.join(".lock")
    }

    /// Held by the one collection under way.
    pub(super) fn gc_lock(&self) -> PathBuf {
        self.dir.join(".gc.lock")
    }

    /// Stores a text: a node as it stands, anything else wrapped as a content
    /// node. It and what it refers to are safe from a collection under way.
    pub fn put(&self, text: &str) -> Result<Hash, StoreError> {
        let text = normalize_blob(text);
        let refs = blob_refs(&text).into_iter().filter_map(|text| text.parse().ok());
        self.protect(refs)?;
        self.write(&text)
    }

    /// Stores a node, with the same promises.
    pub fn put_node(&self, node: &Node) -> Result<Hash, StoreError> {
        match node {
            Node::Start(start) => self.protect([start.prompt])?,
            // The ancestors hang on the thread's head, which is a root.
            Node::State(state) => {
                let refs = [state.content].into_iter().chain(state.compact);
                self.protect(refs.chain(state.child_thread))?;
            }
            Node::Content(ContentNode { refs, .. }) | Node::Other { refs, .. } => {
                self.protect(refs.iter().filter_map(|text| text.parse().ok()))?;
            }
        }
        self.write(&node.encode())
    }

    fn protect(&self, refs: impl IntoIterator<Item = Hash>) -> Result<(), StoreError> {
        let mut refs = refs.into_iter().peekable();
        if refs.peek().is_none() {
            return Ok(());
        }
        let _lock = FileLock::shared(&self.removal_lock())?;
        for hash in refs {
            durable::touch(&self.path(&hash))?;
        }
        Ok(())
    }

    /// Stores `text` byte for byte.
    fn write(&self, text: &str) -> Result<Hash, StoreError> {
        let hash = Hash::of(text);
        let path = self.path(&hash);
        let lock = FileLock::shared(&self.removal_lock())?;
        if let Some(bytes) = durable::read(&path)? {
            if bytes == text.as_bytes() {
                durable::touch(&path)?;
                drop(lock);
                self.settle(&path)?;
                return Ok(hash);
            }
            if Hash::of(&bytes) == hash {
                return Err(StoreError::Collision { hash });
            }
        }
        drop(lock);
        loop {
            let temp = Temp::write(&path, text.as_bytes(), None, self.durability)?;
            let _lock = FileLock::shared(&self.removal_lock())?;
            if temp.publish()? {
                break;
            }
        }
        durable::sync_dir(&self.dir, self.durability)?;
        Ok(hash)
    }

    /// Waits until a blob that another writer published is on the disk: that
    /// writer may not have come so far, or may never have cared.
    fn settle(&self, path: &Path) -> Result<(), IoError> {
        if self.durability == Durability::Synced {
            let synced = File::open(path).and_then(|file| file.sync_data());
            synced.map_err(IoError::at("sync", path))?;
        }
        durable::sync_dir(&self.dir, self.durability)
    }

    /// The text of a blob; none when there is none.
    pub fn get(&self, hash: &Hash) -> Result<Option<String>, StoreError> {
        let path = self.path(hash);
        let Some(bytes) = durable::read(&path)? else { return Ok(None) };
        if Hash::of(&bytes) != *hash {
            return Err(StoreError::Damaged { hash: *hash, path });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(StoreError::Damaged { hash: *hash, path }),
        }
    }

    /// The same for a caller that may go on to refer to the blob: it is
    /// [touched](Cas::touch) before, where that is allowed.
    pub fn get_protected(&self, hash: &Hash) -> Result<Option<String>, StoreError> {
        match self.touch(hash) {
            Ok(_) => {}
            Err(StoreError::Io(e)) if lock::forbidden(&e.source) => {}
            Err(e) => return Err(e),
        }
        self.get(hash)
    }

    /// What a blob means; none when there is none.
    pub fn node(&self, hash: &Hash) -> Result<Option<Node>, StoreError> {
        let Some(text) = self.get(hash)? else { return Ok(None) };
        let node = Node::decode(&text);
        node.map(Some).map_err(|source| StoreError::NotANode { hash: *hash, source })
    }

    /// Removes a blob, whoever refers to it; false when there was none.
    pub fn delete(&self, hash: &Hash) -> Result<bool, StoreError> {
        let path = self.path(hash);
        if !path.exists() {
            return Ok(false);
        }
        let _lock = FileLock::exclusive(&self.removal_lock())?;
        Ok(durable::remove_file(&path, self.durability)?)
    }

    /// Every blob, sorted.
    pub fn list(&self) -> Result<Vec<Hash>, StoreError> {
        let names = durable::names(&self.dir)?;
        Ok(names.iter().filter_map(|name| blob_name(name)).collect())
    }

    /// Protects a blob, and all that it refers to, from a collection under way
    /// or one that begins while the caller's claim lasts; false when it is gone.
    ///
    /// Whoever has read a blob in order to refer to it calls this before.
    pub fn touch(&self, hash: &Hash) -> Result<bool, StoreError> {
        let path = self.path(hash);
        if !path.exists() {
            return Ok(false);
        }
        let _lock = FileLock::shared(&self.removal_lock())?;
        Ok(durable::touch(&path)?)
    }
}

/// The hash that a file of the folder is named by.
fn blob_name(name: &str) -> Option<Hash> {
    let stem = name.strip_suffix(".txt")?;
    let hash: Hash = stem.parse().ok()?;
    (hash.as_str() == stem).then_some(hash)
}
