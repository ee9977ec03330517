//! The static checks of a bundle: whole reports, over bundles as tools write
//! them. The rules one by one are in `check_rules`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use uncaged_workflow::bundle::{CheckReport, Location, check};

/// A report as text. Carets stand under the marked characters, one for each.
pub fn rendered(report: &CheckReport) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let severity = format!("{:?}", finding.severity).to_lowercase();
        let place = match &finding.at {
            Some(at) => format!("{}:{}: ", at.line, at.column),
            None => String::new(),
        };
        writeln!(text, "{place}{severity}[{}]: {}", finding.code, finding.message).unwrap();
        if let Some(at) = &finding.at {
            marked(&mut text, at, finding.label.as_deref().unwrap_or_default());
        }
        for related in &finding.related {
            marked(&mut text, &related.at, &related.label);
        }
        writeln!(text, "  = {}\n", finding.help).unwrap();
    }
    text
}

fn marked(text: &mut String, at: &Location, label: &str) {
    let snippet = &at.snippet;
    writeln!(text, "{:4} | {}", at.line, snippet.text).unwrap();
    let carets = format!("{}{}", " ".repeat(snippet.offset), "^".repeat(snippet.length));
    writeln!(text, "     | {}", format!("{carets} {label}").trim_end()).unwrap();
}

fn bundles(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bundles").join(folder);
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut bundles: Vec<_> =
        entries.filter(|path| path.to_string_lossy().ends_with(".js")).collect();
    bundles.sort();
    assert!(!bundles.is_empty(), "no bundles in {}", folder.display());
    bundles
}

fn check_file(path: &Path) -> CheckReport {
    check(&path.file_name().unwrap().to_string_lossy(), &fs::read(path).unwrap())
}

#[test]
fn nothing_is_found_in_what_bundlers_write() {
    for path in bundles("accepted") {
        assert_eq!(rendered(&check_file(&path)), "", "{}", path.display());
    }
}

#[test]
fn every_finding_has_place_line_and_help() {
    for path in bundles("findings") {
        let expected = fs::read_to_string(path.with_extension("txt")).unwrap_or_default();
        assert_eq!(rendered(&check_file(&path)), expected, "{}", path.display());
    }
}
