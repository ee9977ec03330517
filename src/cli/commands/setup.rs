use clap::Args;
use serde_json::{Map, Value, json};

use super::super::Context;
use super::super::error::CommandError;
use crate::bundle::{Config, Registry};

/// Name the model that extracts typed answers and supervises
///
/// Writes the provider and the model into `workflow.yaml` of the store. What
/// else stands there is kept, but for comments.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow setup --provider openai --base-url https://api.openai.com/v1 \\
      --api-key env:OPENAI_API_KEY --model gpt-4.1-mini
  uncaged-workflow setup --provider local --base-url http://localhost:8080/v1 \\
      --api-key none --model qwen3 --scene supervisor")]
pub(in super::super) struct SetupArgs {
    /// A name of your choice for the provider
    #[arg(long, value_name = "NAME")]
    provider: String,
    /// Its address, up to and without `/chat/completions`
    #[arg(long, value_name = "URL")]
    base_url: String,
    /// Its key; `env:NAME` reads the variable NAME whenever the key is needed
    #[arg(long, value_name = "KEY|env:NAME")]
    api_key: String,
    /// The model's name at the provider
    #[arg(long)]
    model: String,
    /// What the model is for: `default`, `extract` or `supervisor`
    #[arg(long, default_value = "default", value_parser = ["default", "extract", "supervisor"])]
    scene: String,
}

pub(super) fn cmd_setup(context: &Context, args: &SetupArgs) -> Result<(), CommandError> {
    if args.provider.is_empty() || args.provider.contains('/') {
        return Err(CommandError::usage("a provider's name has no `/` and is not empty"));
    }
    if args.model.is_empty() {
        return Err(CommandError::usage("a model's name is not empty"));
    }
    let path = context.store.layout().registry();
    let reference = format!("{}/{}", args.provider, args.model);
    // What a person wrote is validated before anything is put beside it.
    Registry::load(&path)?.config()?;
    Registry::update(&path, |registry| {
        let mut config = match registry.config_value() {
            Value::Object(config) => config.clone(),
            _ => Map::from_iter([
                ("maxDepth".to_owned(), json!(Config::DEFAULT_MAX_DEPTH)),
                ("supervisorInterval".to_owned(), json!(Config::DEFAULT_SUPERVISOR_INTERVAL)),
            ]),
        };
        let provider = json!({ "baseUrl": args.base_url, "apiKey": args.api_key });
        entry(&mut config, "providers", &args.provider, provider);
        entry(&mut config, "models", &args.scene, json!(reference));
        registry.set_config(Value::Object(config));
        registry.config().map(drop)
    })?;
    context.ui.line(format!("{} uses {reference}", args.scene))
}

/// Sets `config[table][key]`.
fn entry(config: &mut Map<String, Value>, table: &str, key: &str, value: Value) {
    let table = config.entry(table).or_insert_with(|| json!({}));
    if !table.is_object() {
        *table = json!({});
    }
    table[key] = value;
}
