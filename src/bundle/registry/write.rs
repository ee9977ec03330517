use std::path::{Path, PathBuf};

use super::{Registry, RegistryError};
use crate::object::yaml;
use crate::store::durable;
use crate::store::lock::FileLock;

impl Registry {
    /// The text of the file: as the reference writes it, with one empty line at
    /// the end.
    pub fn to_text(&self) -> String {
        yaml::encode_quoted(&self.to_value()) + "\n"
    }

    /// Reads the registry at `path`, changes it and writes it back, while no
    /// other process can do the same. Where `change` fails or changes nothing,
    /// or the file cannot be read, the file stays as it is.
    pub fn update<T>(
        path: &Path,
        change: impl FnOnce(&mut Registry) -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        let _lock = FileLock::exclusive(&lock_path(path))?;
        let mut registry = Registry::load(path)?;
        let before = registry.to_value();
        let result = change(&mut registry)?;
        if registry.to_value() != before {
            durable::write_atomic(path, registry.to_text())?;
        }
        Ok(result)
    }
}

/// `workflow.yaml.lock`: the registry itself is replaced by each change, so a
/// lock on it would exclude nobody.
fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    path.with_file_name(name)
}
