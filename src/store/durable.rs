//! Files that are wholly there or not at all, also after a power cut.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::NamedTempFile;

use super::error::IoError;

/// How the name of every temporary file ends; it begins with a dot.
pub(super) const TEMP_SUFFIX: &str = ".tmp";

/// Whether a write waits until the disk has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives a power cut once the call has returned.
    Synced,
    /// Survives the end of the process, not that of the machine. For
    /// measurements, and for tests that write much.
    Unsynced,
}

/// A system call that changes the disk, named to the hook before it is made.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteStep {
    CreateDir,
    CreateTemp,
    Write,
    SyncFile,
    Rename,
    SyncDir,
    Append,
    Touch,
    Remove,
}

static HOOK: OnceLock<fn(WriteStep, &Path)> = OnceLock::new();

/// Calls `hook` before each writing system call of this process. For crash
/// tests, which end the process there; can be set once.
#[doc(hidden)]
pub fn on_write(hook: fn(WriteStep, &Path)) {
    assert!(HOOK.set(hook).is_ok(), "the hook is set once");
}

pub(super) fn step(step: WriteStep, path: &Path) {
    if let Some(hook) = HOOK.get() {
        hook(step, path);
    }
}

/// Replaces the file at `path`: a reader sees the old bytes or the new ones,
/// and once this returns a power cut does not undo it.
///
/// Follows a symbolic link, keeps the permissions of the file that was there
/// and creates the folders above it. Writers that read before they write hold
/// a [`super::lock::FileLock`].
pub fn write_atomic(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), IoError> {
    replace(path, bytes.as_ref(), Durability::Synced)
}

pub(super) fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), IoError> {
    let linked = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    let target = if linked { fs::canonicalize(path).ok() } else { None };
    let target = target.as_deref().unwrap_or(path);
    let mode = fs::metadata(target).ok().map(|meta| meta.permissions());
    loop {
        let temp = Temp::write(target, bytes, mode.clone(), durability)?;
        if temp.publish()? {
            break;
        }
    }
    sync_dir(parent(target), durability)
}

/// A finished temporary file beside the one that it will replace.
///
/// Its writer holds a lock on it, so that the sweep of [`super::gc`] can tell it
/// from one whose writer died.
pub(super) struct Temp<'a> {
    file: NamedTempFile,
    target: &'a Path,
}

impl<'a> Temp<'a> {
    pub(super) fn write(
        target: &'a Path,
        bytes: &[u8],
        mode: Option<Permissions>,
        durability: Durability,
    ) -> Result<Temp<'a>, IoError> {
        let dir = parent(target);
        let mut file = match create_temp(target, dir) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                create_dir_all(dir)?;
                create_temp(target, dir)
            }
            other => other,
        }
        .map_err(IoError::at("create a temporary file for", target))?;
        let _ = file.as_file().try_lock_shared();
        // First: nobody may read from the new file what the old one kept secret.
        if let Some(mode) = mode {
            let set = file.as_file().set_permissions(mode);
            set.map_err(IoError::at("set the permissions of", file.path()))?;
        }
        step(WriteStep::Write, file.path());
        let written = file.write_all(bytes);
        written.map_err(IoError::at("write", file.path()))?;
        if durability == Durability::Synced {
            step(WriteStep::SyncFile, file.path());
            file.as_file().sync_all().map_err(IoError::at("sync", file.path()))?;
        }
        Ok(Temp { file, target })
    }

    /// Gives the file its name. False when a sweep took it for an orphan's in
    /// the moment before it was locked: then it is to be written again.
    pub(super) fn publish(self) -> Result<bool, IoError> {
        step(WriteStep::Rename, self.target);
        match self.file.persist(self.target) {
            Ok(_) => Ok(true),
            Err(e) if e.error.kind() == io::ErrorKind::NotFound && parent(self.target).is_dir() => {
                Ok(false)
            }
            Err(e) => Err(IoError::at("replace", self.target)(e.error)),
        }
    }
}

fn create_temp(target: &Path, dir: &Path) -> io::Result<NamedTempFile> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    step(WriteStep::CreateTemp, target);
    tempfile::Builder::new()
        .prefix(&format!(".{name}."))
        .suffix(TEMP_SUFFIX)
        .rand_bytes(16)
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(dir)
}

pub(super) fn append(path: &Path, line: &str, durability: Durability) -> Result<(), IoError> {
    if let Some(dir) = path.parent()
        && !dir.is_dir()
    {
        create_dir_all(dir)?;
    }
    let new = !path.exists();
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .map_err(IoError::at("open", path))?;
    let at_read = || IoError::at("read", path);
    let length = file.metadata().map_err(at_read())?.len();
    let mut bytes = Vec::with_capacity(line.len() + 2);
    if length > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(length - 1)).map_err(at_read())?;
        file.read_exact(&mut last).map_err(at_read())?;
        if last != *b"\n" {
            bytes.push(b'\n');
        }
    }
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    step(WriteStep::Append, path);
    if let Err(source) = file.write_all(&bytes) {
        // A full disk took half a line: without it the file is as it was.
        let _ = file.set_len(length);
        return Err(IoError::at("append to", path)(source));
    }
    if durability == Durability::Synced {
        step(WriteStep::SyncFile, path);
        file.sync_all().map_err(IoError::at("sync", path))?;
    }
    if new { sync_dir(parent(path), durability) } else { Ok(()) }
}

/// Creates a folder and those above it, so that a power cut does not undo it.
pub fn create_dir_all(dir: &Path) -> Result<(), IoError> {
    let mut missing: Vec<&Path> = Vec::new();
    let mut at = dir;
    while !at.as_os_str().is_empty() && !at.is_dir() {
        missing.push(at);
        match at.parent() {
            Some(parent) => at = parent,
            None => break,
        }
    }
    for dir in missing.into_iter().rev() {
        step(WriteStep::CreateDir, dir);
        match fs::create_dir(dir) {
            Ok(()) => sync_dir(parent(dir), Durability::Synced)?,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
            Err(source) => return Err(IoError::at("create folder", dir)(source)),
        }
    }
    Ok(())
}

/// Removes a file; false when there was none.
pub(super) fn remove_file(path: &Path, durability: Durability) -> Result<bool, IoError> {
    step(WriteStep::Remove, path);
    match fs::remove_file(path) {
        Ok(()) => sync_dir(parent(path), durability).map(|()| true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(IoError::at("remove", path)(source)),
    }
}

/// Makes the names in a folder durable.
pub(super) fn sync_dir(dir: &Path, durability: Durability) -> Result<(), IoError> {
    if durability == Durability::Unsynced {
        return Ok(());
    }
    step(WriteStep::SyncDir, dir);
    let synced = File::open(dir).and_then(|dir| dir.sync_all());
    synced.map_err(IoError::at("sync folder", dir))
}

/// Removes temporary files that a dead writer left in `dir` before `before`.
pub(super) fn sweep_temps(dir: &Path, before: std::time::SystemTime) -> Result<(), IoError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(IoError::at("read folder", dir)(source)),
    };
    for entry in entries {
        let entry = entry.map_err(IoError::at("read folder", dir))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !(name.starts_with('.') && name.ends_with(TEMP_SUFFIX)) {
            continue;
        }
        let path = entry.path();
        let Ok(file) = File::open(&path) else { continue };
        let old = file.metadata().and_then(|meta| meta.modified()).is_ok_and(|at| at < before);
        if old && file.try_lock().is_ok() {
            remove_file(&path, Durability::Unsynced)?;
        }
    }
    Ok(())
}

/// The folder of a file; `.` for a bare name.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

/// Reads a file; none when there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, IoError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(IoError::at("read", path)(source)),
    }
}

/// The names in a folder, sorted; empty when there is none.
pub(super) fn names(dir: &Path) -> Result<Vec<String>, IoError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(IoError::at("read folder", dir)(source)),
    };
    let names = entries.map(|entry| entry.map(|e| e.file_name()));
    let names: io::Result<Vec<_>> = names.collect();
    let mut names: Vec<String> = names
        .map_err(IoError::at("read folder", dir))?
        .into_iter()
        .filter_map(|name| name.into_string().ok())
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// Sets a file's time to the file system's own present; false when there is none.
///
/// Not `File::set_modified`: the kernel stamps files by a clock of its own that
/// lags the one which programs read, and the two must not be compared.
pub(super) fn touch(path: &Path) -> Result<bool, IoError> {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, utimensat};
    let times = Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
    };
    step(WriteStep::Touch, path);
    match utimensat(CWD, path, &times, AtFlags::empty()) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::NOENT) => Ok(false),
        Err(e) => Err(IoError::at("touch", path)(e.into())),
    }
}

/// When a file last changed; none when there is none.
pub(super) fn modified(path: &Path) -> Result<Option<std::time::SystemTime>, IoError> {
    match fs::metadata(path).and_then(|meta| meta.modified()) {
        Ok(at) => Ok(Some(at)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(IoError::at("look at", path)(source)),
    }
}

/// `dir` joined with each of its names that is a folder.
pub(super) fn folders(dir: &Path) -> Result<Vec<PathBuf>, IoError> {
    let paths = names(dir)?.into_iter().map(|name| dir.join(name));
    Ok(paths.filter(|path| path.is_dir()).collect())
}
