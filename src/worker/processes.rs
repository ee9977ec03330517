use std::io;
use std::path::{Path, PathBuf};

use super::protocol::Environment;
use super::{Client, descendants};
use crate::engine::Processes;
use crate::object::{Hash, ThreadId};
use crate::store::{Store, causes};

/// The processes around a thread's own: its descendants, and the workers of
/// the threads that it starts.
pub struct ThreadProcesses {
    program: PathBuf,
    environment: Environment,
}

impl ThreadProcesses {
    /// `program` is this program's file; threads that this one starts get
    /// `environment`.
    pub fn new(program: impl Into<PathBuf>, environment: Environment) -> ThreadProcesses {
        ThreadProcesses { program: program.into(), environment }
    }

    fn client(&self, root: &Path) -> Client {
        Client::new(&Store::open(root), &self.program).with_environment(self.environment.clone())
    }
}

impl Processes for ThreadProcesses {
    fn end_descendants(&self) -> bool {
        descendants::end()
    }

    fn execute(&self, root: &Path, bundle: &Hash, thread: &ThreadId) -> io::Result<()> {
        self.client(root)
            .execute(bundle, thread)
            .map(drop)
            .map_err(|e| io::Error::other(causes(&e)))
    }

    fn kill(&self, root: &Path, bundle: &Hash, thread: &ThreadId) -> io::Result<()> {
        self.client(root).kill(bundle, thread).map(drop).map_err(|e| io::Error::other(causes(&e)))
    }
}
