//! The documents, held against the program: every command block is run and its
//! output compared, every bundle in them is checked.
//!
//! How a command's output is compared is said in `support::console`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::console::Run;
use crate::support::env::TestEnv;
use crate::support::npm;

/// Command lines that stand in a document and are not run, and why.
const NOT_RUN: [(&str, &str); 7] = [
    ("make demo", "builds the program; .ci/run runs it"),
    ("make test", "runs these tests"),
    ("make release", "builds the program for half an hour"),
    ("alias uncaged-workflow=", "names what `make release` built"),
    ("npm ", "run by tests/it/init.rs in a folder that `init` made"),
    ("uncaged-workflow run examples/triage/dist/", "run by tests/it/examples.rs with a model"),
    ("uncaged-workflow ", "in what `init` and `skill` write: only parsed here"),
];

#[derive(Debug)]
struct Block {
    language: String,
    text: String,
    /// The file that the document calls the block.
    file: Option<String>,
}

fn read(document: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The fenced blocks of a document, and the lines of indented ones.
fn blocks(text: &str) -> (Vec<Block>, Vec<String>) {
    let (mut fenced, mut indented, mut file) = (Vec::new(), Vec::new(), None);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("<!-- file: ") {
            file = name.strip_suffix(" -->").map(str::to_owned);
        } else if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let (language, text) = (language.to_owned(), text.join("\n") + "\n");
            fenced.push(Block { language, text, file: file.take() });
        } else if let Some(code) = line.strip_prefix("    ") {
            indented.push(code.to_owned());
        }
    }
    (fenced, indented)
}

/// Commands of a console block with what they print.
fn commands(block: &str) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for line in block.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command.to_owned(), Vec::new())),
            None => {
                let (_, printed) = commands.last_mut().expect("a block begins with a command");
                printed.push(line.to_owned());
            }
        }
    }
    commands
}

#[track_caller]
fn run_document(document: &str) -> usize {
    let (blocks, _) = blocks(&read(document));
    let (mut run, mut count) = (Run::new(), 0);
    for block in blocks {
        if let Some(file) = &block.file {
            run.env.write(file, &block.text);
        }
        if block.language != "console" {
            continue;
        }
        for (line, printed) in commands(&block.text) {
            let needs_npm = line.contains("npm ") || line.contains("triage/dist/");
            if needs_npm && npm::package_in("examples/triage").is_none() {
                continue;
            }
            run.command(&line, &printed);
            count += 1;
        }
    }
    count
}

#[test]
fn the_tour_of_the_readme_prints_what_it_shows() {
    assert!(run_document("README.md") >= 15);
}

#[test]
fn the_examples_print_what_their_page_shows() {
    assert!(run_document("examples/README.md") >= 2);
}

#[test]
fn a_document_that_lies_is_found_out() {
    let mut run = Run::new();
    let same = |run: &mut Run, wanted: &str, found: &str| run.same_line(wanted, found);
    let (one, two) = ("01M8PY4Z8MNP0ZWMN6G1GW1G25", "01M8PY4ZJ35G316XB9N7XWANXP");
    let (real, other) = ("01KAAAAAAAAAAAAAAAAAAAAAAA", "01KBBBBBBBBBBBBBBBBBBBBBBB");
    assert!(same(&mut run, &format!("{one}\tx"), &format!("{real}\tx")));
    assert!(!same(&mut run, one, other), "an id has one meaning");
    assert!(!same(&mut run, two, real), "and a meaning one id");
    assert!(same(&mut run, two, other));
    assert!(same(&mut run, "19:15:47 poet", "01:02:03 poet"));
    assert!(!same(&mut run, "19:15:47 poet", "01:02:03 critic"));
    assert!(same(&mut run, "failed: … now", "failed: never now"));
    assert!(!same(&mut run, "failed: … now", "failed: never"));
    assert!(!run.same_lines(&["a"], &["a", "b"]), "output that is not shown");
    assert!(!run.same_lines(&["a", "b"], &["a"]), "output that does not come");
    assert!(run.same_lines(&["a", "…", "c"], &["a", "b", "b", "c"]));
    let content = run.env.store().put("text").unwrap();
    assert!(!same(&mut run, "AAAAAAAAAAAAA", content.as_str()), "contents have their own hash");
    assert!(same(&mut run, content.as_str(), content.as_str()));
    assert_eq!(
        run.real_line(&format!("thread {} --last 1", &one[..20])),
        format!("thread {real} --last 1")
    );
}

/// What people and coding agents read.
fn documents() -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> =
        ["README.md", "examples/README.md", "js/skill/author.md", "js/skill/develop.md"]
            .map(|name| (name.to_owned(), read(name)))
            .into();
    for folder in ["workspace", "script"] {
        for name in ["README.md", "AGENTS.md"] {
            let name = format!("js/init/{folder}/{name}");
            found.push((name.clone(), read(&name)));
        }
    }
    found
}

#[test]
fn every_command_in_a_document_is_run_or_left_out_for_a_reason() {
    for (name, text) in documents() {
        let (fenced, indented) = blocks(&text);
        for block in fenced {
            let known = ["console", "js", "ts", "yaml", "sh"].contains(&block.language.as_str());
            assert!(known, "{name}: a block of {:?}", block.language);
            // Places for the examples of a command's help, which tests/it/help.rs parses.
            let places = block.text.lines().all(|line| line.starts_with("{{"));
            assert!(block.language != "sh" || places, "{name}: {}", block.text);
        }
        for line in indented.iter().filter(|line| !line.is_empty()) {
            let reason = NOT_RUN.iter().find(|(start, _)| line.starts_with(start));
            let esbuild = line.starts_with("npx esbuild ");
            assert!(reason.is_some() || esbuild || line.starts_with("- "), "{name}: {line}");
            if line.starts_with("uncaged-workflow ") {
                let line = line.split(" #").next().unwrap().replace("NAME", "name");
                parses(&name, &line);
            }
        }
    }
}

fn parses(name: &str, line: &str) {
    let words = crate::help::words(line);
    let parsed = uncaged_workflow::cli::command().try_get_matches_from(words);
    assert!(parsed.is_ok(), "{name}: {line}: {}", parsed.unwrap_err());
}

#[test]
fn every_bundle_in_a_document_passes_its_checks() {
    let (env, mut count) = (TestEnv::new(), 0);
    for (name, text) in documents() {
        let (fenced, _) = blocks(&text);
        for block in fenced.iter().filter(|b| b.language == "js" && !b.text.starts_with("{{")) {
            env.write("block.esm.js", &block.text);
            let checked = env.run(["check", "block.esm.js", "--json"]);
            let report: serde_json::Value = serde_json::from_str(&checked.stdout).unwrap();
            assert_eq!(
                (&report["ok"], &report["findings"]),
                (&true.into(), &serde_json::json!([])),
                "{name}"
            );
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn the_messages_that_the_readme_explains_are_said_by_the_program() {
    let readme = read("README.md");
    let (_, section) = readme.split_once("\n## When something goes wrong\n").unwrap();
    let sources = sources();
    let mut count = 0;
    for row in section.split("\n## ").next().unwrap().lines().filter(|l| l.starts_with("| `")) {
        let message = row.split('`').nth(1).unwrap();
        for part in message.split('…').map(str::trim) {
            let said = sources.iter().any(|(_, text)| text.contains(part));
            assert!(said, "no source says {part:?}");
        }
        count += 1;
    }
    assert!(count > 5);
}

#[test]
fn every_link_in_a_document_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for document in ["README.md", "examples/README.md"] {
        let text = read(document);
        let folder = root.join(document).parent().unwrap().to_owned();
        let headings: Vec<String> = text
            .lines()
            .filter(|line| line.starts_with('#'))
            .map(|line| line.trim_matches(['#', ' ']).to_lowercase().replace(' ', "-"))
            .collect();
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            match (link.strip_prefix('#'), link.starts_with("https://")) {
                (Some(heading), _) => assert!(headings.iter().any(|h| h == heading), "{link}"),
                (None, true) => {}
                (None, false) => assert!(folder.join(link).exists(), "{document}: {link}"),
            }
        }
    }
}

/// Every Rust and JavaScript source of the program.
fn sources() -> Vec<(PathBuf, String)> {
    let (mut found, mut folders) = (Vec::new(), vec!["src".to_owned(), "js".to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.display().to_string());
            } else if path.extension().is_some_and(|e| e == "rs" || e == "js") {
                found.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}
