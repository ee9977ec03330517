//! Programs of `tests/packages`: each becomes one bundle, which is run by Node
//! and by us; what it prints must be the same.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use serde::Deserialize;
use serde_json::json;

use super::env::{TestEnv, output};
use super::{npm, report};

/// What `build.mjs` says of a bundle.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Built {
    pub name: String,
    /// The version of the package of that name; none for a built-in.
    version: Option<String>,
    /// The built-ins that the bundle imports.
    pub built_ins: Vec<String>,
}

/// How a program fared.
struct Row {
    built: Built,
    sections: usize,
    /// Sections that print something else than under Node.
    different: Vec<String>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { built: Built { name, version, built_ins }, sections, different } = self;
        let word = if different.is_empty() { "ok" } else { "NO" };
        let version = version.as_deref().unwrap_or("");
        let same = sections - different.len();
        let built_ins = built_ins.join(" ");
        write!(f, "{word} {name:<20} {version:<8} {same:>2} of {sections:>2}  {built_ins}")
    }
}

/// Builds and runs all programs of `tests/packages/<folder>`, prints the table,
/// and fails with every difference. Gives what ran; nothing where npm is missing.
#[track_caller]
pub fn compare_all(folder: &str, things: &str) -> Option<Vec<Built>> {
    let package = npm::package("packages")?;
    let bundles = tempfile::tempdir().unwrap();
    let built = build(&package, folder, bundles.path());
    let server = Server::start(&package);
    let tls = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let prompt = json!({
        "http": format!("http://127.0.0.1:{}", server.port),
        "cert": tls.cert.pem(),
        "key": tls.signing_key.serialize_pem(),
    });
    let prompt = prompt.to_string();

    let rows: Mutex<BTreeMap<usize, (Row, String)>> = Mutex::default();
    let queue = Mutex::new(built.iter().enumerate());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().next();
                    let Some((index, built)) = next else { return };
                    let file = bundles.path().join(format!("{}.esm.js", built.name));
                    let told = compare(built, &file, &prompt);
                    rows.lock().unwrap().insert(index, told);
                }
            });
        }
    });

    let rows = rows.into_inner().unwrap();
    assert_eq!(rows.len(), built.len(), "a program could not be run");
    let mut table = String::new();
    let mut differences = String::new();
    for (row, difference) in rows.values() {
        table += &format!("{row}\n");
        differences += difference;
    }
    let same = rows.values().filter(|(row, _)| row.different.is_empty()).count();
    report(&format!("{table}{same} of {} {things}: the same output as Node", built.len()));
    assert!(differences.is_empty(), "{differences}");
    Some(built)
}

fn build(package: &Path, folder: &str, bundles: &Path) -> Vec<Built> {
    let source = source();
    let mut command = Command::new("node");
    command.arg(source.join("build.mjs")).arg(package).arg(source.join(folder)).arg(bundles);
    let printed = output(&mut command).ok();
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages")
}

/// The row, and what differs where.
fn compare(built: &Built, file: &Path, prompt: &str) -> (Row, String) {
    let expected = sections(&under_node(file, prompt));
    let found = sections(&under_us(file, prompt));
    let mut different = Vec::new();
    let mut differences = String::new();
    for (name, lines) in &expected {
        let fault = lines.is_empty() || lines.iter().any(|line| line.starts_with("threw "));
        assert!(!fault, "{}: {name}: the program itself is wrong: {lines:#?}", built.name);
        let ours = found.iter().find(|(other, _)| other == name).map(|(_, lines)| lines);
        if ours == Some(lines) {
            continue;
        }
        different.push(name.clone());
        differences += &format!("\n{}: {name}\n", built.name);
        let ours = ours.map_or(&[][..], Vec::as_slice);
        for index in 0..lines.len().max(ours.len()) {
            let (node, us) = (lines.get(index), ours.get(index));
            if node != us {
                let line = |text: Option<&String>| text.map_or("(nothing)", |it| it).to_owned();
                differences += &format!("  node: {}\n  us:   {}\n", line(node), line(us));
            }
        }
    }
    for (name, lines) in &found {
        if !expected.iter().any(|(other, _)| other == name) {
            differences += &format!("\n{}: {name}\n{}\n", built.name, lines.join("\n"));
        }
    }
    (Row { built: built.clone(), sections: expected.len(), different }, differences)
}

/// What a program printed, section by section.
fn sections(text: &str) -> Vec<(String, Vec<String>)> {
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(name), _) => sections.push((name.to_owned(), Vec::new())),
            (None, Some((_, lines))) => lines.push(line.to_owned()),
            (None, None) => panic!("output before the first section: {line}"),
        }
    }
    sections
}

fn under_node(file: &Path, prompt: &str) -> String {
    let env = TestEnv::new();
    let mut command = Command::new("node");
    command.arg(source().join("under-node.mjs")).arg(file).arg(prompt);
    let ours = env.command();
    command.env_clear().envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(env.work()).stdin(Stdio::null());
    let ran = output(&mut command);
    assert_eq!(ran.code, Some(0), "{}\n{}", file.display(), ran.stderr);
    ran.stdout
}

fn under_us(file: &Path, prompt: &str) -> String {
    let env = TestEnv::new();
    let ran = env.run(["run", file.to_str().unwrap(), "--prompt", prompt, "--wait"]);
    let thread = env.run(["threads"]).ok();
    let Some(thread) = thread.split('\t').next().filter(|id| !id.is_empty()) else {
        return format!("## all of it\n{}{}", ran.stdout, ran.stderr);
    };
    let shown = env.show(&thread.parse().unwrap());
    let step = &shown["steps"][0];
    let text = step["content"].as_str().unwrap();
    match step["role"].as_str() {
        Some("program") => text.to_owned(),
        _ => format!("## all of it\n{text}"),
    }
}

/// `server.mjs` in a process of its own, which goes with this.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start(package: &Path) -> Server {
        let mut command = Command::new("node");
        command.arg(source().join("server.mjs")).arg(package).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Server { process, port: line.trim().parse().unwrap() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
