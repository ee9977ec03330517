//! `import()` anywhere, and calls of a `require` that nobody declares.

use oxc_ast::AstKind;
use oxc_span::{GetSpan, Span};
use oxc_syntax::node::NodeId;

use super::Checked;
use super::modules::{Asked, asked};
use super::report::{Code, Finding};
use super::syntax::range;

pub(super) fn check(bundle: &Checked<'_, '_>, findings: &mut Vec<Finding>) {
    for import in &bundle.record.dynamic_imports {
        let specifier = &bundle.program.source_text[range(import.module_request)];
        findings.push(dynamic_import(bundle, import.span, specifier));
    }
    let scoping = bundle.semantic.scoping();
    let free = scoping.root_unresolved_references().get("require");
    for reference in free.into_iter().flatten() {
        let reference = scoping.get_reference(*reference);
        if let Some(call) = call_of(bundle, reference.node_id()) {
            findings.push(require(bundle, call, reference.node_id()));
        }
    }
}

fn dynamic_import(bundle: &Checked<'_, '_>, span: Span, specifier: &str) -> Finding {
    let name = specifier.trim_matches(['"', '\'', '`']);
    let literal = name.len() + 2 == specifier.len() && asked(name) == Asked::Given;
    let help = if literal {
        format!("import it at the top of the file: import * as name from {specifier}")
    } else {
        "import at the top of the file; with esbuild, leave out --splitting".to_owned()
    };
    Finding::new(Code::DynamicImport, "a bundle must not use import()", help)
        .at(bundle.source.locate(range(span)))
        .label("loads code when it runs")
}

fn require(bundle: &Checked<'_, '_>, call: Span, callee: NodeId) -> Finding {
    let help = "import the module at the top of the file; or, for Node's built-in modules only, \
                declare `require`: import { createRequire } from \"node:module\"; \
                const require = createRequire(import.meta.url)";
    Finding::new(Code::Require, "an ES module has no require()", help)
        .at(bundle.source.locate(range(call)))
        .label(match bundle.semantic.nodes().parent_kind(callee) {
            AstKind::NewExpression(_) => "constructs it",
            _ => "called here",
        })
}

/// The call, `new` or tagged template whose callee is the node, seen through
/// `(0, require)` as compilers write it.
fn call_of(bundle: &Checked<'_, '_>, callee: NodeId) -> Option<Span> {
    let nodes = bundle.semantic.nodes();
    let mut child = nodes.kind(callee).span();
    for ancestor in nodes.ancestor_kinds(callee) {
        match ancestor {
            AstKind::CallExpression(call) if call.callee.span() == child => return Some(call.span),
            AstKind::NewExpression(new) if new.callee.span() == child => return Some(new.span),
            AstKind::TaggedTemplateExpression(tagged) if tagged.tag.span() == child => {
                return Some(tagged.span);
            }
            AstKind::SequenceExpression(sequence)
                if sequence.expressions.last().is_some_and(|e| e.span() == child) =>
            {
                child = sequence.span;
            }
            AstKind::ParenthesizedExpression(inner) => child = inner.span,
            _ => return None,
        }
    }
    None
}
