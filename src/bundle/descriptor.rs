//! What a bundle says of itself.

use serde_json::{Map, Value};

use super::field::{Field, FieldError};
use crate::object::yaml;

/// `{ description, roles: { <name>: { description, schema, … } }, … }`, as a
/// bundle's `descriptor` export has it (SPEC section 6). Other keys are kept,
/// and keys keep their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Descriptor {
    value: Value,
}

/// One role as the descriptor has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoleDescriptor<'d> {
    /// The role's name.
    pub name: &'d str,
    /// What it is for.
    pub description: &'d str,
    /// JSON Schema of the role's `meta`.
    pub schema: &'d Map<String, Value>,
}

/// Every field of a descriptor that is not what it should be, one a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(FieldError::to_string).collect::<Vec<_>>().join("\n"))]
pub struct DescriptorError(pub Vec<FieldError>);

impl Descriptor {
    /// Validates an evaluated descriptor.
    pub fn from_value(value: Value) -> Result<Descriptor, DescriptorError> {
        let mut errors = Vec::new();
        validate(&value, &mut errors);
        if errors.is_empty() { Ok(Descriptor { value }) } else { Err(DescriptorError(errors)) }
    }

    /// The text of `bundles/<HASH>.yaml`.
    pub fn to_text(&self) -> String {
        yaml::encode_quoted(&self.value)
    }

    /// The whole descriptor.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What the workflow is for.
    pub fn description(&self) -> &str {
        self.value["description"].as_str().unwrap_or_default()
    }

    /// The roles, in the bundle's order.
    pub fn roles(&self) -> impl Iterator<Item = RoleDescriptor<'_>> {
        let roles = self.value["roles"].as_object().into_iter().flatten();
        roles.filter_map(|(name, role)| {
            let description = role["description"].as_str()?;
            Some(RoleDescriptor { name, description, schema: role["schema"].as_object()? })
        })
    }
}

fn validate(value: &Value, errors: &mut Vec<FieldError>) {
    let root = Field::root(value);
    if let Err(error) = root.object() {
        errors.push(error);
        return;
    }
    errors.extend(root.get("description").string().err());
    let roles = match root.get("roles").entries() {
        Ok(roles) => roles,
        Err(error) => {
            errors.push(error);
            return;
        }
    };
    for (_, role) in roles {
        if let Err(error) = role.object() {
            errors.push(error);
            continue;
        }
        errors.extend(role.get("description").string().err());
        errors.extend(role.get("schema").object().err());
    }
}
