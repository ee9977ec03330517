use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::{IoError, StoreError};
use super::lock::{self, FileLock};
use super::{Store, durable};
use crate::object::{Hash, ThreadId};

/// The right to execute a thread: at most one process has it, and the kernel
/// takes it back when the last holder of the descriptor is gone.
///
/// It is an exclusive lock on `logs/<HASH>/<THREAD>.running`. The file's time is
/// when the execution began; what is put while it lasts is safe from a
/// collection. Dropping a claim ends it without removing the marker, unless
/// another process inherited the descriptor.
#[derive(Debug)]
pub struct Claim {
    file: File,
    path: PathBuf,
}

/// A thread that somebody executes right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Its bundle.
    pub bundle: Hash,
    /// The thread.
    pub thread: ThreadId,
    /// When the execution began, by the clock of the file system.
    pub since: SystemTime,
}

impl Claim {
    /// The descriptor that holds the lock, closed on exec. A child process that
    /// is to share the claim gets a duplicate.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Ends the execution and removes the marker, whoever else still has the
    /// descriptor.
    pub fn release(self) -> Result<(), StoreError> {
        let _guard = FileLock::exclusive(&guard(&self.path))?;
        if same_file(&self.file, &self.path) {
            durable::remove_file(&self.path, durable::Durability::Unsynced)?;
        }
        let unlocked = self.file.unlock();
        Ok(unlocked.map_err(IoError::at("unlock", &self.path))?)
    }
}

impl Store {
    /// Claims a thread for execution; none when somebody else executes it.
    /// Comes before the first node of the execution is put.
    pub fn claim(&self, bundle: &Hash, thread: &ThreadId) -> Result<Option<Claim>, StoreError> {
        let path = self.layout.running(bundle, thread);
        // Whoever looks at a marker holds a lock on it for a moment, under the
        // guard; so with the guard the answer is final.
        let _guard = FileLock::exclusive(&guard(&path))?;
        let file = lock::open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => Err(IoError::at("lock", &path)(source))?,
        }
        durable::touch(&path)?;
        Ok(Some(Claim { file, path }))
    }

    /// Whether somebody executes the thread right now.
    pub fn is_running(&self, bundle: &Hash, thread: &ThreadId) -> Result<bool, StoreError> {
        Ok(running_since(&self.layout.running(bundle, thread))?.is_some())
    }

    /// Every thread that somebody executes right now.
    pub fn running_threads(&self) -> Result<Vec<Running>, StoreError> {
        let mut all = Vec::new();
        for dir in durable::folders(&self.layout.logs_dir())? {
            let bundle = dir.file_name().and_then(|name| name.to_str()?.parse().ok());
            let Some(bundle) = bundle else { continue };
            for name in durable::names(&dir)? {
                let thread = name.strip_suffix(".running").and_then(|name| name.parse().ok());
                let Some(thread) = thread else { continue };
                if let Some(since) = running_since(&dir.join(&name))? {
                    all.push(Running { bundle, thread, since });
                }
            }
        }
        Ok(all)
    }
}

/// When the execution began that a marker stands for; none when it is over.
fn running_since(path: &Path) -> Result<Option<SystemTime>, StoreError> {
    if !path.exists() {
        return Ok(None);
    }
    let _guard = FileLock::shared(&guard(path))?;
    let file = match OpenOptions::new().read(true).open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => Err(IoError::at("open", path)(source))?,
    };
    match file.try_lock_shared() {
        Ok(()) => {
            file.unlock().map_err(IoError::at("unlock", path))?;
            Ok(None)
        }
        Err(TryLockError::WouldBlock) => Ok(durable::modified(path)?),
        Err(TryLockError::Error(source)) => Err(IoError::at("lock", path)(source))?,
    }
}

fn guard(marker: &Path) -> PathBuf {
    durable::parent(marker).join(".claims.lock")
}

fn same_file(file: &File, path: &Path) -> bool {
    let (Ok(ours), Ok(there)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (ours.dev(), ours.ino()) == (there.dev(), there.ino())
}
