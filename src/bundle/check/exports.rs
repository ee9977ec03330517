//! What a bundle must export, and what it must not.

use oxc_span::Span;
use oxc_syntax::module_record::{ExportEntry, ExportExportName};

use super::super::similar::closest;
use super::report::{Code, Finding};
use super::shape::{Known, Shape, resolve_symbol};
use super::syntax::range;
use super::{Checked, build_command, bundle_name};

/// The two exports that make a bundle, where they are there.
pub(super) struct Exports<'a> {
    pub(super) run: Option<Known<'a>>,
    pub(super) descriptor: Option<Known<'a>>,
}

/// One exported name.
struct Export<'a> {
    name: &'a str,
    span: Span,
    known: Known<'a>,
}

pub(super) fn check<'a>(bundle: &Checked<'_, 'a>, findings: &mut Vec<Finding>) -> Exports<'a> {
    let mut exports = Vec::new();
    let record = bundle.record;
    for entry in record.local_export_entries.iter().chain(&record.indirect_export_entries) {
        match &entry.export_name {
            ExportExportName::Name(name) if name.name == "default" => {
                findings.push(default_export(bundle, name.span));
            }
            ExportExportName::Name(name) => exports.push(Export {
                name: name.name.as_str(),
                span: name.span,
                known: known(bundle, entry, name.span),
            }),
            ExportExportName::Default(span) => findings.push(default_export(bundle, *span)),
            // `export * from`: none of the modules that may stand there
            // exports what a bundle needs.
            ExportExportName::Null => {}
        }
    }
    exports.sort_by_key(|export| export.span.start);
    let find = |name| exports.iter().find(|export: &&Export<'a>| export.name == name);
    let (run, descriptor) = (find("run"), find("descriptor"));
    match run {
        None => findings.push(missing(bundle, Code::MissingRun, "run", &exports)),
        Some(run) => findings.extend(not_callable(bundle, run)),
    }
    match descriptor {
        None => findings.push(missing(bundle, Code::MissingDescriptor, "descriptor", &exports)),
        Some(descriptor) => findings.extend(not_object(bundle, descriptor)),
    }
    Exports { run: run.map(|e| e.known), descriptor: descriptor.map(|e| e.known) }
}

fn known<'a>(bundle: &Checked<'_, 'a>, entry: &ExportEntry<'a>, span: Span) -> Known<'a> {
    let shape = if entry.import_name.is_all() { Shape::Namespace } else { Shape::Unknown };
    let local = entry.local_name.name().filter(|_| entry.module_request.is_none());
    let scoping = bundle.semantic.scoping();
    let symbol = local.and_then(|name| scoping.get_root_binding(name.as_str().into()));
    match symbol {
        Some(symbol) => resolve_symbol(bundle, symbol),
        None => Known { shape, span, sealed: false },
    }
}

fn default_export(bundle: &Checked<'_, '_>, span: Span) -> Finding {
    let help = "export by name: `export async function* run(thread, runtime) { … }` and \
                `export const descriptor = { … }`";
    Finding::new(Code::DefaultExport, "a bundle has no default export", help)
        .at(bundle.source.locate(range(span)))
        .label("exported as default")
}

fn not_callable(bundle: &Checked<'_, '_>, run: &Export<'_>) -> Option<Finding> {
    let words = run.known.shape.not_callable()?;
    let message = format!("`run` is {words}, not a function");
    let help = "export `run` as an async generator function: \
                `export async function* run(thread, runtime) { … }`";
    Some(at_value(bundle, Finding::new(Code::RunNotCallable, message, help), run, words))
}

fn not_object(bundle: &Checked<'_, '_>, descriptor: &Export<'_>) -> Option<Finding> {
    let words = descriptor.known.shape.not_object()?;
    let message = format!("`descriptor` is {words}, not an object");
    let finding = Finding::new(Code::Descriptor, message, DESCRIPTOR_HELP);
    Some(at_value(bundle, finding, descriptor, words))
}

pub(super) const DESCRIPTOR_HELP: &str = "a descriptor is `{ description: \"…\", roles: { name: { \
                                          description: \"…\", schema: { … } } } }`";

/// Marks the value, and the export where that is in another line.
fn at_value(bundle: &Checked<'_, '_>, finding: Finding, of: &Export<'_>, words: &str) -> Finding {
    let value = bundle.source.locate(range(of.known.span));
    let export = bundle.source.locate(range(of.span));
    let elsewhere = value.line != export.line;
    let finding = finding.at(value).label(format!("this is {words}"));
    if elsewhere {
        return finding.related(export, format!("exported as `{}` here", of.name));
    }
    finding
}

fn missing(bundle: &Checked<'_, '_>, code: Code, name: &str, exports: &[Export<'_>]) -> Finding {
    let what = match code {
        Code::MissingRun => "`export async function* run(thread, runtime) { … }`",
        _ => "`export const descriptor = { description: \"…\", roles: { … } }`",
    };
    let finding =
        |help: String| Finding::new(code, format!("the bundle does not export `{name}`"), help);
    let source = bundle.source;
    let scoping = bundle.semantic.scoping();
    if let Some(symbol) = scoping.get_root_binding(name.into()) {
        return finding(format!("export it: `export {{ {name} }}`"))
            .at(source.locate(range(scoping.symbol_span(symbol))))
            .label("declared here, but not exported");
    }
    if let Some(span) = common_js(bundle) {
        let out = bundle_name(bundle.file_name);
        let entry = format!("{}.ts", out.trim_end_matches(".esm.js"));
        let help = format!("build an ES module: {}", build_command(&entry, &out));
        return finding(help).at(source.locate(range(span))).label("this is CommonJS");
    }
    let similar = closest(name, exports.iter().map(|export| export.name));
    if let Some(export) = exports.iter().find(|export| Some(export.name) == similar) {
        return finding(format!("did you mean `{name}`?"))
            .at(source.locate(range(export.span)))
            .label("exported under this name");
    }
    match exports.last() {
        Some(last) => finding(format!("add {what}"))
            .at(source.locate(range(last.span)))
            .label(format!("the last of the exports, none of them `{name}`")),
        None => finding(format!("add {what}")).at(source.locate(0..0)).label("nothing is exported"),
    }
}

/// Where a module without exports uses the free `module` or `exports`.
fn common_js(bundle: &Checked<'_, '_>) -> Option<Span> {
    let record = bundle.record;
    if !record.local_export_entries.is_empty() || !record.indirect_export_entries.is_empty() {
        return None;
    }
    let scoping = bundle.semantic.scoping();
    let free = scoping.root_unresolved_references();
    let uses = ["module", "exports"].into_iter().filter_map(|name| free.get(name)).flatten();
    let spans =
        uses.map(|reference| bundle.semantic.reference_span(scoping.get_reference(*reference)));
    spans.min_by_key(|span| span.start)
}
