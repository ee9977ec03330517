//! Embeds the host-side JavaScript: writes tables of `(name, source)`, sorted by
//! name, for `src/host/modules.rs` (paths below `js/modules` without ".js") and
//! for `uncaged-workflow init` (file names below `js/types`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    embed("js/modules", "js", |name| name.trim_end_matches(".js"), "host_modules.rs")?;
    embed("js/types", "ts", |name| name, "host_types.rs")?;
    println!("cargo:rerun-if-changed=build.rs");
    Ok(())
}

/// Writes the table of the files below `folder` whose names end in `.extension`.
fn embed(
    folder: &str,
    extension: &str,
    shown: fn(&str) -> &str,
    table_file: &str,
) -> std::io::Result<()> {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let folder = root.join(folder);
    let mut files = Vec::new();
    collect(&folder, extension, &mut files)?;
    let mut named: Vec<(String, &PathBuf)> = Vec::new();
    for file in &files {
        let path = file.strip_prefix(&folder).expect("found below it");
        let path = path.to_str().expect("file names of this project are UTF-8");
        named.push((shown(path).to_owned(), file));
    }
    named.sort();
    let mut table = String::from("&[\n");
    for (name, file) in named {
        writeln!(table, "({name:?}, include_str!({file:?})),").expect("writes to a string");
    }
    table.push(']');
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join(table_file), table)
}

fn collect(folder: &Path, wanted: &str, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, wanted, files)?;
        } else if path.extension().is_some_and(|extension| extension == wanted) {
            println!("cargo:rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}
