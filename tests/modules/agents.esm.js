// Claims about agents and what they are built of. The prompt names the one to
// hold. Small scripts stand in for the programs that agents run.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCursorAgent, validateCursorAgentConfig } from "@uncaged/workflow-agent-cursor";
import { createHermesAgent, validateHermesAgentConfig } from "@uncaged/workflow-agent-hermes";
import { createWorkspaceTools, workspaceTools } from "@uncaged/workflow-agent-react";
import { buildAgentPrompt, createAgentAdapter, spawnCli } from "@uncaged/workflow-util-agent";

export const descriptor = { description: "claims about agents", roles: {} };

const newFolder = () => realpathSync(mkdtempSync(join(tmpdir(), "agents-")));

/** Puts a shell script in the way of a program's name. */
function standIn(program, script) {
  const folder = newFolder();
  const path = join(folder, program);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  process.env.PATH = `${folder}:${process.env.PATH}`;
  return folder;
}

/** Prints the folder it runs in, then its arguments between brackets. */
const PRINT_CALL = `pwd; for a in "$@"; do printf '[%s]\\n' "$a"; done`;

const step = (role, contentHash, meta) => ({ role, contentHash, meta, refs: [], timestamp: 1 });
const context = (steps = []) => ({
  threadId: "THREAD",
  depth: 0,
  bundleHash: "BUNDLE",
  start: {
    role: "__start__",
    content: "fix it",
    meta: { maxRounds: 9 },
    timestamp: 1,
    parentState: null,
  },
  steps,
  currentRole: { name: "coder", systemPrompt: "You are the coder." },
});

const TOOLS = `## Tools

Every step of this thread:

    uncaged-workflow thread show THREAD

Any node by its hash, such as a step's content:

    uncaged-workflow cas get <hash>`;

const claims = {
  a_first_step_is_told_role_and_task() {
    assert.equal(
      buildAgentPrompt(context()),
      `You are the coder.\n\n## Task\n\nfix it\n\n${TOOLS}`,
    );
  },

  one_earlier_step_is_told_in_full() {
    const told = buildAgentPrompt(context([step("planner", "HASH", { n: 1 })]));
    assert.equal(
      told,
      "You are the coder.\n\n## Task\n\nfix it\n\n## Previous Step\n\n" +
        `Role: planner\nContent: HASH\nMeta:\n{\n  "n": 1\n}\n\n${TOOLS}`,
    );
  },

  of_several_steps_only_the_last_is_told_in_full() {
    const steps = [step("a", "H1", { n: 1 }), step("b", "H2", { n: 2 }), step("c", "H3", {})];
    assert.equal(
      buildAgentPrompt(context(steps)),
      "You are the coder.\n\n## Task\n\nfix it\n\n## Earlier Steps\n\n" +
        '1. a: {"n":1}\n2. b: {"n":2}\n\n' +
        `## Last Step\n\nRole: c\nContent: H3\nMeta:\n{}\n\n${TOOLS}`,
    );
  },

  async a_command_gives_its_output_or_says_what_failed() {
    const sh = (script, options = {}) =>
      spawnCli("sh", ["-c", script], { cwd: null, timeoutMs: null, ...options });
    assert.deepEqual(await sh("printf '%s' \"a b\""), { ok: true, value: "a b" });
    assert.deepEqual(await sh("cat"), { ok: true, value: "" });
    assert.deepEqual(await sh("echo out; echo err >&2; exit 3"), {
      ok: false,
      error: { kind: "non_zero_exit", exitCode: 3, stdout: "out\n", stderr: "err\n" },
    });
    const folder = newFolder();
    assert.deepEqual(await sh("pwd", { cwd: folder }), { ok: true, value: `${folder}\n` });
    const missing = await spawnCli("no-such-program-here", [], { cwd: null, timeoutMs: 1000 });
    assert.equal(missing.error.kind, "spawn_failed");
    // No shell: what looks like one more command is an argument.
    const quoted = await spawnCli("printf", ["%s", "$(id); a"], { cwd: null, timeoutMs: null });
    assert.deepEqual(quoted, { ok: true, value: "$(id); a" });
  },

  async a_timeout_ends_a_command_whose_children_stay() {
    const timeout = { ok: false, error: { kind: "timeout" } };
    const run = (script) => spawnCli("sh", ["-c", script], { cwd: null, timeoutMs: 200 });
    assert.deepEqual(await run("exec sleep 60"), timeout);
    assert.deepEqual(await run("sleep 20 & wait"), timeout);
  },

  async much_output_arrives_whole() {
    const script = "i=0; while [ $i -lt 20000 ]; do echo 'k\u00e4se 0123456789'; i=$((i+1)); done";
    const run = await spawnCli("sh", ["-c", script], { cwd: null, timeoutMs: null });
    assert.equal(run.value, "k\u00e4se 0123456789\n".repeat(20_000));
  },

  async hermes_is_called_with_the_prompt() {
    standIn("hermes", PRINT_CALL);
    const call = (model) =>
      `${process.cwd()}\n` +
      ["chat", "-q", buildAgentPrompt(context()), "--yolo", "--max-turns", "90", "--quiet"]
        .concat(model === null ? [] : ["--model", model])
        .map((argument) => `[${argument}]\n`)
        .join("");
    for (const model of [null, "big"]) {
      assert.equal(await createHermesAgent({ model, timeout: null })(context()), call(model));
    }
  },

  async hermes_failures_begin_with_its_name() {
    standIn("hermes", "echo 'no more credit' >&2; exit 7");
    await assert.rejects(createHermesAgent({ model: null, timeout: null })(context()), {
      message: "hermes: the program exited with code 7: no more credit",
    });
    standIn("hermes", "exec sleep 60");
    await assert.rejects(createHermesAgent({ model: null, timeout: 100 })(context()), {
      message: "hermes: the program did not finish within 100 ms",
    });
  },

  async cursor_works_in_the_folder_that_extract_finds() {
    standIn("cursor-agent", PRINT_CALL);
    const workspace = newFolder();
    const asked = [];
    const extract = async (schema, prompt, ctx) => {
      asked.push(ctx.agentContent);
      assert.match(prompt, /absolute path/);
      return schema.parse({ workspace });
    };
    const agent = createCursorAgent({ model: null, timeout: 0, extract });
    const expected = (model) =>
      `${workspace}\n` +
      ["-p", buildAgentPrompt(context()), "--model", model, "--workspace", workspace]
        .concat(["--output-format", "text", "--trust", "--force"])
        .map((argument) => `[${argument}]\n`)
        .join("");
    assert.equal(await agent(context()), expected("auto"));
    const ofRfc = async () => ({ meta: { workspace }, contentPayload: "", refs: [] });
    const named = createCursorAgent({ model: "big", timeout: 9000, extract: ofRfc });
    assert.equal(await named(context()), expected("big"));
    assert.deepEqual(asked, [""]);
  },

  async cursor_failures_begin_with_its_name() {
    standIn("cursor-agent", "echo 'not logged in'; exit 1");
    const extract = async () => ({ workspace: newFolder() });
    await assert.rejects(createCursorAgent({ model: null, timeout: 0, extract })(context()), {
      message: "cursor-agent: the program exited with code 1: not logged in",
    });
    const nowhere = createCursorAgent({ model: null, timeout: 0, extract: async () => ({}) });
    await assert.rejects(nowhere(context()), {
      message: "cursor-agent: no workspace was found in the thread",
    });
  },

  wrong_configurations_are_refused() {
    const extract = async () => ({});
    const cursor = (changes) =>
      validateCursorAgentConfig({ model: null, timeout: 0, extract, ...changes }).error;
    assert.deepEqual(validateCursorAgentConfig({ model: "m", timeout: 5, extract }), {
      ok: true,
      value: undefined,
    });
    assert.deepEqual(
      [
        cursor({ model: "" }),
        cursor({ timeout: -1 }),
        cursor({ timeout: null }),
        cursor({ extract: 1 }),
      ],
      [
        "model must be null or the name of a model",
        "timeout must be a number of milliseconds, 0 for none",
        "timeout must be a number of milliseconds, 0 for none",
        "extract must be a function",
      ],
    );
    assert.deepEqual(validateHermesAgentConfig({ model: null, timeout: 5 }).ok, true);
    assert.equal(
      validateHermesAgentConfig({ model: null, timeout: 0 }).error,
      "timeout must be null or a number of milliseconds above 0",
    );
    assert.throws(() => createHermesAgent({ timeout: null }), /hermes: model must be null or/);
    assert.throws(
      () => createCursorAgent(null),
      /cursor-agent: the configuration must be an object/,
    );
  },

  async an_agent_becomes_an_adapter() {
    const stored = new Map();
    const cas = {
      put: async (text) => (stored.set("CONTENT", text), "CONTENT"),
      get: async (hash) => stored.get(hash) ?? null,
    };
    const schema = { safeParse: (data) => ({ success: true, data }) };
    const extract = async (given, hash) => {
      assert.deepEqual([given, hash], [schema, "CONTENT"]);
      return { meta: { n: 1 }, contentPayload: "", refs: [] };
    };
    const agent = async (ctx, options) => `${ctx.currentRole.systemPrompt} ${options.x}`;
    const adapter = createAgentAdapter(agent, async (ctx) => ({ x: ctx.threadId }));
    const answer = await adapter("do it", schema)(context(), { cas, extract });
    assert.deepEqual(answer, { meta: { n: 1 }, childThread: null });
    assert.equal(stored.get("CONTENT"), "type: content\npayload: do it THREAD\nrefs: []\n");
  },

  async workspace_tools_read_write_patch_and_run() {
    const workspace = newFolder();
    const { tools, toolHandler } = createWorkspaceTools({ workspace });
    assert.deepEqual(tools, workspaceTools);
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["read_file", "write_file", "patch_file", "run_command"],
    );
    assert.equal(
      await toolHandler("write_file", { path: "a/b.txt", content: "one\ntwo\n" }),
      "written: 8 characters",
    );
    assert.equal(
      await toolHandler("patch_file", { path: "a/b.txt", old: "two", new: "$&" }),
      "patched",
    );
    assert.equal(await toolHandler("read_file", { path: "a/b.txt" }), "one\n$&\n");
    assert.equal(readFileSync(join(workspace, "a/b.txt"), "utf8"), "one\n$&\n");
    assert.equal(
      await toolHandler("run_command", { command: "pwd; echo no >&2; exit 2" }),
      `exit code 2\n${workspace}\nno\n`,
    );
    assert.equal(await toolHandler("run_command", { command: "true" }), "(no output)");
    const refused = (name, args) => toolHandler(name, args).catch((error) => error.message);
    assert.equal(await refused("read_file", { path: "../x" }), "../x is outside of the workspace");
    assert.equal(
      await refused("write_file", { path: "/etc/x", content: "" }),
      "/etc/x is outside of the workspace",
    );
    assert.equal(await refused("read_file", {}), "path must be a string");
    assert.equal(
      await refused("patch_file", { path: "a/b.txt", old: "none", new: "x" }),
      "the old passage stands in the file 0 times, not once",
    );
    assert.equal(await refused("toString", {}), "there is no tool toString");
  },
};

export async function* run(thread) {
  await claims[thread.start.content](thread);
  return { returnCode: 0, summary: "held" };
}
