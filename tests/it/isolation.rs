//! Threads side by side: whatever one does, the other and their worker go on.

use serde_json::{Value, json};
use uncaged_workflow::object::ThreadId;

use crate::support::env::{TestEnv, wait_until};
use crate::support::procs::{thread_process, wait_for_silence, workers};

fn bundle(body: &str) -> String {
    format!(
        r#"
import fs from "node:fs"; import {{ spawn }} from "node:child_process"; import vm from "node:vm";
export const descriptor = {{ description: "", roles: {{ worker: {{ description: "", schema: {{}} }} }} }};
let count = 0;
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const waiting = async () => {{ while (!fs.existsSync("go")) await rest(5); }};
export async function* run(thread, {{ cas }}) {{
  const prompt = thread.start.content;
  const step = async (meta) => ({{ role: "worker", contentHash: await cas.put("text"), meta, refs: [] }});
  {body}
  return {{ returnCode: 0, summary: "went" }};
}}
"#
    )
}

/// What a bundle does after its first step, and the summary of its end.
const ENDS: &[(&str, &str)] = &[
    (
        "Promise.reject(new Error('nobody cares')); await rest(1e8);",
        "failed: unhandled: Error: nobody cares",
    ),
    (
        "setTimeout(() => { throw new Error('late') }); await rest(1e8);",
        "failed: unhandled: Error: late",
    ),
    ("process.exit(0);", "failed: the bundle called process.exit(0)"),
    ("process.exit(3);", "failed: the bundle called process.exit(3)"),
    (
        "try { process.exit(4) } finally { yield await step({}) }",
        "failed: the bundle called process.exit(4)",
    ),
    ("process.abort();", "failed: the thread's process was killed by SIGABRT"),
    (
        "process.kill(process.pid, 'SIGKILL'); await rest(1e8);",
        "failed: the thread's process was killed by SIGKILL",
    ),
    (
        "process.kill(process.pid, 'SIGILL'); await rest(1e8);",
        "failed: the thread's process was killed by SIGILL",
    ),
    ("throw 'a string';", "failed: a string"),
    ("throw { code: 7 };", "failed: { code: 7 }"),
    ("throw undefined;", "failed: undefined"),
    ("throw null;", "failed: null"),
    ("const deep = () => deep() + 1; deep();", "failed: Maximum call stack size exceeded"),
    ("JSON.parse('['.repeat(1e6));", "failed: "),
    ("new Function('(' .repeat(1e5))();", "failed: Maximum call stack size exceeded"),
    (
        "await new Promise(() => {});",
        "failed: the generator awaits something that can never settle: nothing is left that could wake it",
    ),
    (
        "await new Promise((ok) => setTimeout(ok, 1e6).unref());",
        "failed: the generator awaits something that can never settle: nothing is left that could wake it",
    ),
    ("yield { role: 'worker' };", "failed: step 2: contentHash must be "),
    ("return { returnCode: 'zero' };", "failed: the returned value must be "),
    ("return;", "failed: the returned value must be "),
];

#[test]
fn an_end_that_no_return_was_fails_that_thread_alone_and_never_completes_it() {
    let env = TestEnv::new();
    let ends = ENDS.iter().enumerate();
    let ends = ends.map(|(number, (body, _))| format!("if (prompt === '{number}') {{ {body} }}"));
    let ends = ends.collect::<Vec<_>>().join("\n");
    env.add("ends", &bundle(&format!("yield await step({{}});\n{ends}\nawait waiting();")));
    let neighbour = env.start("ends", &["--prompt", "neighbour"]);
    let worker = workers(&env)[0].pid;
    for (number, (body, summary)) in ENDS.iter().enumerate() {
        let thread = env.start("ends", &["--prompt", &number.to_string()]);
        let end = env.ended(&thread);
        assert_eq!(end["returnCode"], 1, "{body}: {end}");
        let said = end["summary"].as_str().unwrap();
        let cut = summary.ends_with(' ');
        assert!(said == *summary || cut && said.starts_with(summary), "{body}: {said}");
        assert_eq!(env.show(&thread)["steps"].as_array().unwrap().len(), 2, "{body}");
    }
    assert_eq!(workers(&env)[0].pid, worker);
    env.write("go", "");
    assert_eq!(env.ended(&neighbour), json!({ "returnCode": 0, "summary": "went" }));
}

#[test]
fn a_rejected_or_stalled_top_level_await_fails_the_thread() {
    for (top, summary) in [
        ("await Promise.reject(new Error('no module'));", "failed: no module"),
        (
            "await new Promise(() => {});",
            "failed: the module awaits something that can never settle: nothing is left that could wake it",
        ),
        ("process.exit(5);", "failed: the bundle called process.exit(5)"),
    ] {
        let env = TestEnv::new();
        // Nothing may be read while `add` looks.
        let looks = "let live = false; try { live = fs.existsSync('live') } catch {}";
        env.add("loads", &format!("{}{looks}\nif (live) {{ {top} }}\n", bundle("")));
        env.write("live", "");
        let thread = env.start("loads", &[]);
        assert_eq!(env.ended(&thread), json!({ "returnCode": 1, "summary": summary }));
    }
}

#[test]
fn nothing_that_javascript_can_reach_ends_the_worker() {
    let env = TestEnv::new();
    let body = r#"
      if (prompt === "") await waiting();
      const said = [];
      for (const pid of [process.ppid, -process.ppid, -1]) {
        for (const signal of ["SIGTERM", "SIGKILL", "SIGSTOP"]) {
          try { said.push(process.kill(pid, signal)) } catch (error) { said.push(error.code) }
        }
      }
      said.push(process.kill(process.ppid, 0));
      const child = spawn("sleep", ["1000"]);
      const closed = new Promise((resolve) => child.on("close", (code, signal) => resolve(signal)));
      child.kill();
      said.push(await closed);
      yield await step({ said });
    "#;
    env.add("kills", &bundle(body));
    let neighbour = env.start("kills", &[]);
    let worker = workers(&env)[0].pid;
    let thread = env.start("kills", &["--prompt", "kill"]);
    assert_eq!(env.ended(&thread)["summary"], "went");
    let mut said = vec![json!("EPERM"); 9];
    said.extend([json!(true), json!("SIGTERM")]);
    assert_eq!(env.show(&thread)["steps"][0]["meta"]["said"], json!(said));
    assert_eq!(workers(&env)[0].pid, worker);
    env.write("go", "");
    assert_eq!(env.ended(&neighbour)["summary"], "went");
}

#[test]
fn two_threads_of_a_bundle_share_nothing() {
    let env = TestEnv::new();
    let body = r#"
      const seen = () => ({
        count: ++count, global: globalThis.mark ?? null, prototype: [].mark ?? null,
        env: process.env.MARK ?? null, path: process.env.PATH !== "changed",
        cwd: process.cwd() === process.env.PWD_BEFORE, console: console.mark ?? null,
        fs: fs.mark ?? null, title: process.title === "marked", context: vm.mark ?? null,
      });
      process.env.PWD_BEFORE = process.cwd();
      const first = seen();
      globalThis.mark = 1; Array.prototype.mark = 1; console.mark = 1; fs.mark = 1;
      process.env.MARK = "1"; process.env.PATH = "changed"; process.title = "marked";
      const flag = process.cwd() + "/" + prompt;
      const go = process.cwd() + "/go";
      process.chdir("/");
      fs.writeFileSync(flag, "");
      while (!fs.existsSync(go)) await rest(5);
      yield await step({ first, second: seen().count });
    "#;
    env.add("marks", &bundle(body));
    let one = env.start("marks", &["--prompt", "one"]);
    wait_until("the first has changed everything", || {
        env.work().join("one").exists().then_some(())
    });
    let two = env.start("marks", &["--prompt", "two"]);
    wait_until("the second too", || env.work().join("two").exists().then_some(()));
    assert_ne!(thread_process(&env, &one), thread_process(&env, &two));
    env.write("go", "");
    let first = json!({
        "count": 1, "global": null, "prototype": null, "env": null, "path": true, "cwd": true,
        "console": null, "fs": null, "title": false, "context": null,
    });
    for thread in [one, two] {
        assert_eq!(env.ended(&thread)["summary"], "went");
        let meta = env.show(&thread)["steps"][0]["meta"].clone();
        assert_eq!(meta, json!({ "first": first, "second": 2 }));
    }
}

#[test]
fn a_generator_that_returns_ends_its_thread_whatever_it_left_running() {
    let env = TestEnv::new();
    let body = r#"
      setInterval(() => fs.appendFileSync("ticks", "."), 5);
      spawn("sh", ["-c", "trap '' TERM HUP INT; (setsid sleep 1000 & echo $! > orphan); echo $$ > child; sleep 1000"],
        { stdio: "ignore", detached: true }).unref();
      while (!fs.existsSync("orphan") || !fs.existsSync("child")) await rest(5);
      new Promise(() => {});
    "#;
    env.add("leaves", &bundle(body));
    let thread = env.start("leaves", &[]);
    assert_eq!(env.ended(&thread), json!({ "returnCode": 0, "summary": "went" }));
    wait_for_silence(&env);
    for name in ["child", "orphan"] {
        let pid = env.read(format!("work/{name}")).trim().parse().unwrap();
        assert!(!crate::support::procs::is_alive(pid), "{name} {pid} lives");
    }
}

#[test]
fn a_killed_thread_has_time_for_its_finally_blocks_but_not_for_ever() {
    let env = TestEnv::new();
    let body = r#"
      try {
        const agent = spawn("sleep", ["1000"]);
        fs.writeFileSync(prompt + "-ready", "");
        await new Promise((resolve) => agent.on("close", resolve)); // the kill ends it
      } finally {
        fs.writeFileSync(prompt + "-began", "");
        const start = performance.now();
        while (prompt !== "brief" || performance.now() - start < 1000) {
          if (prompt === "busy") continue;
          await rest(10);
        }
        fs.writeFileSync(prompt + "-completed", "");
      }
    "#;
    env.add("lingers", &bundle(body));
    for prompt in ["brief", "busy", "slow"] {
        let thread = env.start("lingers", &["--prompt", prompt]);
        let left = |what: &str| env.work().join(format!("{prompt}-{what}")).exists();
        wait_until("its agent runs", || left("ready").then_some(()));
        env.run(["kill", thread.as_str()]).ok();
        assert_eq!(env.ended(&thread), json!({ "returnCode": 130, "summary": "thread aborted" }));
        assert_eq!((left("began"), left("completed")), (true, prompt == "brief"), "{prompt}");
    }
}

#[test]
fn later_steps_see_exactly_what_was_stored() {
    let env = TestEnv::new();
    let body = r#"
      if (thread.steps.length > 0) {
        yield await step({ seen: thread.steps.map((one) => one.meta) });
        return { returnCode: 0, summary: "went" };
      }
      yield await step({ when: new Date(0), gone: undefined, list: [undefined, 1.5, -0], text: "a\u2028b\ud800",
        nested: { "": null, "2": "b", "1": "a", __proto__: { not: "there" } }, own: { toJSON: () => "as text" },
        number: 1e21, small: 5e-324 });
      yield await step({ last: true });
    "#;
    let stored = json!({
        "when": "1970-01-01T00:00:00.000Z", "list": [null, 1.5, 0], "text": "a\u{2028}b\u{fffd}",
        "own": "as text", "number": 1e21, "small": 5e-324,
    });
    env.add("keeps", &bundle(&body.replace(", __proto__: { not: \"there\" }", "")));
    let thread = env.start("keeps", &[]);
    assert_eq!(env.ended(&thread)["summary"], "went");
    let first = env.show(&thread)["steps"][0]["meta"].clone();
    for (key, value) in stored.as_object().unwrap() {
        assert_eq!(&first[key], value, "{key}");
    }
    assert_eq!(first["nested"], json!({ "": null, "1": "a", "2": "b" }));
    assert_eq!(first.as_object().unwrap().len(), 7);
    let forked = env.run(["fork", thread.as_str()]).ok();
    let forked: ThreadId = forked.trim().parse().unwrap();
    assert_eq!(env.ended(&forked)["summary"], "went");
    let steps = env.show(&forked)["steps"].as_array().unwrap().clone();
    let seen = steps.iter().find_map(|step| step["meta"].get("seen")).unwrap();
    assert_eq!(seen, &json!([first]));
}

#[test]
fn values_that_are_no_plain_data_are_refused_with_the_path_of_the_field() {
    let env = TestEnv::new();
    let values = [
        (
            "{ a: { b: [1n] } }",
            "meta.a.b[0]: a BigInt is not JSON data: convert it with String() or Number()",
        ),
        ("{ a: NaN }", "meta.a: "),
        ("{ a: -Infinity }", "meta.a: "),
        ("(() => { const a = {}; a.a = a; return { a } })()", "meta.a.a: contains itself"),
        ("{ a: () => {} }", "meta.a: a function is not JSON data"),
        ("{ 'the key': Symbol() }", "meta[\"the key\"]: a symbol is not JSON data"),
        ("{ a: new Map() }", "meta.a: an instance of Map is not plain data"),
        ("{ a: new (class Own {})() }", "meta.a: an instance of Own is not plain data"),
        ("{ a: new Date(NaN) }", "meta.a: "),
    ];
    let bodies = values.iter().enumerate();
    let bodies = bodies.map(|(number, (value, _))| {
        format!("if (prompt === '{number}') yield await step({value});")
    });
    env.add("breaks", &bundle(&bodies.collect::<Vec<_>>().join("\n")));
    for (number, (value, problem)) in values.iter().enumerate() {
        let thread = env.start("breaks", &["--prompt", &number.to_string()]);
        let end = env.ended(&thread);
        let summary = end["summary"].as_str().unwrap();
        assert!(summary.starts_with(&format!("failed: step 1: {problem}")), "{value}: {summary}");
    }
}

#[test]
fn the_end_of_a_failed_thread_names_the_original_file_and_line() {
    let env = TestEnv::new();
    // The third line, the one that throws, is line 13 of agent.ts.
    let code = "export const descriptor = { description: '', roles: {} };\n\
                export async function* run() {\nthrow new Error('mapped');\n}\n";
    let map = "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIi4uL3NyYy9hZ2VudC50cyJdLCJuYW1lcyI6W10sIm1hcHBpbmdzIjoiQUFVQTtBQUNBO0FBQ0EifQ==";
    for (map, place) in [(map, "/src/agent.ts:13:1)"), ("bm9uc2Vuc2U=", ".esm.js:3:7)")] {
        let source = format!("{code}//# sourceMappingURL=data:application/json;base64,{map}\n");
        env.add("mapped", &source);
        let thread = env.start("mapped", &[]);
        assert_eq!(env.ended(&thread), json!({ "returnCode": 1, "summary": "failed: mapped" }));
        let content = env.show(&thread)["steps"][0]["content"].as_str().unwrap().to_owned();
        assert!(
            content.starts_with("Error: mapped\n    at run (") && content.contains(place),
            "{content}"
        );
    }
}

#[test]
fn the_console_goes_to_the_threads_log_with_its_level() {
    let env = TestEnv::new();
    let body = "console.log('plain', { a: 1 }); console.info('told'); console.debug('fine');
                console.warn('careful'); console.error(new Error('bad').message); console.log('%s-%d', 'x', 7);";
    let hash = env.add("talks", &bundle(body));
    let thread = env.start("talks", &[]);
    assert_eq!(env.ended(&thread)["summary"], "went");
    let log = env.read(format!("store/logs/{hash}/{thread}.info.jsonl"));
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let said: Vec<(String, String)> = lines
        .filter_map(|line| {
            let text = |key: &str| line.get(key)?.as_str().map(str::to_owned);
            Some((text("level")?, text("content")?))
        })
        .collect();
    let expected = [
        ("info", "plain { a: 1 }"),
        ("info", "told"),
        ("debug", "fine"),
        ("warn", "careful"),
        ("error", "bad"),
        ("info", "x-7"),
    ];
    assert_eq!(said, expected.map(|(level, text)| (level.to_owned(), text.to_owned())));
}
