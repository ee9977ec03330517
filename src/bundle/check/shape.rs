//! What an expression evidently is, seen through names that are bound once.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    BindingPattern, CallExpression, Expression, Function, ImportDeclarationSpecifier,
    ObjectExpression, Statement,
};
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::{AssignmentOperator, BinaryOperator, UnaryOperator};
use oxc_syntax::symbol::SymbolId;

use super::Checked;
use super::modules::HOST_MODULES;

/// Names followed before giving up; more is a cycle or a joke.
const MAX_ALIASES: usize = 50;

/// What a value evidently is.
#[derive(Clone, Copy)]
pub(super) enum Shape<'a> {
    /// A function; the node where it may be a generator.
    Function(Option<&'a Function<'a>>),
    Class,
    Object(&'a ObjectExpression<'a>),
    /// A text, and which where that is written out.
    Text(Option<&'a str>),
    /// `a + b`: a text or a number.
    Sum,
    /// Something that is neither function, object nor text, in words.
    Other(&'static str),
    /// The answer of a call.
    Call(&'a CallExpression<'a>),
    /// One of two.
    Either(&'a Expression<'a>, &'a Expression<'a>),
    /// A module's namespace.
    Namespace,
    /// Not to be seen from here.
    Unknown,
}

impl Shape<'_> {
    /// The kind of value in words, where it evidently is no function.
    pub(super) fn not_callable(&self) -> Option<&'static str> {
        match self {
            Shape::Class => Some("a class"),
            Shape::Object(_) => Some("an object"),
            Shape::Text(_) => Some("a string"),
            Shape::Sum => Some("a string or a number"),
            Shape::Other(words) => Some(words),
            Shape::Namespace => Some("a module"),
            Shape::Function(_) | Shape::Call(_) | Shape::Either(..) | Shape::Unknown => None,
        }
    }

    /// The kind of value in words, where it evidently is no plain object.
    pub(super) fn not_object(&self) -> Option<&'static str> {
        match self {
            Shape::Function(_) => Some("a function"),
            Shape::Object(_) | Shape::Namespace => None,
            other => other.not_callable(),
        }
    }

    /// The kind of value in words, where it evidently is no text.
    pub(super) fn not_text(&self) -> Option<&'static str> {
        match self {
            Shape::Function(_) => Some("a function"),
            Shape::Text(_) | Shape::Sum => None,
            other => other.not_callable(),
        }
    }
}

/// A value and where it is written.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) shape: Shape<'a>,
    pub(super) span: Span,
    /// Nothing that could change the inside of an object sees it under a name.
    pub(super) sealed: bool,
}

/// What `expression` evidently is.
pub(super) fn resolve<'a>(bundle: &Checked<'_, 'a>, expression: &'a Expression<'a>) -> Known<'a> {
    follow(bundle, expression, true)
}

/// What the module's variable evidently is.
pub(super) fn resolve_symbol<'a>(bundle: &Checked<'_, 'a>, symbol: SymbolId) -> Known<'a> {
    let sealed = is_sealed(bundle, symbol);
    match bound(bundle, symbol) {
        Bound::To(expression) => follow(bundle, expression, sealed),
        Bound::Shape(shape, span) => Known { shape, span, sealed },
    }
}

fn follow<'a>(
    bundle: &Checked<'_, 'a>,
    mut expression: &'a Expression<'a>,
    mut sealed: bool,
) -> Known<'a> {
    for _ in 0..MAX_ALIASES {
        expression = match expression {
            Expression::ParenthesizedExpression(inner) => &inner.expression,
            Expression::SequenceExpression(sequence) => match sequence.expressions.last() {
                Some(last) => last,
                None => break,
            },
            Expression::AssignmentExpression(assignment)
                if assignment.operator == AssignmentOperator::Assign =>
            {
                sealed = false;
                &assignment.right
            }
            Expression::Identifier(name) => {
                let scoping = bundle.semantic.scoping();
                let symbol = name
                    .reference_id
                    .get()
                    .and_then(|reference| scoping.get_reference(reference).symbol_id());
                let Some(symbol) = symbol else {
                    return Known { shape: global(&name.name), span: name.span, sealed };
                };
                sealed &= is_sealed(bundle, symbol);
                match bound(bundle, symbol) {
                    Bound::To(value) => value,
                    Bound::Shape(shape, span) => return Known { shape, span, sealed },
                }
            }
            other => return Known { shape: written(other), span: other.span(), sealed },
        }
    }
    Known { shape: Shape::Unknown, span: expression.span(), sealed: false }
}

fn global(name: &str) -> Shape<'static> {
    match name {
        "undefined" => Shape::Other("undefined"),
        "NaN" | "Infinity" => Shape::Other("a number"),
        _ => Shape::Unknown,
    }
}

fn written<'a>(expression: &'a Expression<'a>) -> Shape<'a> {
    match expression {
        Expression::BooleanLiteral(_) | Expression::PrivateInExpression(_) => {
            Shape::Other("a boolean")
        }
        Expression::NullLiteral(_) => Shape::Other("null"),
        Expression::NumericLiteral(_) | Expression::UpdateExpression(_) => Shape::Other("a number"),
        Expression::BigIntLiteral(_) => Shape::Other("a bigint"),
        Expression::RegExpLiteral(_) => Shape::Other("a regular expression"),
        Expression::StringLiteral(text) => Shape::Text(Some(text.value.as_str())),
        Expression::TemplateLiteral(template) => Shape::Text(match &template.quasis[..] {
            [only] => only.value.cooked.as_ref().map(|text| text.as_str()),
            _ => None,
        }),
        Expression::ArrayExpression(_) => Shape::Other("an array"),
        Expression::ObjectExpression(object) => Shape::Object(object),
        Expression::ArrowFunctionExpression(_) => Shape::Function(None),
        Expression::FunctionExpression(function) => Shape::Function(Some(function)),
        Expression::ClassExpression(_) => Shape::Class,
        Expression::CallExpression(call) => Shape::Call(call),
        Expression::ConditionalExpression(choice) => {
            Shape::Either(&choice.consequent, &choice.alternate)
        }
        Expression::ImportMeta(_) => Shape::Other("import.meta"),
        Expression::UnaryExpression(unary) => match unary.operator {
            UnaryOperator::Typeof => Shape::Text(None),
            UnaryOperator::Void => Shape::Other("undefined"),
            UnaryOperator::LogicalNot | UnaryOperator::Delete => Shape::Other("a boolean"),
            _ => Shape::Other("a number"),
        },
        Expression::BinaryExpression(binary) => match binary.operator {
            BinaryOperator::Addition => Shape::Sum,
            operator if operator.is_arithmetic() || operator.is_bitwise() => {
                Shape::Other("a number")
            }
            _ => Shape::Other("a boolean"),
        },
        _ => Shape::Unknown,
    }
}

enum Bound<'a> {
    To(&'a Expression<'a>),
    Shape(Shape<'a>, Span),
}

/// What a variable is bound to for good.
fn bound<'a>(bundle: &Checked<'_, 'a>, symbol: SymbolId) -> Bound<'a> {
    let scoping = bundle.semantic.scoping();
    let nodes = bundle.semantic.nodes();
    let span = scoping.symbol_span(symbol);
    if scoping.symbol_is_mutated(symbol) || !scoping.symbol_redeclarations(symbol).is_empty() {
        return Bound::Shape(Shape::Unknown, span);
    }
    let declaration = scoping.symbol_declaration(symbol);
    let shape = match nodes.kind(declaration) {
        AstKind::VariableDeclarator(declarator) => match (&declarator.id, &declarator.init) {
            (BindingPattern::BindingIdentifier(_), Some(value)) => return Bound::To(value),
            (BindingPattern::BindingIdentifier(_), None) => {
                let head = nodes.ancestor_kinds(declaration).nth(1);
                match head {
                    Some(AstKind::ForInStatement(_) | AstKind::ForOfStatement(_)) => Shape::Unknown,
                    _ => Shape::Other("undefined"),
                }
            }
            _ => Shape::Unknown,
        },
        AstKind::Function(function) => Shape::Function(Some(function)),
        AstKind::Class(_) => Shape::Class,
        AstKind::ImportNamespaceSpecifier(_) => Shape::Namespace,
        _ => Shape::Unknown,
    };
    Bound::Shape(shape, span)
}

/// Whether every use of the variable leaves the inside of its value alone:
/// exports, one other name for it, and calls of the host's own functions.
fn is_sealed(bundle: &Checked<'_, '_>, symbol: SymbolId) -> bool {
    let nodes = bundle.semantic.nodes();
    let mut aliases = 0;
    bundle.semantic.symbol_references(symbol).all(|reference| {
        match nodes.parent_kind(reference.node_id()) {
            AstKind::ExportSpecifier(_) => true,
            AstKind::VariableDeclarator(_) | AstKind::ObjectProperty(_) => {
                aliases += 1;
                aliases == 1
            }
            AstKind::CallExpression(call) => host_function(bundle, call).is_some(),
            _ => false,
        }
    })
}

/// The name under which a host module exports the function that `call` calls.
pub(super) fn host_function<'a>(
    bundle: &Checked<'_, 'a>,
    call: &CallExpression<'a>,
) -> Option<&'a str> {
    let (name, member) = match &call.callee {
        Expression::Identifier(name) => (name, None),
        Expression::StaticMemberExpression(member) => match &member.object {
            Expression::Identifier(name) => (name, Some(member.property.name.as_str())),
            _ => return None,
        },
        _ => return None,
    };
    let scoping = bundle.semantic.scoping();
    let symbol = scoping.get_reference(name.reference_id.get()?).symbol_id()?;
    let imports = bundle.program.body.iter().filter_map(|statement| match statement {
        Statement::ImportDeclaration(import) => Some(import),
        _ => None,
    });
    for import in imports.filter(|i| HOST_MODULES.contains(&i.source.value.as_str())) {
        for specifier in import.specifiers.iter().flatten() {
            if specifier.local().symbol_id.get() != Some(symbol) {
                continue;
            }
            return match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(named) if member.is_none() => {
                    Some(named.imported.name().as_str())
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => member,
                _ => None,
            };
        }
    }
    None
}
