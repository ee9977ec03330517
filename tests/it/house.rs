//! The rules of the house that a compiler does not hold.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// From the top of the map in `src/lib.rs`: a module uses only what stands above it.
const ORDER: [&str; 11] = [
    "object", "store", "history", "bundle", "llm", "host", "engine", "worker", "script", "http",
    "cli",
];

/// Every file below `folder` with this ending, and its text.
fn files(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// The module that a source file belongs to; none for `main.rs` and `lib.rs`.
fn module(path: &Path) -> Option<&'static str> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let first = path.strip_prefix(src).unwrap().components().next().unwrap();
    ORDER.into_iter().find(|name| first.as_os_str() == *name)
}

#[test]
fn a_module_uses_only_what_stands_above_it() {
    let mut broken = Vec::new();
    for (path, text) in files("src", "rs") {
        let Some(own) = module(&path) else { continue };
        let rank = |name: &str| ORDER.iter().position(|other| *other == name);
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            let used =
                line.split("crate::").skip(1).flat_map(|rest| match rest.strip_prefix('{') {
                    Some(group) => group.split(", ").collect::<Vec<_>>(),
                    None => vec![rest],
                });
            for used in used {
                let used = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
                let below = rank(used).is_some_and(|used| used > rank(own).unwrap());
                let strangers = (own, used) == ("host", "llm");
                if below || strangers {
                    broken.push(format!("{}:{}: {used}", path.display(), number + 1));
                }
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn a_log_tag_stands_at_one_place() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let sources = files("src", "rs").into_iter().chain(files("js", "js"));
    for (path, text) in sources {
        for (number, line) in text.lines().enumerate() {
            for literal in line.split('"').skip(1).step_by(2) {
                let alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
                let tag = literal.len() == 8 && literal.chars().all(|c| alphabet.contains(c));
                if tag && literal.contains(|c: char| c.is_ascii_digit()) {
                    let place = format!("{}:{}", path.display(), number + 1);
                    places.entry(literal.to_owned()).or_default().push(place);
                }
            }
        }
    }
    assert!(places.len() > 10, "{places:?}");
    places.retain(|_, places| places.len() > 1);
    assert_eq!(places, BTreeMap::new());
}

#[test]
fn only_the_host_is_unsafe_and_only_the_command_line_prints() {
    let mut broken = Vec::new();
    for (path, text) in files("src", "rs") {
        let own = module(&path);
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
            let unsafe_code = has(&["unsafe {", "unsafe fn", "unsafe impl"]);
            let prints = has(&["println!(", "eprintln!(", "print!(", "dbg!("]);
            if unsafe_code && own != Some("host") || prints && own != Some("cli") {
                broken.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn host_side_javascript_is_seven_bit() {
    let mut broken = Vec::new();
    let ours = ["js", "html", "css"].into_iter().flat_map(|ending| files("js", ending));
    for (path, text) in ours {
        if !text.is_ascii() {
            broken.push(path);
        }
    }
    assert_eq!(broken, Vec::<PathBuf>::new());
}
