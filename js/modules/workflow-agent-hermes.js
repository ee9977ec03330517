/**
 * An agent that is the program `hermes`.
 *
 * @module @uncaged/workflow-agent-hermes
 *
 * @typedef {{ model: string | null, timeout: number | null }} HermesAgentConfig
 *   `timeout` in milliseconds, null for none
 */
import { err, ok } from "uncaged:workflow-protocol.js";
import { buildAgentPrompt, spawnCli } from "uncaged:workflow-util-agent.js";
import { spawnErrorText } from "uncaged:workflow-util-agent/spawn.js";

const COMMAND = "hermes";
const MAX_TURNS = 90;

/**
 * Whether a configuration can be used.
 *
 * @param {any} config
 * @returns {{ ok: true, value: undefined } | { ok: false, error: string }}
 */
export function validateHermesAgentConfig(config) {
  if (config === null || typeof config !== "object") {
    return err("the configuration must be an object");
  }
  const { model, timeout } = config;
  if (model !== null && (typeof model !== "string" || model.trim() === "")) {
    return err("model must be null or the name of a model");
  }
  if (timeout !== null && !(Number.isFinite(timeout) && timeout > 0)) {
    return err("timeout must be null or a number of milliseconds above 0");
  }
  return ok(undefined);
}

/**
 * @param {HermesAgentConfig} config a wrong one throws
 * @returns {(ctx: import("@uncaged/workflow-protocol").ThreadContext &
 *   { currentRole: { name: string, systemPrompt: string } }) => Promise<string>} what the
 *   program wrote; a failure throws `hermes: ` and what went wrong
 */
export function createHermesAgent(config) {
  const valid = validateHermesAgentConfig(config);
  if (!valid.ok) {
    throw new Error(`${COMMAND}: ${valid.error}`);
  }
  const { model, timeout } = config;
  return async (ctx) => {
    const args = [
      "chat",
      ...["-q", buildAgentPrompt(ctx)],
      "--yolo",
      ...["--max-turns", String(MAX_TURNS)],
      "--quiet",
      ...(model === null ? [] : ["--model", model]),
    ];
    const run = await spawnCli(COMMAND, args, {
      cwd: null,
      timeoutMs: timeout,
      role: ctx.currentRole.name,
    });
    if (!run.ok) {
      throw new Error(`${COMMAND}: ${spawnErrorText("the program", run.error, timeout)}`);
    }
    return run.value;
  };
}
