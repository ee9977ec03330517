//! The descriptor as it is written out, against the roles that `run` yields.
//!
//! Only what is evident counts: a literal that nothing else can change, and
//! yields (or a definition given to `createWorkflow`) that name their role.
//! Silence proves nothing; the evaluated descriptor is validated again.

use indexmap::IndexMap;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    Expression, Function, ObjectExpression, ObjectPropertyKind, PropertyKey, PropertyKind,
};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use serde_json::Value;

use super::super::descriptor::{Descriptor, RoleDescriptor};
use super::super::field::dotted;
use super::super::similar::closest;
use super::Checked;
use super::exports::{DESCRIPTOR_HELP, Exports};
use super::report::{Code, Finding};
use super::shape::{Known, Shape, host_function, resolve};
use super::syntax::range;

pub(super) fn check<'a>(
    bundle: &Checked<'_, 'a>,
    exports: &Exports<'a>,
    findings: &mut Vec<Finding>,
) {
    let Some(Known { shape: Shape::Object(object), sealed: true, .. }) = exports.descriptor else {
        return;
    };
    let Some(described) = check_descriptor(bundle, object, findings) else { return };
    let Some(yielded) = exports.run.and_then(|run| yielded(bundle, run)) else { return };
    let described: Vec<(&str, Span)> =
        described.known.iter().map(|(name, (key, _))| (*name, *key)).collect();
    compare(bundle, &described, &yielded, findings);
}

/// What the evaluated descriptor shows of roles, where the source alone did not.
pub(super) fn check_evaluated<'a>(
    bundle: &Checked<'_, 'a>,
    exports: &Exports<'a>,
    descriptor: &Descriptor,
) -> Vec<Finding> {
    let (mut said, mut findings) = (Vec::new(), Vec::new());
    let Some(known) = exports.descriptor else { return findings };
    let evident = match known {
        Known { shape: Shape::Object(object), sealed: true, .. } => {
            check_descriptor(bundle, object, &mut said).is_some()
        }
        _ => false,
    };
    let described: Vec<(&str, Span)> =
        descriptor.roles().map(|role| (role.name, known.span)).collect();
    for role in descriptor.roles() {
        let finding = evaluated_schema(role);
        findings.extend(finding.filter(|f| said.iter().all(|s| s.message != f.message)));
    }
    if !evident && let Some(yielded) = exports.run.and_then(|run| yielded(bundle, run)) {
        compare(bundle, &described, &yielded, &mut findings);
    }
    findings
}

/// A schema as the evaluated descriptor has it.
fn evaluated_schema(role: RoleDescriptor<'_>) -> Option<Finding> {
    if role.schema.contains_key("def") && role.schema.contains_key("type") {
        let message =
            format!("the schema of role `{}` is a zod schema, not JSON Schema", role.name);
        let help = "write `z.toJSONSchema(schema)`, or let `buildDescriptor` do it";
        return Some(Finding::new(Code::RoleSchema, message, help));
    }
    match role.schema.get("type")? {
        Value::String(kind) if kind != "object" => Some(not_object(role.name, kind)),
        Value::Array(kinds) if !kinds.iter().any(|kind| kind == "object") => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            Some(not_object(role.name, &kinds.join(" or ")))
        }
        _ => None,
    }
}

fn not_object(role: &str, kind: &str) -> Finding {
    let message = format!("the schema of role `{role}` describes a value of type `{kind}`");
    let help = "a role's answer is an object: use `type: \"object\"` with `properties`";
    Finding::new(Code::RoleSchema, message, help)
}

/// The evident properties of an object.
struct Fields<'a> {
    known: IndexMap<&'a str, (Span, &'a Expression<'a>)>,
    /// There are no others.
    complete: bool,
}

fn fields<'a>(object: &'a ObjectExpression<'a>) -> Fields<'a> {
    let mut fields = Fields { known: IndexMap::new(), complete: true };
    for property in &object.properties {
        match property {
            // May set any of the properties before it.
            ObjectPropertyKind::SpreadProperty(_) => {
                fields = Fields { known: IndexMap::new(), complete: false };
            }
            ObjectPropertyKind::ObjectProperty(property) => {
                let name = literal_key(&property.key);
                let plain = property.kind == PropertyKind::Init;
                match name.filter(|name| plain && *name != "__proto__") {
                    Some(name) => {
                        fields.known.insert(name, (property.key.span(), &property.value));
                    }
                    None => fields = Fields { known: IndexMap::new(), complete: false },
                }
            }
        }
    }
    fields
}

fn literal_key<'a>(key: &'a PropertyKey<'a>) -> Option<&'a str> {
    match key {
        PropertyKey::StaticIdentifier(name) => Some(name.name.as_str()),
        PropertyKey::StringLiteral(text) => Some(text.value.as_str()),
        _ => None,
    }
}

/// Checks the written-out descriptor and gives its roles, where they are evident.
fn check_descriptor<'a>(
    bundle: &Checked<'_, 'a>,
    object: &'a ObjectExpression<'a>,
    findings: &mut Vec<Finding>,
) -> Option<Fields<'a>> {
    let top = fields(object);
    let place = Place { bundle, path: vec!["descriptor".into()], span: object.span };
    place.text(&top, "description", findings);
    let roles = fields(place.object(&top, "roles", findings)?);
    for (name, (key, value)) in &roles.known {
        let place = Place {
            bundle,
            path: ["descriptor", "roles", name].map(str::to_owned).into(),
            span: *key,
        };
        let role = resolve(bundle, value);
        if let Some(words) = role.shape.not_object() {
            findings.push(place.wrong(role.span, None, words, "an object"));
        }
        let Known { shape: Shape::Object(role), sealed: true, .. } = role else { continue };
        let role = fields(role);
        place.text(&role, "description", findings);
        if let Some(schema) = place.object(&role, "schema", findings) {
            findings.extend(check_schema(bundle, name, schema));
        }
    }
    roles.complete.then_some(roles)
}

/// A role's `meta` is an object, so its schema must be one of an object.
fn check_schema<'a>(
    bundle: &Checked<'_, 'a>,
    role: &str,
    schema: &'a ObjectExpression<'a>,
) -> Option<Finding> {
    let fields = fields(schema);
    let (_, value) = fields.known.get("type")?;
    let Known { shape: Shape::Text(Some(kind)), span, .. } = resolve(bundle, value) else {
        return None;
    };
    (kind != "object").then(|| {
        not_object(role, kind).at(bundle.source.locate(range(span))).label("not an object")
    })
}

/// An object in the descriptor whose fields are looked at.
struct Place<'s, 'c, 'a> {
    bundle: &'s Checked<'c, 'a>,
    path: Vec<String>,
    /// What to mark where a field is missing.
    span: Span,
}

impl<'a> Place<'_, '_, 'a> {
    fn finding(&self, span: Span, message: String) -> Finding {
        let at = self.bundle.source.locate(range(span));
        Finding::new(Code::Descriptor, message, DESCRIPTOR_HELP).at(at)
    }

    fn wrong(&self, span: Span, field: Option<&str>, words: &str, wanted: &str) -> Finding {
        let mut path = self.path.clone();
        path.extend(field.map(str::to_owned));
        self.finding(span, format!("`{}` is {words}, not {wanted}", dotted(&path)))
            .label(format!("this is {words}"))
    }

    fn missing(&self, field: &str) -> Finding {
        self.finding(self.span, format!("`{}` has no `{field}`", dotted(&self.path)))
            .label(format!("`{field}` is missing here"))
    }

    fn text(&self, fields: &Fields<'a>, field: &str, findings: &mut Vec<Finding>) {
        let Some((_, value)) = fields.known.get(field) else {
            findings.extend(fields.complete.then(|| self.missing(field)));
            return;
        };
        let known = resolve(self.bundle, value);
        if let Some(words) = known.shape.not_text() {
            findings.push(self.wrong(known.span, Some(field), words, "a string"));
        }
    }

    fn object(
        &self,
        fields: &Fields<'a>,
        field: &str,
        findings: &mut Vec<Finding>,
    ) -> Option<&'a ObjectExpression<'a>> {
        let Some((_, value)) = fields.known.get(field) else {
            findings.extend(fields.complete.then(|| self.missing(field)));
            return None;
        };
        let known = resolve(self.bundle, value);
        if let Some(words) = known.shape.not_object() {
            findings.push(self.wrong(known.span, Some(field), words, "an object"));
        }
        match known {
            Known { shape: Shape::Object(object), sealed: true, .. } => Some(object),
            _ => None,
        }
    }
}

/// Roles that steps of the bundle evidently carry.
struct Yielded<'a> {
    roles: IndexMap<&'a str, Span>,
    /// There are no others.
    complete: bool,
}

fn yielded<'a>(bundle: &Checked<'_, 'a>, run: Known<'a>) -> Option<Yielded<'a>> {
    match run.shape {
        Shape::Function(Some(function)) if function.generator => Some(yields_of(bundle, function)),
        Shape::Call(call) if host_function(bundle, call) == Some("createWorkflow") => {
            let definition = resolve(bundle, call.arguments.first()?.as_expression()?);
            let Known { shape: Shape::Object(definition), sealed: true, .. } = definition else {
                return None;
            };
            let (_, roles) = *fields(definition).known.get("roles")?;
            let Known { shape: Shape::Object(roles), sealed: true, .. } = resolve(bundle, roles)
            else {
                return None;
            };
            let roles = fields(roles);
            let names = roles.known.iter().map(|(name, (key, _))| (*name, *key));
            Some(Yielded { roles: names.collect(), complete: roles.complete })
        }
        _ => None,
    }
}

/// The roles of the generator's own yields.
fn yields_of<'a>(bundle: &Checked<'_, 'a>, function: &'a Function<'a>) -> Yielded<'a> {
    let scoping = bundle.semantic.scoping();
    let nodes = bundle.semantic.nodes();
    let mut yielded = Yielded { roles: IndexMap::new(), complete: true };
    for node in nodes.iter() {
        let AstKind::YieldExpression(step) = node.kind() else { continue };
        let owner = scoping.scope_ancestors(node.scope_id()).find(|scope| {
            scoping.scope_flags(*scope).intersects(ScopeFlags::Function | ScopeFlags::Arrow)
        });
        if owner != function.scope_id.get() {
            continue;
        }
        let known = step.argument.as_ref().filter(|_| !step.delegate).map(|a| resolve(bundle, a));
        let role = match known {
            Some(Known { shape: Shape::Object(object), sealed: true, .. }) => {
                fields(object).known.get("role").map(|(_, value)| *value)
            }
            _ => None,
        };
        match role {
            Some(role) => yielded.name(bundle, role),
            None => yielded.complete = false,
        }
    }
    yielded
}

impl<'a> Yielded<'a> {
    /// Adds the role, or roles, that `value` evidently is.
    fn name(&mut self, bundle: &Checked<'_, 'a>, value: &'a Expression<'a>) {
        match resolve(bundle, value) {
            Known { shape: Shape::Text(Some(role)), .. } => {
                self.roles.entry(role).or_insert(value.span());
            }
            Known { shape: Shape::Either(one, other), .. } => {
                self.name(bundle, one);
                self.name(bundle, other);
            }
            _ => self.complete = false,
        }
    }
}

fn compare(
    bundle: &Checked<'_, '_>,
    described: &[(&str, Span)],
    yielded: &Yielded<'_>,
    findings: &mut Vec<Finding>,
) {
    for (role, span) in &yielded.roles {
        if described.iter().any(|(name, _)| name == role) {
            continue;
        }
        let help = match closest(role, described.iter().map(|(name, _)| *name)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("add `{role}` to `descriptor.roles`"),
        };
        let message = format!("the descriptor does not name the role `{role}`");
        findings.push(
            Finding::new(Code::UndescribedRole, message, help)
                .at(bundle.source.locate(range(*span)))
                .label("used here"),
        );
    }
    if !yielded.complete {
        return;
    }
    for (role, key) in described {
        if yielded.roles.contains_key(role) {
            continue;
        }
        let message = format!("no step has the role `{role}`");
        let help = format!("remove `{role}` from the descriptor, or yield it from `run`");
        findings.push(
            Finding::new(Code::UnusedRole, message, help)
                .at(bundle.source.locate(range(*key)))
                .label("described, and never used"),
        );
    }
}
