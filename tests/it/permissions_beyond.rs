//! Permissions beyond the bundle's own code: what the program around it does, and
//! the programs that it starts.

use serde_json::json;

use crate::support::chat_server::{ChatServer, Reply};
use crate::support::env::TestEnv;
use crate::support::permissions::{add, bundle, probed};

#[test]
fn what_the_host_does_itself_needs_no_permission() {
    let configured = ChatServer::answering(|_| Reply::text("{\"n\": 7}"));
    let stranger = ChatServer::answering(|_| Reply::text("hello"));
    let env = TestEnv::new();
    let config = json!({
        "config": {
            "supervisorInterval": 0,
            "providers": { "local": { "baseUrl": configured.base_url(), "apiKey": "k" } },
            "models": { "default": "local/m" },
        },
        "workflows": {},
    });
    std::fs::create_dir_all(env.root()).unwrap();
    std::fs::write(env.root().join("workflow.yaml"), config.to_string()).unwrap();
    let source = bundle(&format!(
        "console.log('logged');
         const schema = {{ '~standard': {{}}, toJSONSchema: () => ({{ type: 'object' }}),
           safeParse: (data) => ({{ success: true, data }}) }};
         const ask = async (baseUrl) => {{
           const reply = await createLlmFn({{ baseUrl, apiKey: 'k', model: 'm' }})({{ messages: [], tools: [] }});
           return reply.ok ? 'answered' : reply.error;
         }};
         const hash = await cas.put('kept');
         yield await step({{
           kept: await cas.get(hash) !== null,
           agent: await caught(() => ask('{}')),
           stranger: await caught(() => ask('{}')),
         }});",
        configured.base_url(),
        stranger.base_url(),
    ));
    add(&env, "probe", &source, &["--allow-none"]);
    let meta = probed(&env, "probe");
    assert_eq!((&meta["kept"], &meta["agent"]), (&json!(true), &json!("answered")));
    let said = meta["stranger"].as_str().unwrap();
    assert!(said.contains("Requires net access to \"127.0.0.1:"), "{said}");
    assert!(said.contains("--allow-net=127.0.0.1:"), "{said}");
}

#[test]
fn a_program_that_may_be_started_has_the_users_environment() {
    let env = TestEnv::new();
    let source = bundle(
        "const lines = (text) => text.split('\\n').filter((line) => /^(HOME|ONLY)=/.test(line)).length;
         yield await step({
           inherited: lines(execFileSync('env').toString()),
           own: (await caught(() => process.env.HOME)).slice(0, 31),
         });",
    );
    add(&env, "probe", &source, &["--allow-run=env"]);
    let meta = probed(&env, "probe");
    assert_eq!(meta, json!({ "inherited": 1, "own": "NotCapable: Requires env access" }));
}
