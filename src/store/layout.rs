use std::path::{Path, PathBuf};

use crate::object::{Hash, ThreadId};

/// Where things are below a storage root (SPEC section 2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Layout {
        Layout { root: root.into() }
    }

    /// The storage root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `cas/`
    pub fn cas_dir(&self) -> PathBuf {
        self.root.join("cas")
    }

    /// `cas/<HASH>.txt`
    pub fn blob(&self, hash: &Hash) -> PathBuf {
        self.cas_dir().join(format!("{hash}.txt"))
    }

    /// `bundles/`
    pub fn bundles_dir(&self) -> PathBuf {
        self.root.join("bundles")
    }

    /// `bundles/<HASH>.esm.js`
    pub fn bundle(&self, bundle: &Hash) -> PathBuf {
        self.bundles_dir().join(format!("{bundle}.esm.js"))
    }

    /// `bundles/<HASH>.yaml`
    pub fn descriptor(&self, bundle: &Hash) -> PathBuf {
        self.bundles_dir().join(format!("{bundle}.yaml"))
    }

    /// `bundles/<HASH>.d.ts`
    pub fn types(&self, bundle: &Hash) -> PathBuf {
        self.bundles_dir().join(format!("{bundle}.d.ts"))
    }

    /// `bundles/<HASH>/`, the folder of a bundle's thread index.
    pub fn threads_dir(&self, bundle: &Hash) -> PathBuf {
        self.bundles_dir().join(bundle.as_str())
    }

    /// `bundles/<HASH>/threads.json`
    pub fn threads_json(&self, bundle: &Hash) -> PathBuf {
        self.threads_dir(bundle).join("threads.json")
    }

    /// `bundles/<HASH>/history/`
    pub fn history_dir(&self, bundle: &Hash) -> PathBuf {
        self.threads_dir(bundle).join("history")
    }

    /// `bundles/<HASH>/limits/<THREAD>.json`
    pub fn limits(&self, bundle: &Hash, thread: &ThreadId) -> PathBuf {
        self.threads_dir(bundle).join("limits").join(format!("{thread}.json"))
    }

    /// `logs/`
    pub fn logs_dir(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// `logs/<HASH>/<THREAD>.info.jsonl`
    pub fn log(&self, bundle: &Hash, thread: &ThreadId) -> PathBuf {
        self.logs_dir().join(bundle.as_str()).join(format!("{thread}.info.jsonl"))
    }

    /// `logs/<HASH>/<THREAD>.running`
    pub fn running(&self, bundle: &Hash, thread: &ThreadId) -> PathBuf {
        self.logs_dir().join(bundle.as_str()).join(format!("{thread}.running"))
    }

    /// `workers/`
    pub fn workers_dir(&self) -> PathBuf {
        self.root.join("workers")
    }

    /// `workflow.yaml`
    pub fn registry(&self) -> PathBuf {
        self.root.join("workflow.yaml")
    }
}
