//! Makes the snapshot that every isolate starts from, and embeds what
//! `uncaged-workflow init` writes for authors.
//!
//! The snapshot holds Deno's runtime and the host modules (`js/modules`, as
//! `uncaged:<path>.js`), compiled and evaluated. What of Deno's is not in it, as
//! Node's modules are, is compiled when it is first used, from texts that are
//! embedded beside it. (Node's modules as well would save 50 ms of their first
//! use, but deno_core 0.413 then compiles some of their functions from wrong
//! texts, and the web crypto objects cannot be in a snapshot.)

#[path = "src/host/polyfill_fixes.rs"]
mod polyfill_fixes;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use deno_core::{Extension, ExtensionFileSource, v8, wrap_lazy_ext_script};
use deno_runtime::ops::bootstrap::SnapshotOptions;
use deno_runtime::snapshot::{LazyExtensionFileKind, create_runtime_snapshot};
use deno_runtime::transpile::maybe_transpile_source;

use polyfill_fixes::{FIXES, Fix};

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/host/polyfill_fixes.rs");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let modules = files_below(&root.join("js/modules"), "js")?;
    let host = (String::from("host.js"), root.join("js/host/host.js"));
    println!("cargo:rerun-if-changed={}", host.1.display());
    snapshot(&out, modules.iter().chain([&host]))?;
    let mut names: Vec<&str> =
        modules.iter().map(|(name, _)| name.trim_end_matches(".js")).collect();
    names.sort_unstable();
    std::fs::write(out.join("host_modules.rs"), format!("&{names:?}"))?;
    let types = files_below(&root.join("js/types"), "ts")?;
    std::fs::write(out.join("host_types.rs"), table(&types))
}

/// Writes `snapshot.bin` and the tables `lazy_scripts.rs` and `lazy_modules.rs`.
fn snapshot<'a>(
    out: &Path,
    modules: impl Iterator<Item = &'a (String, PathBuf)>,
) -> std::io::Result<()> {
    let options = SnapshotOptions {
        ts_version: String::new(), // there is no TypeScript here
        v8_version: v8::VERSION_STRING,
        target: std::env::var("TARGET").expect("cargo sets it"),
    };
    let made = create_runtime_snapshot(out.join("snapshot.bin"), options, vec![host(modules)]);
    let in_snapshot: HashSet<String> = made.consumed_lazy_specifiers.into_iter().collect();
    let lazy = out.join("lazy");
    std::fs::create_dir_all(&lazy)?;
    let (mut scripts, mut esm) = (Vec::new(), Vec::new());
    for file in made.lazy_extension_files {
        let specifier = file.specifier;
        if in_snapshot.contains(&specifier) {
            continue;
        }
        println!("cargo:rerun-if-changed={}", file.path.display());
        let source = std::fs::read_to_string(&file.path)?;
        let (code, _) = maybe_transpile_source(specifier.clone().into(), source.into())
            .unwrap_or_else(|error| panic!("{specifier}: {error}"));
        let mut code = mended(&specifier, code.as_str());
        assert!(code.is_ascii(), "{specifier}: V8 takes only ASCII as an embedded text");
        if file.kind == LazyExtensionFileKind::Js {
            code = wrap_lazy_ext_script(&code);
        }
        let path = lazy.join(specifier.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
        std::fs::write(&path, code)?;
        match file.kind {
            LazyExtensionFileKind::Js => scripts.push((specifier, path)),
            LazyExtensionFileKind::Esm => esm.push((specifier, path)),
        }
    }
    for Fix { specifier, .. } in FIXES {
        let lazy = scripts.iter().chain(&esm).any(|(name, _)| name == specifier);
        assert!(lazy, "{specifier} is in the snapshot: a fix of it comes too late");
    }
    std::fs::write(out.join("lazy_scripts.rs"), table(&scripts))?;
    std::fs::write(out.join("lazy_modules.rs"), table(&esm))
}

/// The extension of what we put into the snapshot. `src/host/isolate.rs` names it
/// again, without files, so that both lists of extensions are the same.
fn host<'a>(modules: impl Iterator<Item = &'a (String, PathBuf)>) -> Extension {
    const ENTRY: &str = "ext:uncaged_modules/all.js";
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let mut entry = String::new();
    let mut files = Vec::new();
    for (name, path) in modules {
        writeln!(entry, "import \"uncaged:{name}\";").expect("writes to a string");
        let path = path.to_str().expect("file names of this project are UTF-8").to_owned();
        files.push(ExtensionFileSource::loaded_during_snapshot(
            leak(format!("uncaged:{name}")),
            leak(path),
        ));
    }
    files.push(ExtensionFileSource::new_computed(ENTRY, entry.into()));
    Extension {
        name: "uncaged_modules",
        esm_files: files.into(),
        esm_entry_point: Some(ENTRY),
        ..Extension::default()
    }
}

fn mended(specifier: &str, code: &str) -> String {
    let mut code = code.to_owned();
    for fix in FIXES.iter().filter(|fix| fix.specifier == specifier) {
        assert_eq!(code.matches(fix.from).count(), 1, "{specifier}: {:?}", fix.from);
        code = code.replace(fix.from, fix.to);
    }
    code
}

/// The source of a table of `(name, text of the file)`, sorted by name.
fn table(files: &[(String, PathBuf)]) -> String {
    let mut files: Vec<_> = files.iter().collect();
    files.sort();
    let rows = files.iter().map(|(name, file)| format!("({name:?}, include_str!({file:?})),\n"));
    format!("&[\n{}]", rows.collect::<String>())
}

/// The files below `folder` whose names end in `.ending`, by their paths there.
fn files_below(folder: &Path, ending: &str) -> std::io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        println!("cargo:rerun-if-changed={}", next.display());
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == ending) {
                println!("cargo:rerun-if-changed={}", path.display());
                let name = path.strip_prefix(folder).expect("found below it");
                let name = name.to_str().expect("file names of this project are UTF-8");
                found.push((name.to_owned(), path));
            }
        }
    }
    found.sort();
    Ok(found)
}
