//! Parsing, and what to say of text that is not an ES module.

use std::collections::HashSet;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_semantic::{Semantic, SemanticBuilder};
use oxc_span::{GetSpan, SourceType, Span};

use super::report::{Code, Finding};
use super::source::Source;
use super::{Checked, build_command, bundle_name};

/// Parses `text` and hands the tree to `rules`. Gives their findings together
/// with the syntax errors; the rules are not asked where there is no tree.
pub(super) fn parse(
    file_name: &str,
    text: &str,
    source: &Source<'_>,
    rules: impl FnOnce(&Checked<'_, '_>) -> Vec<Finding>,
) -> Vec<Finding> {
    let allocator = Allocator::default();
    let parsed = run_parser(&allocator, text, SourceType::mjs());
    let mut errors: Vec<OxcDiagnostic> = parsed.diagnostics.errors().cloned().collect();
    if parsed.panicked {
        let Some(last) = errors.pop() else { return Vec::new() };
        if let Some(language) = other_language(text) {
            return vec![build_first(file_name, language, source, place(&last).0)];
        }
        let recovered = errors.iter().map(|error| finding(error, source));
        return recovered.chain([fatal(&last, text, source)]).collect();
    }
    let program = allocator.alloc(parsed.program);
    let built =
        SemanticBuilder::new().with_check_syntax_error(true).with_build_nodes(true).build(program);
    if let Some(at) = typescript(&built.semantic) {
        return vec![build_first(file_name, Language::TypeScript, source, at)];
    }
    // Some errors are seen by both: the parser's own come first.
    let mut seen: HashSet<Span> = errors.iter().map(|error| place(error).0).collect();
    let others = built.diagnostics.errors().filter(|error| seen.insert(place(error).0));
    errors.extend(others.cloned());
    let mut findings: Vec<Finding> = errors.iter().map(|error| finding(error, source)).collect();
    findings.extend(not_in_v8(&built.semantic, source));
    findings.extend(rules(&Checked {
        file_name,
        source,
        program,
        record: &parsed.module_record,
        semantic: &built.semantic,
    }));
    findings
}

fn run_parser<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    source_type: SourceType,
) -> ParserReturn<'a> {
    // Without parentheses in the tree `(0, require)(x)` is two nodes, not four.
    let options = ParseOptions { preserve_parens: false, ..ParseOptions::default() };
    Parser::new(allocator, text, source_type).with_options(options).parse()
}

/// What a source file may be instead of JavaScript.
#[derive(Clone, Copy)]
enum Language {
    Jsx,
    TypeScript,
}

/// What the text is, where the parser knows another language that it fits.
fn other_language(text: &str) -> Option<Language> {
    let parses = |source_type| {
        let allocator = Allocator::default();
        run_parser(&allocator, text, source_type).diagnostics.is_empty()
    };
    if parses(SourceType::mjs().with_jsx(true)) {
        Some(Language::Jsx)
    } else if parses(SourceType::ts()) || parses(SourceType::tsx()) {
        Some(Language::TypeScript)
    } else {
        None
    }
}

fn build_first(file_name: &str, language: Language, source: &Source<'_>, at: Span) -> Finding {
    let (code, name, extension) = match language {
        Language::Jsx => (Code::Jsx, "JSX", "jsx"),
        Language::TypeScript => (Code::TypeScript, "TypeScript", "ts"),
    };
    let out = bundle_name(file_name);
    let entry = format!("{}.{extension}", out.trim_end_matches(".esm.js"));
    let help = format!("build it first: {}", build_command(&entry, &out));
    Finding::new(code, format!("this is {name}, not JavaScript"), help)
        .at(source.locate(range(at)))
        .label(format!("{name} syntax"))
}

/// The first piece of TypeScript that the parser let pass in JavaScript.
fn typescript(semantic: &Semantic<'_>) -> Option<Span> {
    semantic.nodes().iter().map(|node| node.kind()).find_map(|kind| {
        let found = match kind {
            AstKind::TSAsExpression(_)
            | AstKind::TSSatisfiesExpression(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::TSTypeAssertion(_)
            | AstKind::TSInstantiationExpression(_)
            | AstKind::TSTypeAnnotation(_)
            | AstKind::TSImportEqualsDeclaration(_)
            | AstKind::TSClassImplements(_)
            | AstKind::TSIndexSignature(_) => true,
            AstKind::Class(class) => class.r#abstract || class.declare,
            AstKind::FormalParameter(it) => {
                it.accessibility.is_some() || it.readonly || it.r#override || it.optional
            }
            AstKind::MethodDefinition(it) => {
                it.accessibility.is_some()
                    || it.r#override
                    || it.optional
                    || it.r#type.is_abstract()
            }
            AstKind::PropertyDefinition(it) => {
                it.accessibility.is_some()
                    || it.readonly
                    || it.declare
                    || it.r#override
                    || it.optional
                    || it.definite
                    || it.r#type.is_abstract()
            }
            _ => false,
        };
        found.then(|| kind.span())
    })
}

/// Proposals that the parser knows and V8 does not.
fn not_in_v8(semantic: &Semantic<'_>, source: &Source<'_>) -> Vec<Finding> {
    let kinds = semantic.nodes().iter().map(|node| node.kind());
    let found = kinds.filter_map(|kind| match kind {
        AstKind::Decorator(it) => Some(("decorators", it.span)),
        AstKind::AccessorProperty(it) => Some(("`accessor` fields", it.span)),
        _ => None,
    });
    let finding = |(what, span)| {
        let message = format!("the engine does not know {what} yet");
        let help = "build with a target that has none, such as esbuild's --target=es2024";
        Finding::new(Code::Syntax, message, help).at(source.locate(range(span)))
    };
    found.map(finding).collect()
}

fn finding(diagnostic: &OxcDiagnostic, source: &Source<'_>) -> Finding {
    let (span, label) = place(diagnostic);
    let message = sentence(&diagnostic.message);
    let help = match &diagnostic.help {
        Some(help) => sentence(help),
        None => "the file must parse as an ES module, which is always in strict mode".to_owned(),
    };
    let mut finding = Finding::new(Code::Syntax, message, help).at(source.locate(range(span)));
    finding.label = label.as_deref().map(sentence);
    for other in diagnostic.labels.iter().filter(|l| l.span() != span) {
        let label = other.label().map_or_else(|| "see here".to_owned(), sentence);
        finding = finding.related(source.locate(range(other.span())), label);
    }
    finding
}

/// The error that the parser could not get over.
fn fatal(diagnostic: &OxcDiagnostic, text: &str, source: &Source<'_>) -> Finding {
    let span = range(place(diagnostic).0);
    if !text[span.start..].starts_with('<') {
        return finding(diagnostic, source);
    }
    // The parser takes it for JSX; most often it is HTML, from a failed download.
    let help = "the file must be JavaScript, and this is not";
    Finding::new(Code::Syntax, "unexpected `<`", help).at(source.locate(span))
}

/// The parser's words as we write ours: no capital, no full stop.
fn sentence(words: impl AsRef<str>) -> String {
    let words = words.as_ref().trim_end_matches('.');
    let mut chars = words.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some('a'..='z' | ' ')) => {
            first.to_lowercase().chain(words.chars().skip(1)).collect()
        }
        _ => words.to_owned(),
    }
}

/// The place of a diagnostic: its primary label, else its last one, which is
/// where the second of two conflicting things stands.
fn place(diagnostic: &OxcDiagnostic) -> (Span, Option<String>) {
    let labels = &diagnostic.labels;
    let label = labels.iter().find(|l| l.primary()).or_else(|| labels.last());
    label.map_or((Span::new(0, 0), None), |l| (l.span(), l.label().map(str::to_owned)))
}

pub(super) fn range(span: Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}
