//! `setup`: the model that extracts and supervises.

use crate::support::env::TestEnv;

#[test]
fn setup_writes_provider_and_model_and_keeps_the_rest() {
    let env = TestEnv::new();
    let setup = |provider: &str, key: &str, scene: &[&str]| {
        let args = ["setup", "--provider", provider, "--base-url", "http://localhost:1/v1"];
        env.run([&args[..], &["--api-key", key, "--model", "org/m"], scene].concat())
    };
    assert_eq!(setup("local", "env:KEY", &[]).ok(), "default uses local/org/m\n");
    assert_eq!(setup("other", "none", &["--scene", "extract"]).ok(), "extract uses other/org/m\n");
    assert_eq!(
        env.read("store/workflow.yaml"),
        "\"config\":\n  \"maxDepth\": 3\n  \"supervisorInterval\": 3\n  \"providers\":\n    \
         \"local\":\n      \"baseUrl\": \"http://localhost:1/v1\"\n      \"apiKey\": \"env:KEY\"\n    \
         \"other\":\n      \"baseUrl\": \"http://localhost:1/v1\"\n      \"apiKey\": \"none\"\n  \
         \"models\":\n    \"default\": \"local/org/m\"\n    \"extract\": \"other/org/m\"\n\
         \"workflows\": {}\n\n"
    );
}

#[test]
fn setup_refuses_a_provider_that_no_reference_could_name() {
    let env = TestEnv::new();
    let args = ["setup", "--provider", "a/b", "--base-url", "x", "--api-key", "k", "--model", "m"];
    let output = env.run(args);
    assert_eq!(output.stderr, "error: a provider's name has no `/` and is not empty\n");
    assert_eq!(output.code, Some(2));
    assert!(!env.root().exists());
}
