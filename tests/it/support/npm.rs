//! Packages from npm that tests hold our work against.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The folder of `tests/npm/<name>` with its packages installed, made once in the
/// target folder. `None`, and a loud word, where npm cannot install them; with
/// `UNCAGED_TEST_REQUIRE_NPM=1` that is a failure instead.
pub fn package(name: &str) -> Option<PathBuf> {
    package_in(&format!("tests/npm/{name}"))
}

/// The same for any folder of the project that has a package.json.
pub fn package_in(folder: &str) -> Option<PathBuf> {
    static KNOWN: Mutex<BTreeMap<String, Result<PathBuf, String>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match known.entry(folder.to_owned()).or_insert_with(|| install(folder)) {
        Ok(dir) => Some(dir.clone()),
        Err(reason) if std::env::var_os("UNCAGED_TEST_REQUIRE_NPM").is_some_and(|v| v == "1") => {
            panic!("npm packages of {folder} are required: {reason}")
        }
        Err(reason) => {
            super::report(&format!("SKIPPED: no npm packages of {folder}: {reason}"));
            None
        }
    }
}

/// Copies the package and runs `npm ci` in the copy, unless that has been done
/// with the same lock file. Other test processes wait meanwhile.
fn install(folder: &str) -> Result<PathBuf, String> {
    Command::new("node").arg("--version").output().map_err(|e| format!("node: {e}"))?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let name = source.file_name().unwrap().to_str().unwrap();
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("npm");
    let dir = all.join(name);
    fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
    let lock = File::create(all.join(format!("{name}.lock"))).map_err(|e| e.to_string())?;
    lock.lock().map_err(|e| e.to_string())?;
    copy(&source, &dir).map_err(|e| e.to_string())?;
    let wanted = fs::read(source.join("package-lock.json")).map_err(|e| e.to_string())?;
    let stamp = dir.join("installed.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(dir);
    }
    let output = Command::new("npm")
        .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1"])
        .current_dir(&dir)
        .output()
        .map_err(|e| format!("npm: {e}"))?;
    if !output.status.success() {
        return Err(format!("npm ci: {}", String::from_utf8_lossy(&output.stderr)));
    }
    fs::write(&stamp, wanted).map_err(|e| e.to_string())?;
    Ok(dir)
}

/// Copies a package's own files; what was installed or built beside them stays.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if entry.is_file() {
            fs::copy(&entry, to.join(name))?;
        } else if name != "node_modules" && name != "dist" {
            copy(&entry, &to.join(name))?;
        }
    }
    Ok(())
}

/// Runs a script of an installed package with these lines as input; one line of
/// output for each.
pub fn run_script(package: &Path, script: &str, lines: &[String]) -> Vec<String> {
    let mut input = tempfile::NamedTempFile::new().unwrap();
    for line in lines {
        writeln!(input, "{line}").unwrap();
    }
    let output = Command::new("node")
        .arg(script)
        .current_dir(package)
        .stdin(File::open(input.path()).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<String> =
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), lines.len());
    answers
}
