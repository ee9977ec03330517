//! The static checks of a bundle (SPEC section 6): on the syntax tree, without
//! running any of it.
//!
//! ```text
//! file name ─ encoding ─ nesting ─ syntax ─┬─ imports
//!                                          ├─ calls     import() and require()
//!                                          ├─ exports   default, run, descriptor
//!                                          └─ roles     descriptor against run
//! ```
//!
//! Rules refuse what is evident and pass what they cannot see: whether a `run`
//! that comes out of a call is a function is found when the bundle is evaluated.

mod calls;
mod exports;
mod imports;
mod modules;
mod nesting;
mod report;
mod roles;
mod shape;
mod source;
mod syntax;

pub use imports::imports;
pub use modules::{HOST_MODULES, NODE_MODULES, NODE_ONLY_MODULES};
pub use report::{CheckReport, Code, Finding, Location, Related, Severity, Snippet, Span};

use oxc_ast::ast::Program;
use oxc_semantic::Semantic;
use oxc_syntax::module_record::ModuleRecord;

use super::descriptor::Descriptor;
use source::Source;

/// Everything that can be said of the bundle in `bytes` without running it.
///
/// `file_name` may be a path; it is shown as given, and only its end matters.
/// The same bytes and name give the same report. Reading is linear in the size;
/// it happens on a thread of its own whose stack fits the nesting of the source.
pub fn check(file_name: &str, bytes: &[u8]) -> CheckReport {
    let mut findings = Vec::new();
    let name_finding = check_name(file_name);
    let build_first = name_finding.as_ref().is_some_and(|f| f.code == Code::TypeScript);
    findings.extend(name_finding);
    // What a source file of another language says as JavaScript helps nobody.
    if !build_first {
        findings.extend(check_bytes(file_name, bytes));
    }
    CheckReport { file: file_name.to_owned(), findings }
}

/// What the evaluated descriptor shows beyond [`check()`]: warnings alone, of a
/// bundle that `check` accepts. Where the source writes the descriptor out, all
/// of this has been said already, and nothing is said twice.
pub fn check_evaluated(file_name: &str, bytes: &[u8], descriptor: &Descriptor) -> Vec<Finding> {
    let (skipped, bytes) = strip_bom(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    nesting::with_stack(text, skipped, || {
        let source = Source::new(text, skipped);
        syntax::parse(file_name, text, &source, |bundle| {
            let exports = exports::check(bundle, &mut Vec::new());
            roles::check_evaluated(bundle, &exports, descriptor)
        })
    })
}

/// Where V8 means with a line and a column (both 1-based, the column in UTF-16
/// units) of the bundle in `bytes`; none where there is no such place. Marks the
/// word that begins there.
pub fn locate(bytes: &[u8], line: usize, column: usize) -> Option<Location> {
    let (skipped, bytes) = strip_bom(bytes);
    let text = std::str::from_utf8(bytes).ok()?;
    let start = source::line_start_in_v8(text, line)?;
    let mut units = column.checked_sub(1)?;
    let mut at = start;
    for c in text[start..].chars() {
        match units.checked_sub(c.len_utf16()) {
            Some(rest) => units = rest,
            None => break,
        }
        at += c.len_utf8();
    }
    let word = text[at..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let end = at + word.unwrap_or(text.len() - at).max(1);
    Some(Source::new(text, skipped).locate(at..end))
}

/// The command that makes a bundle of a source file.
fn build_command(entry: &str, out: &str) -> String {
    format!(
        "npx esbuild {entry} --bundle --format=esm --platform=node '--external:@uncaged/*' \
         --outfile={out}"
    )
}

/// The file name of a bundle made of `file_name`.
fn bundle_name(file_name: &str) -> String {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    let stem = base.split('.').next().filter(|s| !s.is_empty()).unwrap_or("bundle");
    format!("{stem}.esm.js")
}

fn check_name(file_name: &str) -> Option<Finding> {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    if base.ends_with(".esm.js") && base != ".esm.js" {
        return None;
    }
    let out = bundle_name(file_name);
    let extension = base.rsplit_once('.').map_or("", |(_, e)| e).to_ascii_lowercase();
    Some(match extension.as_str() {
        "ts" | "mts" | "cts" | "tsx" | "jsx" => Finding::new(
            Code::TypeScript,
            format!("`{base}` is a source file, not a bundle"),
            format!("build it first: {}", build_command(file_name, &out)),
        ),
        "cjs" => Finding::new(
            Code::FileName,
            format!("`{base}` is a CommonJS file; a bundle is an ES module named `*.esm.js`"),
            format!("build it first: {}", build_command(file_name, &out)),
        ),
        _ => Finding::new(
            Code::FileName,
            format!("`{base}` does not end in `.esm.js`"),
            format!(
                "where it is a single-file ES module already, rename it to `{out}`; else build \
                 one: {}",
                build_command(file_name, &out)
            ),
        ),
    })
}

fn check_bytes(file_name: &str, bytes: &[u8]) -> Vec<Finding> {
    let (skipped, bytes) = strip_bom(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => nesting::with_stack(text, skipped, || check_text(file_name, text, skipped)),
        Err(error) => vec![not_utf8(bytes, skipped, error.valid_up_to())],
    }
}

/// The bytes without a byte order mark, and its length.
fn strip_bom(bytes: &[u8]) -> (usize, &[u8]) {
    const BOM: &[u8] = b"\xEF\xBB\xBF";
    match bytes.strip_prefix(BOM) {
        Some(rest) => (BOM.len(), rest),
        None => (0, bytes),
    }
}

fn not_utf8(bytes: &[u8], skipped: usize, at: usize) -> Finding {
    let help = "save the file as UTF-8";
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Finding::new(Code::Encoding, "the file is UTF-16, not UTF-8", help);
    }
    // All up to the bad byte is UTF-8, so line and column are right.
    let text = String::from_utf8_lossy(bytes);
    let mut location = Source::new(&text, skipped).locate(at..at + '\u{fffd}'.len_utf8());
    location.span.end = location.span.start + 1;
    let message = format!("byte 0x{:02X} at offset {} is not UTF-8", bytes[at], at + skipped);
    Finding::new(Code::Encoding, message, help).at(location).label("not UTF-8 from here")
}

/// What the rules read.
struct Checked<'s, 'a> {
    file_name: &'s str,
    source: &'s Source<'s>,
    program: &'a Program<'a>,
    record: &'s ModuleRecord<'a>,
    semantic: &'s Semantic<'a>,
}

fn check_text(file_name: &str, text: &str, skipped: usize) -> Vec<Finding> {
    let source = Source::new(text, skipped);
    let mut findings = syntax::parse(file_name, text, &source, |bundle| {
        let mut findings = Vec::new();
        imports::check(bundle, &mut findings);
        calls::check(bundle, &mut findings);
        let exports = exports::check(bundle, &mut findings);
        roles::check(bundle, &exports, &mut findings);
        findings
    });
    findings.sort_by_key(|f| f.at.as_ref().map(|at| at.span.start));
    findings
}
