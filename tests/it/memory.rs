//! The heap limit of a thread, and what V8's own leaves out.

use serde_json::{Value, json};
use uncaged_workflow::object::ThreadId;

use crate::support::env::{TestEnv, wait_until};

fn bundle(body: &str) -> String {
    format!(
        "import fs from 'node:fs';
export const descriptor = {{ description: '', roles: {{ keeper: {{ description: '', schema: {{}} }} }} }};
export async function* run(thread, {{ cas }}) {{
  const kept = [];
  const step = async (meta) => ({{ role: 'keeper', contentHash: await cas.put('kept'), meta, refs: [] }});
  {body}
  return {{ returnCode: 0, summary: 'survived' }};
}}\n"
    )
}

fn exhausted(limit: &str) -> Value {
    let summary = format!("failed: out of memory: the heap limit of {limit} was reached");
    json!({ "returnCode": 1, "summary": summary })
}

/// What a bundle fills memory with, and a catch that must not save it.
const FILLING: &[(&str, &str)] = &[
    ("objects", "for (;;) kept.push(new Array(1000).fill({ x: 1 }));"),
    ("buffers", "for (;;) kept.push(Buffer.alloc(1 << 20, 1));"),
    ("caught", "for (;;) try { kept.push(new ArrayBuffer(1 << 20)) } catch { kept.push(1) }"),
    ("one-buffer", "try { kept.push(new Uint8Array(1e9)) } catch {}"),
    ("shared", "for (;;) kept.push(new SharedArrayBuffer(1 << 20));"),
    ("small-buffers", "for (;;) kept.push(Buffer.from('x'.repeat(1000)));"),
    ("clones", "for (;;) kept.push(structuredClone(new Uint8Array(1 << 20)));"),
    (
        "strings",
        "const x = 'x'.repeat(2 ** 28); for (;;) kept.push((x + kept.length).toUpperCase());",
    ),
    ("flat-string", "kept.push('\\u1234'.repeat(2 ** 29 - 25).charCodeAt(5));"),
    ("array", "new Array(1e9).fill(1);"),
    (
        "resizable",
        "for (;;) { const buffer = new ArrayBuffer(1, { maxByteLength: 1 << 26 });
           buffer.resize(1 << 24); new Uint8Array(buffer).fill(1); kept.push(buffer); }",
    ),
    (
        "wasm",
        "for (;;) { const memory = new WebAssembly.Memory({ initial: 256 });
           new Uint8Array(memory.buffer).fill(1); kept.push(memory); }",
    ),
    (
        "wasm-in-turns",
        "for (;;) { const memory = new WebAssembly.Memory({ initial: 256 });
           new Uint8Array(memory.buffer).fill(1); kept.push(memory);
           await new Promise((resolve) => setTimeout(resolve, 1)); }",
    ),
    ("file", "kept.push(fs.readFileSync('/dev/zero'));"),
    ("file-behind", "kept.push(await fs.promises.readFile('/dev/zero'));"),
];

#[test]
fn reaching_the_heap_limit_fails_that_thread_alone_whatever_fills_it() {
    let env = TestEnv::new();
    let bodies = FILLING
        .iter()
        .map(|(name, body)| format!("if (thread.start.content === {name:?}) {{ {body} }}"));
    let bodies = bodies.collect::<Vec<_>>().join("\n");
    let waiting = "while (!fs.existsSync('go')) await new Promise((r) => setTimeout(r, 5));";
    env.add("fills", &bundle(&format!("yield await step({{}});\n{bodies}\n{waiting}")));
    let neighbour = env.start("fills", &["--prompt", "neighbour"]);
    for (name, _) in FILLING {
        let thread = env.start("fills", &["--prompt", name, "--heap-limit", "64MB"]);
        assert_eq!(env.ended(&thread), exhausted("64 MB"), "{name}");
        let shown = env.show(&thread);
        assert_eq!(shown["steps"].as_array().unwrap().len(), 2, "{name}: its step stays");
    }
    env.write("go", "");
    assert_eq!(env.ended(&neighbour)["summary"], "survived");
}

#[test]
fn garbage_never_reaches_the_limit() {
    let env = TestEnv::new();
    let body = "for (let i = 0; i < 600; i++) { Buffer.allocUnsafe(1 << 20); new SharedArrayBuffer(1 << 18);
                  new Array(1e5).fill(i); }";
    env.add("litters", &bundle(body));
    let thread = env.start("litters", &["--heap-limit", "64MB"]);
    assert_eq!(env.ended(&thread)["summary"], "survived");
}

#[test]
fn the_limit_comes_from_the_command_line_else_from_the_config() {
    let env = TestEnv::new();
    let fill = "if (thread.steps.length === 0) yield await step({});
                for (let i = 0; i < 96; i++) kept.push(Buffer.alloc(1 << 20, 1));";
    env.add("fills", &bundle(fill));
    let end = |args: &[&str]| env.ended(&env.start("fills", args));
    assert_eq!(end(&[])["summary"], "survived");
    let path = env.root().join("workflow.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let config = |limit: &str| {
        let config = format!("\"config\":\n  \"heapLimit\": {limit}\n");
        std::fs::write(&path, text.replace("\"config\": null\n", &config)).unwrap();
    };
    for limit in ["\"64MB\"", "67108864", "64 mib"] {
        config(limit);
        assert_eq!(end(&[]), exhausted("64 MB"), "{limit}");
    }
    assert_eq!(end(&["--heap-limit", "256MB"])["summary"], "survived");
    // A fork goes on with more.
    let thread = env.start("fills", &["--heap-limit", "32M"]);
    assert_eq!(env.ended(&thread), exhausted("32 MB"));
    let shown = env.show(&thread);
    assert_eq!(
        shown["steps"][1]["content"],
        "out of memory: the heap limit of 32 MB was reached\n\n`uncaged-workflow run --heap-limit 2GB` \
         (or `fork --heap-limit 2GB`, to go on from its last steps) allows more, `heapLimit: \"2GB\"` \
         under `config` in workflow.yaml all threads"
    );
    let fork = |args: &[&str]| {
        let args = [&["fork", thread.as_str(), "--from-role", "keeper"], args].concat();
        let forked: ThreadId = env.run(args).ok().trim().parse().unwrap();
        env.ended(&forked)
    };
    assert_eq!(fork(&[]), exhausted("32 MB"));
    assert_eq!(fork(&["--heap-limit", "1G"])["summary"], "survived");
}

#[test]
fn an_amount_that_is_none_says_what_to_write() {
    let env = TestEnv::new();
    env.add("fills", &bundle("yield await step({});"));
    for amount in ["much", "1MB", "100GB", "64XB", "-1", "", "99999999999999999999GB"] {
        let output = env.run(["run", "fills", &format!("--heap-limit={amount}")]);
        let expected = format!(
            "`{amount}` is not an amount of memory from 32MB to 64GB: write it like 256MB or 2GB"
        );
        assert_eq!(output.code, Some(2), "{amount}");
        let said = output.stderr.contains(&expected) || amount.is_empty();
        assert!(said, "{amount}: {}", output.stderr);
    }
    let path = env.root().join("workflow.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("null", "\n  heapLimit: much")).unwrap();
    let output = env.run([
        "setup",
        "--provider",
        "p",
        "--base-url",
        "http://x",
        "--api-key",
        "k",
        "--model",
        "m",
    ]);
    let expected = format!(
        "error: {}:2: `config.heapLimit` is another value: expected an amount of memory from 32MB to 64GB, such as \"256MB\"\n",
        path.display()
    );
    assert_eq!((output.stderr, output.code), (expected, Some(1)));
}

#[test]
fn a_thread_that_waits_is_watched_at_no_cost() {
    use crate::support::procs::{thread_process, ticks};
    let env = TestEnv::new();
    env.add(
        "rests",
        &bundle("yield await step({}); await new Promise((r) => setTimeout(r, 1e8));"),
    );
    let thread = env.start("rests", &[]);
    wait_until("it has a step", || env.show(&thread)["steps"].get(0).cloned());
    let process = thread_process(&env, &thread);
    wait_until("a second costs it no more than a hundredth of one", || {
        let before = ticks(process);
        std::thread::park_timeout(std::time::Duration::from_secs(1));
        (ticks(process) - before <= 1).then_some(())
    });
    env.run(["kill", thread.as_str()]).ok();
}
