//! Where a bundle's worker is found: three files in the store's `workers/`.
//!
//! ```text
//! workers/<HASH>.json   {"pid", "socket", "protocol"}: for people; nothing here trusts it
//! workers/<HASH>.sock   the control socket, for its owner only
//! workers/<HASH>.lock   held while a worker is started, given a thread, or leaves
//! ```

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use serde::Serialize;

use super::protocol::PROTOCOL;
use crate::object::Hash;
use crate::store::lock::FileLock;
use crate::store::{IoError, Layout, durable};

/// What a socket's address can hold on every system.
const LONGEST_ADDRESS: usize = 100;

/// The files of one bundle's worker.
#[derive(Debug, Clone)]
pub struct Place {
    dir: PathBuf,
    name: String,
}

/// `workers/<HASH>.json`.
#[derive(Serialize)]
struct Announcement {
    pid: u32,
    socket: String,
    protocol: u32,
}

/// A path that leads to the socket for as long as this lives.
struct Address {
    path: PathBuf,
    _dir: Option<File>,
}

impl Place {
    /// The files of `bundle`'s worker. Touches nothing.
    pub fn new(layout: &Layout, bundle: &Hash) -> Place {
        Place { dir: layout.workers_dir(), name: bundle.to_string() }
    }

    /// The directory of all workers of the store.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The control socket.
    pub fn socket(&self) -> PathBuf {
        self.file("sock")
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.dir.join(format!("{}.{extension}", self.name))
    }

    /// Makes the directory, and closes it to other users.
    pub fn create(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)?;
        if fs::metadata(&self.dir)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(&self.dir, Permissions::from_mode(0o700))?;
        }
        Ok(())
    }

    /// Waits for the right to start the worker and to give it a thread.
    pub fn lock(&self) -> Result<FileLock, IoError> {
        FileLock::exclusive(&self.file("lock"))
    }

    /// Takes that right if nobody has it.
    pub fn try_lock(&self) -> Result<Option<FileLock>, IoError> {
        FileLock::try_exclusive(&self.file("lock"))
    }

    /// Reaches the worker; `None` when there is none.
    pub fn connect(&self) -> io::Result<Option<UnixStream>> {
        use io::ErrorKind::{ConnectionRefused, ConnectionReset, NotFound};
        let connected = self.address().and_then(|to| UnixStream::connect(&to.path));
        match connected {
            Ok(stream) => Ok(Some(stream)),
            // A killed worker leaves its socket, and nobody listens there.
            Err(e) if matches!(e.kind(), NotFound | ConnectionRefused | ConnectionReset) => {
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    /// Opens the socket in the place of one that a killed worker left.
    ///
    /// Only while no other OS thread makes files: for a moment this process's
    /// new files are closed to everybody else.
    pub fn listen(&self) -> io::Result<UnixListener> {
        remove(&self.socket())?;
        let address = self.address()?;
        let usual = rustix::process::umask(Mode::from_raw_mode(0o177));
        let listener = UnixListener::bind(&address.path);
        rustix::process::umask(usual);
        listener
    }

    /// Tells people how the worker is reached.
    pub fn announce(&self) -> Result<(), IoError> {
        let announcement = Announcement {
            pid: std::process::id(),
            socket: self.socket().to_string_lossy().into_owned(),
            protocol: PROTOCOL,
        };
        let mut text = serde_json::to_string(&announcement).expect("numbers and text");
        text.push('\n');
        durable::write_atomic(&self.file("json"), text)
    }

    /// Takes socket and announcement away. The lock file stays: removing it
    /// would let two processes hold two locks of one name.
    pub fn withdraw(&self) -> io::Result<()> {
        remove(&self.socket())?;
        remove(&self.file("json"))
    }

    /// The address of a socket holds about 100 bytes and a storage root may be
    /// longer, so the way there may lead through an open directory.
    fn address(&self) -> io::Result<Address> {
        let path = self.socket();
        if path.as_os_str().len() <= LONGEST_ADDRESS {
            return Ok(Address { path, _dir: None });
        }
        self.short_address()
    }

    #[cfg(target_os = "linux")]
    fn short_address(&self) -> io::Result<Address> {
        use std::os::fd::AsRawFd;
        let dir = File::open(&self.dir)?;
        let path = format!("/proc/self/fd/{}/{}.sock", dir.as_raw_fd(), self.name);
        Ok(Address { path: path.into(), _dir: Some(dir) })
    }

    #[cfg(not(target_os = "linux"))]
    fn short_address(&self) -> io::Result<Address> {
        Err(io::Error::new(
            io::ErrorKind::InvalidFilename,
            "the storage root's path is too long for a socket on this system",
        ))
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
