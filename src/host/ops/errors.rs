//! Errors as ops give them to JavaScript.

use std::borrow::Cow;

use deno_error::{AdditionalProperties, JsErrorClass, PropertyValue};
use deno_runtime::deno_permissions::PermissionCheckError;

use crate::host::services::ServiceError;

/// Why an op failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpError {
    #[error("{0}")]
    Service(ServiceError),
    #[error("a bundle that is only described has no store")]
    NoStore,
    #[error("{0}")]
    Plain(String),
    #[error(transparent)]
    Permission(#[from] PermissionCheckError),
    #[error("{0}")]
    Syntax(String),
    #[error("{0}")]
    Type(String),
}

impl JsErrorClass for OpError {
    fn get_class(&self) -> Cow<'static, str> {
        if let Self::Permission(error) = self {
            return error.get_class();
        }
        Cow::Borrowed(match self {
            Self::Syntax(_) => "SyntaxError",
            Self::Type(_) => "TypeError",
            Self::Service(_) | Self::NoStore | Self::Plain(_) | Self::Permission(_) => "Error",
        })
    }

    fn get_message(&self) -> Cow<'static, str> {
        self.to_string().into()
    }

    fn get_additional_properties(&self) -> AdditionalProperties {
        let Self::Service(error) = self else { return Box::new(std::iter::empty()) };
        let code = error.code.map(|code| PropertyValue::String(code.into()));
        let status = error.status.map(|status| PropertyValue::Number(status.into()));
        let body = error.body.clone().map(|body| PropertyValue::String(body.into()));
        let properties = [("code", code), ("status", status), ("body", body)];
        Box::new(
            properties.into_iter().filter_map(|(name, value)| Some((Cow::Borrowed(name), value?))),
        )
    }

    fn get_ref(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        self
    }
}

impl From<ServiceError> for OpError {
    fn from(error: ServiceError) -> Self {
        Self::Service(error)
    }
}
