//! Imports and re-exports: only what the host gives, by literal specifier.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Statement, StringLiteral};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType};

use super::modules::{Asked, asked, meant};
use super::report::{Code, Finding};
use super::syntax::range;
use super::{Checked, build_command, bundle_name};

pub(super) fn check(bundle: &Checked<'_, '_>, findings: &mut Vec<Finding>) {
    for statement in &bundle.program.body {
        findings.extend(specifier(statement).and_then(|source| refuse(bundle, source)));
    }
}

/// The specifiers that a module imports statically, in their order, each once.
pub fn imports(source: &str) -> Vec<String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::mjs()).parse();
    let mut found: Vec<String> = Vec::new();
    for statement in &parsed.program.body {
        let named = specifier(statement).map(|source| source.value.as_str());
        if let Some(name) = named.filter(|name| !found.iter().any(|known| known == name)) {
            found.push(name.to_owned());
        }
    }
    found
}

fn specifier<'s, 'a>(statement: &'s Statement<'a>) -> Option<&'s StringLiteral<'a>> {
    match statement {
        Statement::ImportDeclaration(import) => Some(&import.source),
        Statement::ExportFromDeclaration(export) => Some(&export.source),
        Statement::ExportAllDeclaration(export) => Some(&export.source),
        _ => None,
    }
}

fn refuse(bundle: &Checked<'_, '_>, source: &StringLiteral<'_>) -> Option<Finding> {
    let name = source.value.as_str();
    // A data: URL may hold a whole program.
    let shown: String = name.chars().take(60).collect();
    let shown = if shown.len() < name.len() { format!("{shown}…") } else { shown };
    let out = bundle_name(bundle.file_name);
    let build = build_command(&format!("{}.ts", out.trim_end_matches(".esm.js")), &out);
    let given = "Node's built-in modules and `@uncaged/workflow-*`";
    let (code, message, help) = match asked(name) {
        Asked::Given => return None,
        Asked::UnknownNode => {
            let message = format!("Node has no built-in module `{shown}`");
            (Code::UnknownModule, message, format!("a bundle may import {given}"))
        }
        Asked::NeedsNodePrefix => {
            let message = format!("`{shown}` without `node:` is an npm package");
            (Code::UnknownModule, message, format!("write `node:{shown}`"))
        }
        Asked::UnknownHost => {
            let message = format!("there is no host module `{shown}`");
            let help = format!("the host gives {}", super::HOST_MODULES.join(", "));
            (Code::UnknownModule, message, help)
        }
        Asked::Relative => {
            let message = format!("a bundle is one file and cannot import `{shown}`");
            (Code::ForeignImport, message, format!("build that file in, for example: {build}"))
        }
        Asked::PackageImport => {
            let message = format!("`{shown}` needs a package.json, which a bundle does not have");
            (Code::ForeignImport, message, format!("build it in, for example: {build}"))
        }
        Asked::Bun => {
            let message = format!("`{shown}` exists in Bun only");
            (Code::ForeignImport, message, bun_help(name).to_owned())
        }
        Asked::Registry => {
            let message = format!("`{shown}` would be fetched when the bundle runs");
            (
                Code::ForeignImport,
                message,
                format!("install it from npm and build it in, for example: {build}"),
            )
        }
        Asked::Internal => {
            let message = format!("`{shown}` is internal to the host");
            (Code::UnknownModule, message, format!("a bundle may import {given}"))
        }
        Asked::Url => {
            let message = format!("a bundle cannot import the URL `{shown}`");
            let help = format!("save the module as a file and build it in, for example: {build}");
            (Code::ForeignImport, message, help)
        }
        Asked::Package => {
            let message = format!("`{shown}` is an npm package, and a bundle carries its packages");
            (Code::ForeignImport, message, format!("build it in, for example: {build}"))
        }
        Asked::Nothing => {
            let help = format!("a bundle may import {given}");
            (Code::UnknownModule, "an import from nowhere".to_owned(), help)
        }
    };
    let meant = match asked(name) {
        Asked::UnknownNode | Asked::UnknownHost | Asked::Package => meant(name),
        _ => None,
    };
    let help = match &meant {
        Some(meant) if code == Code::UnknownModule => format!("did you mean `{meant}`?"),
        Some(meant) => format!("did you mean `{meant}`? Otherwise, {help}"),
        None => help,
    };
    Some(
        Finding::new(code, message, help)
            .at(bundle.source.locate(range(source.span())))
            .label("imported here"),
    )
}

/// What to use in place of a module of Bun.
fn bun_help(name: &str) -> &'static str {
    match name {
        "bun:sqlite" => "use `node:sqlite`",
        "bun:test" => "use `node:test`, or keep tests out of the bundle",
        "bun:ffi" => "start the native program with `node:child_process`",
        "bun:jsc" => "use `node:v8`",
        _ => "use Node's modules, such as `node:fs/promises` and `node:child_process`, and `fetch`",
    }
}
