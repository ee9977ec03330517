/**
 * Runs a program for an agent.
 *
 * @module uncaged:workflow-util-agent/spawn
 *
 * @typedef {{ kind: "non_zero_exit", exitCode: number | null, stdout: string, stderr: string } |
 *   { kind: "timeout" } | { kind: "spawn_failed", message: string }} SpawnError
 */
import { enteredRole } from "uncaged:host.js";
import { err, ok } from "uncaged:workflow-protocol.js";

/** How long a program that was told to end may take to do so. */
const GRACE_MS = 5_000;

/**
 * Runs a command to its end, without a shell and with nothing on its standard
 * input. After `timeoutMs` it gets SIGTERM, and SIGKILL where that does not help.
 * It finds the role that it works for in UNCAGED_WORKFLOW_ROLE.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string | null, timeoutMs: number | null, role?: string | null }} options
 * @returns {Promise<{ ok: true, value: string } | { ok: false, error: SpawnError }>}
 *   what it wrote on its standard output
 */
export function spawnCli(command, args, { cwd, timeoutMs, role = enteredRole() }) {
  // Taken on the first use: importing it costs every bundle its start-up time.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const settings = { cwd: cwd ?? undefined, shell: false, stdio: ["ignore", "pipe", "pipe"] };
  if (typeof role === "string") {
    // Beside what a program inherits, which a limited bundle may not read; so not
    // `env`, which could be read on the way (see src/host/polyfill_fixes.rs).
    settings.uncagedEnv = { UNCAGED_WORKFLOW_ROLE: role };
  }
  return new Promise((resolve) => {
    let child;
    try {
      child = spawn(command, [...args], settings);
    } catch (error) {
      resolve(err({ kind: "spawn_failed", message: error.message }));
      return;
    }
    const limit = startTimeout(child, timeoutMs);
    const stdout = gather(child.stdout);
    const stderr = gather(child.stderr);
    const settle = (result) => {
      limit.clear();
      resolve(result);
    };
    child.on("error", (error) => settle(err({ kind: "spawn_failed", message: error.message })));
    child.on("exit", () => {
      // What the program started may hold its output open for as long as it likes.
      if (limit.passed()) {
        child.stdout.destroy();
        child.stderr.destroy();
        settle(err({ kind: "timeout" }));
      }
    });
    child.on("close", (exitCode) => {
      if (limit.passed()) {
        settle(err({ kind: "timeout" }));
      } else if (exitCode === 0) {
        settle(ok(stdout()));
      } else {
        settle(err({ kind: "non_zero_exit", exitCode, stdout: stdout(), stderr: stderr() }));
      }
    });
  });
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {number | null} timeoutMs none for null and 0
 */
function startTimeout(child, timeoutMs) {
  if (timeoutMs === null || timeoutMs <= 0) {
    return { passed: () => false, clear: () => {} };
  }
  let passed = false;
  let timer = setTimeout(() => {
    passed = true;
    child.kill("SIGTERM");
    timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  }, timeoutMs);
  return { passed: () => passed, clear: () => clearTimeout(timer) };
}

/**
 * Gathers a stream; characters that two chunks share stay whole.
 *
 * @param {import("node:stream").Readable} stream
 * @returns {() => string} what has come so far
 */
function gather(stream) {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    text += chunk;
  });
  return () => text;
}

/**
 * One line that says what went wrong.
 *
 * @param {string} command
 * @param {SpawnError} error
 * @param {number | null} timeoutMs
 * @returns {string}
 */
export function spawnErrorText(command, error, timeoutMs) {
  switch (error.kind) {
    case "timeout":
      return `${command} did not finish within ${timeoutMs} ms`;
    case "spawn_failed":
      return `${command} could not be started: ${error.message}`;
    default: {
      const said = (error.stderr.trim() || error.stdout.trim()).slice(-2000);
      const how =
        error.exitCode === null ? "was ended by a signal" : `exited with code ${error.exitCode}`;
      return said === "" ? `${command} ${how}` : `${command} ${how}: ${said}`;
    }
  }
}
