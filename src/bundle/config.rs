//! The part of `workflow.yaml` that says which models answer (SPEC section 8).

use std::fmt;

use indexmap::IndexMap;
use serde_json::Value;

use super::field::{Field, FieldError};
use super::size::parse_size;

/// `config` of `workflow.yaml`. Keys that are not named here are left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Deepest workflow in a workflow that may be started; 0 allows none.
    pub max_depth: u64,
    supervisor_interval: u64,
    /// Bytes that a thread's objects, and once more its buffers, may take.
    pub heap_limit: Option<u64>,
    /// Where models are, by name.
    pub providers: IndexMap<String, Provider>,
    /// `provider/model` by scene: `extract`, `supervisor`, or `default` for both.
    pub models: IndexMap<String, String>,
}

/// One API that speaks chat/completions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// The part of the URL before `/chat/completions`.
    pub base_url: String,
    /// How to get at the key.
    pub api_key: ApiKey,
}

/// A key, or where to find it when it is needed.
#[derive(Clone, PartialEq, Eq)]
pub enum ApiKey {
    /// The key itself. `Debug` does not show it.
    Literal(String),
    /// `env:NAME`: the environment variable of this name.
    Env(String),
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApiKey::Literal(_) => f.write_str("Literal(…)"),
            ApiKey::Env(name) => write!(f, "Env({name:?})"),
        }
    }
}

/// All that a request to a model needs.
#[derive(Clone, PartialEq, Eq)]
pub struct ResolvedModel {
    /// The part of the URL before `/chat/completions`.
    pub base_url: String,
    /// The key. `Debug` does not show it.
    pub api_key: String,
    /// The model's name at that API.
    pub model: String,
}

impl fmt::Debug for ResolvedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResolvedModel")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Why a scene has no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Neither the scene nor `default` is configured.
    #[error("config.models has neither `{scene}` nor `default`")]
    NoModel {
        /// The scene that was asked for.
        scene: String,
    },
    /// The reference does not have the form `provider/model`.
    #[error("config.models.{scene} is `{reference}`: expected `provider/model`")]
    NotAReference {
        /// The scene that holds it.
        scene: String,
        /// What it says.
        reference: String,
    },
    /// The reference names a provider that there is not.
    #[error("config.models.{scene} names the provider `{provider}`, which config.providers lacks")]
    UnknownProvider {
        /// The scene that holds it.
        scene: String,
        /// The provider that it names.
        provider: String,
        /// The providers there are.
        known: Vec<String>,
    },
    /// The environment variable of the key is not set, or empty.
    #[error("config.providers.{provider}.apiKey is env:{variable}, and {variable} is not set")]
    KeyNotSet {
        /// The provider.
        provider: String,
        /// The variable.
        variable: String,
    },
}

/// Splits `provider/model` at its first slash; model names hold slashes too.
/// None where either side would be empty.
pub fn split_model_ref(reference: &str) -> Option<(&str, &str)> {
    let (provider, model) = reference.split_once('/')?;
    (!provider.is_empty() && !model.is_empty()).then_some((provider, model))
}

impl Config {
    /// `maxDepth` where the config, or its `maxDepth`, is missing.
    pub const DEFAULT_MAX_DEPTH: u64 = 3;
    /// `supervisorInterval` where it is missing.
    pub const DEFAULT_SUPERVISOR_INTERVAL: u64 = 3;

    /// Reads the value of `config`, which must not be null.
    pub fn from_value(value: &Value) -> Result<Config, FieldError> {
        Config::read(&Field::at(Some(value), &["config"]))
    }

    fn read(field: &Field<'_>) -> Result<Config, FieldError> {
        field.object()?;
        let count = |key, default| match field.get(key).present() {
            Some(field) => field.count(),
            None => Ok(default),
        };
        Ok(Config {
            max_depth: count("maxDepth", Config::DEFAULT_MAX_DEPTH)?,
            supervisor_interval: count("supervisorInterval", Config::DEFAULT_SUPERVISOR_INTERVAL)?,
            heap_limit: field.get("heapLimit").present().map(|f| size(&f)).transpose()?,
            providers: entries(field.get("providers"), Provider::read)?,
            models: entries(field.get("models"), |field| field.string().map(str::to_owned))?,
        })
    }

    /// Steps between two questions to the supervisor; 0 asks it never.
    pub fn supervisor_interval(&self) -> u64 {
        self.supervisor_interval
    }

    /// The model for a scene (`extract`, `supervisor`), else the `default` one.
    /// `env` looks up environment variables; it is asked for the key alone.
    pub fn resolve_model(
        &self,
        scene: &str,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<ResolvedModel, ConfigError> {
        let found =
            self.models.get_key_value(scene).or_else(|| self.models.get_key_value("default"));
        let (scene, reference) =
            found.ok_or_else(|| ConfigError::NoModel { scene: scene.to_owned() })?;
        let (name, model) = split_model_ref(reference).ok_or_else(|| {
            ConfigError::NotAReference { scene: scene.clone(), reference: reference.clone() }
        })?;
        let provider = self.providers.get(name).ok_or_else(|| ConfigError::UnknownProvider {
            scene: scene.clone(),
            provider: name.to_owned(),
            known: self.providers.keys().cloned().collect(),
        })?;
        let api_key = match &provider.api_key {
            ApiKey::Literal(key) => key.clone(),
            ApiKey::Env(variable) => {
                let key = env(variable).filter(|key| !key.is_empty());
                key.ok_or_else(|| ConfigError::KeyNotSet {
                    provider: name.to_owned(),
                    variable: variable.clone(),
                })?
            }
        };
        Ok(ResolvedModel { base_url: provider.base_url.clone(), api_key, model: model.to_owned() })
    }
}

impl Provider {
    fn read(field: &Field<'_>) -> Result<Provider, FieldError> {
        field.object()?;
        let key = field.get("apiKey");
        let api_key = match key.string()?.strip_prefix("env:") {
            Some("") => return Err(key.wrong("env: and the name of an environment variable")),
            Some(variable) => ApiKey::Env(variable.to_owned()),
            None => ApiKey::Literal(key.string()?.to_owned()),
        };
        Ok(Provider { base_url: field.get("baseUrl").string()?.to_owned(), api_key })
    }
}

fn size(field: &Field<'_>) -> Result<u64, FieldError> {
    let expected = "an amount of memory from 32MB to 64GB, such as \"256MB\"";
    let text = match field.count() {
        Ok(bytes) => bytes.to_string(),
        Err(_) => field.string().map_err(|_| field.wrong(expected))?.to_owned(),
    };
    parse_size(&text).map_err(|_| FieldError { found: "another value", ..field.wrong(expected) })
}

fn entries<T>(
    field: Field<'_>,
    read: impl Fn(&Field<'_>) -> Result<T, FieldError>,
) -> Result<IndexMap<String, T>, FieldError> {
    let Some(field) = field.present() else { return Ok(IndexMap::new()) };
    let entries = field.entries()?.into_iter();
    entries.map(|(key, field)| Ok((key.to_owned(), read(&field)?))).collect()
}
