//! Embeds the host-side JavaScript under `js/modules`: writes a table of
//! `(path below js/modules without ".js", source)` for `src/host/modules.rs`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let modules = root.join("js/modules");
    let mut files = Vec::new();
    if modules.is_dir() {
        collect(&modules, &mut files)?;
    }
    let name = |file: &PathBuf| {
        let path = file.strip_prefix(&modules).expect("found below it").with_extension("");
        path.to_str().expect("file names of this project are UTF-8").to_owned()
    };
    files.sort_by_key(name);
    let mut table = String::from("&[\n");
    for file in &files {
        let name = name(file);
        writeln!(table, "({name:?}, include_str!({file:?})),").expect("writes to a string");
    }
    table.push(']');
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("host_modules.rs"), table)?;
    println!("cargo:rerun-if-changed=js/modules");
    println!("cargo:rerun-if-changed=build.rs");
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "js") {
            files.push(path);
        }
    }
    Ok(())
}
