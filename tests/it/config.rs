//! The part of `workflow.yaml` that says which models answer.

use std::path::Path;

use uncaged_workflow::bundle::{
    ApiKey, Config, ConfigError, Registry, ResolvedModel, split_model_ref,
};

fn registry(text: &str) -> Registry {
    Registry::parse(Path::new("workflow.yaml"), text.to_owned()).unwrap()
}

fn config(text: &str) -> Config {
    registry(text).config().unwrap().unwrap()
}

fn refused(text: &str) -> String {
    registry(text).config().unwrap_err().to_string()
}

fn no_env(name: &str) -> Option<String> {
    panic!("{name} was looked up")
}

const TWO_PROVIDERS: &str = "
config:
  maxDepth: 5
  supervisorInterval: 0
  providers:
    cloud: { baseUrl: 'https://cloud.example/v1', apiKey: env:CLOUD_KEY, region: eu }
    local: { baseUrl: http://127.0.0.1:11434/v1, apiKey: secret, headers: { x: 1 } }
  models:
    default: local/qwen
    extract: cloud/vendor/model:free
  telemetry: off
";

#[test]
fn a_scene_has_its_model_or_the_default_one() {
    let config = config(TWO_PROVIDERS);
    let env = |name: &str| (name == "CLOUD_KEY").then(|| "from the environment".to_owned());
    assert_eq!(
        config.resolve_model("extract", &env),
        Ok(ResolvedModel {
            base_url: "https://cloud.example/v1".into(),
            api_key: "from the environment".into(),
            // The first slash splits.
            model: "vendor/model:free".into(),
        })
    );
    let local = ResolvedModel {
        base_url: "http://127.0.0.1:11434/v1".into(),
        api_key: "secret".into(),
        model: "qwen".into(),
    };
    for scene in ["supervisor", "default", "anything"] {
        assert_eq!(config.resolve_model(scene, &no_env), Ok(local.clone()));
    }
}

#[test]
fn numbers_have_their_defaults_and_others_are_read() {
    let written = config(TWO_PROVIDERS);
    assert_eq!((written.max_depth, written.supervisor_interval()), (5, 0));
    for text in ["config: {}", "config: { maxDepth: null, providers: null, models: ~ }"] {
        let config = config(text);
        assert_eq!((config.max_depth, config.supervisor_interval()), (3, 3));
        assert_eq!((config.providers.len(), config.models.len()), (0, 0));
    }
    for text in ["", "config:", "config: null", "workflows: {}"] {
        assert_eq!(registry(text).config().unwrap(), None);
    }
}

#[test]
fn a_scene_without_a_model_says_what_is_missing() {
    let error = |config: &Config, scene| config.resolve_model(scene, &|_| None).unwrap_err();
    let empty = config("config: {}");
    assert_eq!(error(&empty, "extract"), ConfigError::NoModel { scene: "extract".into() });
    let both = config(TWO_PROVIDERS);
    assert_eq!(
        error(&both, "extract"),
        ConfigError::KeyNotSet { provider: "cloud".into(), variable: "CLOUD_KEY".into() }
    );
    // Set and empty is not set.
    assert!(both.resolve_model("extract", &|_| Some(String::new())).is_err());
    let broken = config(
        "config: { providers: { a: { baseUrl: x, apiKey: k } },
                   models: { extract: gpt-5, supervisor: b/model, default: a/, third: /m } }",
    );
    let messages =
        ["extract", "supervisor", "default", "third"].map(|s| error(&broken, s).to_string());
    assert_eq!(
        messages,
        [
            "config.models.extract is `gpt-5`: expected `provider/model`",
            "config.models.supervisor names the provider `b`, which config.providers lacks",
            "config.models.default is `a/`: expected `provider/model`",
            "config.models.third is `/m`: expected `provider/model`",
        ]
    );
    assert_eq!(
        error(&both, "extract").to_string(),
        "config.providers.cloud.apiKey is env:CLOUD_KEY, and CLOUD_KEY is not set"
    );
    assert_eq!(
        error(&empty, "extract").to_string(),
        "config.models has neither `extract` nor `default`"
    );
}

#[test]
fn a_field_of_the_wrong_kind_is_named_with_its_line() {
    let cases = [
        ("\n\nconfig: 5", "workflow.yaml:3: `config` is a number: expected a mapping"),
        (
            "config:\n  maxDepth: -1\n",
            "workflow.yaml:2: `config.maxDepth` is a number: expected a whole number that is not negative",
        ),
        (
            "config:\n  supervisorInterval: three\n",
            "workflow.yaml:2: `config.supervisorInterval` is a string: expected a whole number that is not negative",
        ),
        (
            "config:\n  maxDepth: 1.5\n",
            "workflow.yaml:2: `config.maxDepth` is a number: expected a whole number that is not negative",
        ),
        (
            "config:\n  providers:\n    a:\n      apiKey: k\n",
            "workflow.yaml:3: `config.providers.a.baseUrl` is missing: expected a string",
        ),
        (
            "config:\n  providers:\n    a:\n      baseUrl: x\n      apiKey: 12345\n",
            "workflow.yaml:5: `config.providers.a.apiKey` is a number: expected a string",
        ),
        (
            "config:\n  providers:\n    a:\n      baseUrl: x\n      apiKey: 'env:'\n",
            "workflow.yaml:5: `config.providers.a.apiKey` is a string: expected env: and the name of an environment variable",
        ),
        (
            "config:\n  models:\n    default: [a, b]\n",
            "workflow.yaml:3: `config.models.default` is a list: expected a string",
        ),
        (
            "{config: {models: {\n 'odd name':\n true}}}",
            "workflow.yaml:2: `config.models[\"odd name\"]` is a boolean: expected a string",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(refused(text), message);
    }
}

#[test]
fn keys_are_in_no_debug_text_and_in_no_error() {
    let registry = registry(TWO_PROVIDERS);
    let config = registry.config().unwrap().unwrap();
    let model = config.resolve_model("default", &no_env).unwrap();
    assert_eq!(
        format!("{model:?}"),
        r#"ResolvedModel { base_url: "http://127.0.0.1:11434/v1", model: "qwen", .. }"#
    );
    let keys: Vec<_> = config.providers.values().map(|p| format!("{:?}", p.api_key)).collect();
    assert_eq!(keys, ["Env(\"CLOUD_KEY\")", "Literal(…)"]);
    assert!(!format!("{registry:?} {config:?}").contains("secret"));
    assert_eq!(config.providers["local"].api_key, ApiKey::Literal("secret".into()));
    let wrong = TWO_PROVIDERS.replace("apiKey: secret", "apiKey: [secret]");
    assert!(!refused(&wrong).contains("secret"));
}

#[test]
fn a_reference_splits_at_its_first_slash() {
    assert_eq!(split_model_ref("a/b/c"), Some(("a", "b/c")));
    for text in ["", "a", "a/", "/b", "/"] {
        assert_eq!(split_model_ref(text), None, "{text}");
    }
}
