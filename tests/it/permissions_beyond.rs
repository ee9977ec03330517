//! Permissions beyond the bundle's own code: what the program around it does, and
//! the programs that it starts.

use serde_json::{Value, json};

use crate::support::chat_server::{ChatServer, Reply};
use crate::support::env::TestEnv;
use crate::support::permissions::{add, bundle, probed, probed_with, program, refused};

#[test]
fn a_schema_that_cannot_validate_is_refused_before_a_model_is_asked() {
    let model = ChatServer::answering(|_| Reply::text("{\"n\": 7}"));
    let env = TestEnv::new();
    let url = model.base_url();
    let setup = ["setup", "--provider", "p", "--base-url", &url, "--model", "m"];
    env.run([&setup[..], &["--api-key", "none", "--no-check"]].concat()).ok();
    let source = bundle(
        "const hash = await cas.put('text');
         const ask = (schema) => caught(() => runtime.extract(schema, hash));
         yield await step({ said: [await ask({ type: 'object' }), await ask(null)] });",
    );
    env.add("probe", &source);
    let refused = "TypeError: extract: the schema cannot validate an answer, as a plain JSON Schema \
        cannot: give a zod 4 schema, or an object with `~standard: { validate, jsonSchema }` \
        (Standard Schema)";
    assert_eq!(probed(&env, "probe"), json!({ "said": [refused, refused] }));
    assert_eq!(model.requests(), []);
}

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

#[test]
fn a_model_that_a_bundle_names_leads_to_no_host_that_it_may_not_talk_to() {
    let secret = ChatServer::answering(|_| Reply::text("inside"));
    let to = secret.base_url();
    let named = ChatServer::answering({
        let to = to.clone();
        move |_| Reply::raw("").status(307).header("location", &to)
    });
    let env = TestEnv::new();
    let source = bundle(&format!(
        "const ask = createLlmFn({{ baseUrl: '{}', apiKey: 'k', model: 'm' }});
         const reply = await ask({{ messages: [], tools: [] }});
         yield await step({{ said: reply.ok ? 'answered' : reply.error }});",
        named.base_url(),
    ));
    let host = named.url().replace("http://", "");
    add(&env, "probe", &source, &[&format!("--allow-net={host}")]);
    let meta = probed(&env, "probe");
    let said = meta["said"].as_str().unwrap();
    assert!(said.contains("307") && said.contains(&format!("location: {to}")), "{said}");
    assert_eq!((named.requests().len(), secret.requests().len()), (1, 0));
}

#[test]
fn agent_programs_need_only_the_permission_to_be_started() {
    let env = TestEnv::new();
    let programs = ["hermes", "cursor-agent", "plain"];
    for name in programs {
        program(&env, name);
    }
    let source = bundle(
        "const seen = [];
         const { spawn } = cp;
         cp.spawn = (...args) => { seen.push(args[2].env?.SEEN); return spawn(...args); };
         const ctx = { ...thread, currentRole: { name: 'agent', systemPrompt: 'Do it.' } };
         const extract = async () => ({ workspace: WORK });
         yield await step({
           hermes: await caught(() => createHermesAgent({ model: null, timeout: null })(ctx)),
           cursor: await caught(() => createCursorAgent({ model: null, timeout: 0, extract })(ctx)),
           plain: await caught(() => spawnCli('plain', [], { cwd: null, timeoutMs: null, role: 'own' })),
           entered: await caught(() => spawnCli('plain', [], { cwd: null, timeoutMs: null })),
           sees: await caught(() => process.env.SEEN), seen: seen.filter(Boolean),
         });",
    );
    let source = format!(
        "import cp from 'node:child_process';
         import {{ createHermesAgent }} from '@uncaged/workflow-agent-hermes';
         import {{ createCursorAgent }} from '@uncaged/workflow-agent-cursor';
         import {{ spawnCli }} from '@uncaged/workflow-util-agent';
         {}",
        source.replace("WORK", &format!("{:?}", env.work())),
    );
    let said = |plain: Value, entered: Value, hermes: &str, cursor: &str| {
        json!({
            "hermes": hermes, "cursor": cursor, "plain": plain, "entered": entered,
            "sees": refused("env", "SEEN", "SEEN"), "seen": [],
        })
    };
    add(&env, "agents", &source, &["--allow-run=hermes,cursor-agent,plain"]);
    assert_eq!(
        probed_with(&env, "agents", ("SEEN", "all")),
        said(
            json!({ "ok": true, "value": "plain for own, sees all" }),
            json!({ "ok": true, "value": "plain for , sees all" }),
            "hermes for agent, sees all",
            "cursor-agent for agent, sees all",
        )
    );

    // A refusal is a result as every failure is.
    add(&env, "agents", &source, &["--allow-none"]);
    let refusal = |name: &str| refused("run", name, name).replace("NotCapable: ", "");
    let failed = |name: &str| json!({ "ok": false, "error": { "kind": "spawn_failed", "message": refusal(name) } });
    let thrown =
        |name: &str| format!("Error: {name}: the program could not be started: {}", refusal(name));
    assert_eq!(
        probed_with(&env, "agents", ("SEEN", "all")),
        said(failed("plain"), failed("plain"), &thrown("hermes"), &thrown("cursor-agent"))
    );
}

#[test]
fn variables_for_the_loader_hinder_no_program_that_may_be_started() {
    let env = TestEnv::new();
    program(&env, "plain");
    let source = bundle(
        "const own = { LD_SEEN: 'own' };
         yield await step({
           inherited: await caught(() => execFileSync('plain').toString()),
           own: (await caught(() => execFileSync(PLAIN, { env: own }).toString())).slice(0, 46),
         });",
    );
    let source = source.replace("PLAIN", &format!("{:?}", env.work().join("bin/plain")));
    let refused = "NotCapable: Requires --allow-run permissions t";
    for (flag, inherited, own) in [
        ("--allow-run=plain", "plain for , sees ", refused),
        ("--allow-run", "plain for , sees loaded", "plain for , sees own"),
        ("--allow-all", "plain for , sees loaded", "plain for , sees own"),
    ] {
        add(&env, "loader", &source, &[flag]);
        let meta = probed_with(&env, "loader", ("LD_SEEN", "loaded"));
        assert_eq!(meta, json!({ "inherited": inherited, "own": own }), "{flag}");
    }
}
