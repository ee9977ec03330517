use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use serde_json::{Map, Value, json};

use super::super::error::CommandError;
use super::super::{Context, ask};
use super::add::block_on;
use crate::bundle::{ApiKey, Config, Registry};
use crate::llm::{self, Client, Limits, SystemClock, answer};

/// Name the model that extracts typed answers and supervises
///
/// Writes the provider and the model into `workflow.yaml` of the store, after
/// one call has shown that they work. What else stands there is kept, but for
/// comments. At a terminal, what is not given is asked for.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow setup                asks for everything
  uncaged-workflow setup --provider openai --base-url https://api.openai.com/v1 \\
      --api-key env:OPENAI_API_KEY --model gpt-4.1-mini
  uncaged-workflow setup --provider local --base-url http://localhost:8080/v1 \\
      --api-key none --model qwen3 --scene supervisor --no-check")]
pub(in super::super) struct SetupArgs {
    /// A name of your choice for the provider
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// Its address, up to and without `/chat/completions`
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Its key; `env:NAME` reads the variable NAME whenever the key is needed, `none` is no key
    #[arg(long, value_name = "KEY|env:NAME|none")]
    api_key: Option<String>,
    /// The model's name at the provider
    #[arg(long)]
    model: Option<String>,
    /// What the model is for: `default`, `extract` or `supervisor`
    #[arg(long, default_value = "default", value_parser = ["default", "extract", "supervisor"])]
    scene: String,
    /// Do not ask the model whether it answers
    #[arg(long)]
    no_check: bool,
}

/// What is to be written.
struct Wanted {
    provider: String,
    base_url: String,
    /// As it is written down: empty for none.
    api_key: String,
    model: String,
}

pub(super) fn cmd_setup(context: &Context, args: &SetupArgs) -> Result<(), CommandError> {
    let path = context.store.layout().registry();
    // What a person wrote is validated before anything is put beside it.
    let config = Registry::load(&path)?.config()?;
    let wanted = wanted(args, config.as_ref())?;
    if !args.no_check {
        check(context, &wanted)?;
    }
    if !wanted.api_key.is_empty() && !wanted.api_key.starts_with("env:") {
        keep_private(&path)?;
    }
    let reference = format!("{}/{}", wanted.provider, wanted.model);
    Registry::update(&path, |registry| {
        let mut config = match registry.config_value() {
            Value::Object(config) => config.clone(),
            _ => Map::from_iter([
                ("maxDepth".to_owned(), json!(Config::DEFAULT_MAX_DEPTH)),
                ("supervisorInterval".to_owned(), json!(Config::DEFAULT_SUPERVISOR_INTERVAL)),
            ]),
        };
        let provider = json!({ "baseUrl": wanted.base_url, "apiKey": wanted.api_key });
        entry(&mut config, "providers", &wanted.provider, provider);
        entry(&mut config, "models", &args.scene, json!(reference));
        registry.set_config(Value::Object(config));
        registry.config().map(drop)
    })?;
    let value = json!({ "scene": args.scene, "model": reference, "checked": !args.no_check });
    context.ui.said(format!("{} uses {reference}", args.scene), &value)
}

/// What the flags say; the rest is asked for, where somebody is there to answer.
fn wanted(args: &SetupArgs, config: Option<&Config>) -> Result<Wanted, CommandError> {
    let flags = [
        ("--provider", args.provider.is_none()),
        ("--base-url", args.base_url.is_none()),
        ("--api-key", args.api_key.is_none()),
        ("--model", args.model.is_none()),
    ];
    let missing: Vec<&str> =
        flags.iter().filter(|(_, none)| *none).map(|(flag, _)| *flag).collect();
    if !missing.is_empty() && !ask::possible() {
        let message = format!("setup needs {} where there is no terminal", missing.join(", "));
        return Err(CommandError::usage(message)
            .hint("`uncaged-workflow setup --help` shows whole commands"));
    }
    let provider = match &args.provider {
        Some(provider) => provider.clone(),
        None => ask::line("Provider, a name of your choice", Some("openai"))?,
    };
    if provider.is_empty() || provider.contains('/') {
        return Err(CommandError::usage("a provider's name has no `/` and is not empty"));
    }
    let known = config.and_then(|config| config.providers.get(&provider));
    let base_url = match &args.base_url {
        Some(url) => url.clone(),
        None => {
            let usual = known.map(|known| known.base_url.as_str()).or(usual_url(&provider));
            ask::line("Base URL, without /chat/completions", usual)?
        }
    };
    if !base_url.starts_with("http://") && !base_url.starts_with("https://") {
        return Err(CommandError::usage("a base URL begins with http:// or https://"));
    }
    let api_key = match &args.api_key {
        Some(key) => key.clone(),
        None => {
            let variable = match known.map(|known| &known.api_key) {
                Some(ApiKey::Env(variable)) => variable.clone(),
                _ => usual_variable(&provider),
            };
            let question = "API key (not shown; `env:NAME` reads a variable, `none` is no key)";
            ask::secret(question, &format!("env:{variable}"))?
        }
    };
    let api_key = if api_key == "none" { String::new() } else { api_key };
    let model = match &args.model {
        Some(model) => model.clone(),
        None => ask::line("Model", None)?,
    };
    if model.is_empty() {
        return Err(CommandError::usage("a model's name is not empty"));
    }
    Ok(Wanted { provider, base_url, api_key, model })
}

/// Where providers of these names are.
fn usual_url(provider: &str) -> Option<&'static str> {
    match provider {
        "openai" => Some("https://api.openai.com/v1"),
        "openrouter" => Some("https://openrouter.ai/api/v1"),
        "ollama" => Some("http://localhost:11434/v1"),
        _ => None,
    }
}

/// `OPENAI_API_KEY` for `openai`.
fn usual_variable(provider: &str) -> String {
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = provider.chars().map(upper).collect();
    format!("{name}_API_KEY")
}

/// Asks the model once, with a tool as `extract` does.
fn check(context: &Context, wanted: &Wanted) -> Result<(), CommandError> {
    const SKIP: &str = "`--no-check` writes it down all the same";
    let api_key = match wanted.api_key.strip_prefix("env:") {
        None => wanted.api_key.clone(),
        Some(variable) => match std::env::var(variable) {
            Ok(key) if !key.is_empty() => key,
            _ => {
                return Err(CommandError::user(format!("the variable {variable} is not set"))
                    .hint(format!("export {variable}=… and try again"))
                    .hint(SKIP));
            }
        },
    };
    let (base_url, model) = (wanted.base_url.clone(), wanted.model.clone());
    let provider = llm::Provider { base_url, api_key, model };
    let limits = Limits {
        tries: 2,
        longest_wait: Duration::from_secs(5),
        silence: Duration::from_secs(120),
        ..Limits::default()
    };
    let client = Client::new(limits, std::sync::Arc::new(SystemClock));
    context.ui.note(format!("asking {} …", wanted.model));
    let refused = |error: &dyn std::fmt::Display| {
        let message = format!("{} does not answer: {error}", wanted.model);
        CommandError::user(message).hint("nothing was written").hint(SKIP)
    };
    let body = block_on(client.chat(&provider, &question()))?.map_err(|e| refused(&e))?;
    let answer = answer::parse(&body, 0).map_err(|e| refused(&e))?;
    if answer.calls.is_empty() {
        context.ui.note(format!(
            "warning: {} did not call the tool that it was asked to call; \
             typed answers need a model that calls tools",
            wanted.model
        ));
    }
    Ok(())
}

fn question() -> Value {
    let parameters = json!({
        "type": "object",
        "properties": { "ready": { "type": "boolean" } },
        "required": ["ready"],
    });
    let description = "Says whether you are ready";
    json!({
        "messages": [{ "role": "user", "content": "Are you ready? Answer by calling `ready`." }],
        "tools": [{ "type": "function", "function": {
            "name": "ready", "description": description, "parameters": parameters,
        } }],
        "tool_choice": "auto",
    })
}

/// A file with a key in it is its owner's alone, from before the key is in it.
fn keep_private(path: &Path) -> Result<(), CommandError> {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    match fs::set_permissions(path, Permissions::from_mode(0o600)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(CommandError::user(format!("cannot make {} private: {error}", path.display()))
                .hint("`--api-key env:NAME` keeps the key out of the file"))
        }
        _ => Ok(()),
    }
}

/// Sets `config[table][key]`.
fn entry(config: &mut Map<String, Value>, table: &str, key: &str, value: Value) {
    let table = config.entry(table).or_insert_with(|| json!({}));
    if !table.is_object() {
        *table = json!({});
    }
    table[key] = value;
}
