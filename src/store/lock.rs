//! Advisory locks between processes, on files made for that.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::durable;
use super::error::IoError;

/// A `flock` lock, given back when dropped or when the process dies.
///
/// The file is created when it is not there and never removed: a lock on a
/// removed file would exclude nobody.
#[derive(Debug)]
pub struct FileLock {
    file: File,
    path: PathBuf,
}

impl FileLock {
    /// Waits until nobody else holds the lock.
    pub fn exclusive(path: &Path) -> Result<FileLock, IoError> {
        let file = open(path)?;
        file.lock().map_err(IoError::at("lock", path))?;
        Ok(FileLock { file, path: path.to_owned() })
    }

    /// Waits until nobody holds the lock exclusively.
    pub fn shared(path: &Path) -> Result<FileLock, IoError> {
        let file = open(path)?;
        file.lock_shared().map_err(IoError::at("lock", path))?;
        Ok(FileLock { file, path: path.to_owned() })
    }

    /// The same for a reader: none where the lock's file may not be made, so that
    /// a store which cannot be written can be looked at.
    pub(super) fn shared_if_writable(path: &Path) -> Result<Option<FileLock>, IoError> {
        match FileLock::shared(path) {
            Err(e) if forbidden(&e.source) => Ok(None),
            other => other.map(Some),
        }
    }

    /// The exclusive lock if it is free right now.
    pub fn try_exclusive(path: &Path) -> Result<Option<FileLock>, IoError> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(FileLock { file, path: path.to_owned() })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(IoError::at("lock", path)(source)),
        }
    }

    /// The file that the lock is on.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for FileLock {
    /// Unlocks by name: a child forked meanwhile shares the open file, and
    /// closing our copy alone would leave the lock with it.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// Whether we may read here at most.
pub(super) fn forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Opens a lock file, with the folders above it.
pub(super) fn open(path: &Path) -> Result<File, IoError> {
    let try_open =
        || OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    match try_open() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if let Some(parent) = path.parent() {
                durable::create_dir_all(parent)?;
            }
            try_open()
        }
        other => other,
    }
    .map_err(IoError::at("open", path))
}
