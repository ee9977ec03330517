/**
 * An agent that is the program `cursor-agent`, working in a folder that the
 * thread names.
 *
 * @module @uncaged/workflow-agent-cursor
 *
 * @typedef {{ model: string | null, timeout: number,
 *   extract: (schema: object, prompt: string, ctx: object) => Promise<any> }} CursorAgentConfig
 *   `timeout` in milliseconds, 0 for none; `extract` finds the workspace
 */
import { err, ok } from "uncaged:workflow-protocol.js";
import { buildAgentPrompt, spawnCli } from "uncaged:workflow-util-agent.js";
import * as s from "uncaged:schema.js";
import { spawnErrorText } from "uncaged:workflow-util-agent/spawn.js";

const COMMAND = "cursor-agent";
const AUTOMATIC_MODEL = "auto";

const WORKSPACE_PROMPT = `Find the folder on this machine in which the work is to be done: the
checkout of the repository that the task is about. It is given in the task, or a previous step
has reported it. Answer with its absolute path.`;

const workspaceSchema = s.object({
  workspace: s
    .string()
    .regex(/^\//)
    .describe("Absolute path of the folder in which the work is to be done."),
});

/**
 * Whether a configuration can be used.
 *
 * @param {any} config
 * @returns {{ ok: true, value: undefined } | { ok: false, error: string }}
 */
export function validateCursorAgentConfig(config) {
  if (config === null || typeof config !== "object") {
    return err("the configuration must be an object");
  }
  const { model, timeout, extract } = config;
  if (model !== null && (typeof model !== "string" || model.trim() === "")) {
    return err("model must be null or the name of a model");
  }
  if (typeof timeout !== "number" || !Number.isFinite(timeout) || timeout < 0) {
    return err("timeout must be a number of milliseconds, 0 for none");
  }
  if (typeof extract !== "function") {
    return err("extract must be a function");
  }
  return ok(undefined);
}

/**
 * @param {CursorAgentConfig} config a wrong one throws
 * @returns {(ctx: import("@uncaged/workflow-protocol").ThreadContext &
 *   { currentRole: { name: string, systemPrompt: string } }) => Promise<string>} what the
 *   program wrote; a failure throws `cursor-agent: ` and what went wrong
 */
export function createCursorAgent(config) {
  const valid = validateCursorAgentConfig(config);
  if (!valid.ok) {
    throw new Error(`${COMMAND}: ${valid.error}`);
  }
  const { model, timeout, extract } = config;
  return async (ctx) => {
    const workspace = await findWorkspace(extract, ctx);
    const args = [
      ...["-p", buildAgentPrompt(ctx)],
      ...["--model", model ?? AUTOMATIC_MODEL],
      ...["--workspace", workspace],
      ...["--output-format", "text"],
      ...["--trust", "--force"],
    ];
    const timeoutMs = timeout === 0 ? null : timeout;
    const run = await spawnCli(COMMAND, args, { cwd: workspace, timeoutMs, role: ctx.currentRole.name });
    if (!run.ok) {
      throw new Error(`${COMMAND}: ${spawnErrorText("the program", run.error, timeoutMs)}`);
    }
    return run.value;
  };
}

/**
 * @param {CursorAgentConfig["extract"]} extract
 * @param {object} ctx
 * @returns {Promise<string>}
 */
async function findWorkspace(extract, ctx) {
  // Nothing has been said in this round yet.
  const answer = await extract(workspaceSchema, WORKSPACE_PROMPT, { ...ctx, agentContent: "" });
  const workspace = answer?.workspace ?? answer?.meta?.workspace;
  if (typeof workspace !== "string" || !workspace.startsWith("/")) {
    throw new Error(`${COMMAND}: no workspace was found in the thread`);
  }
  return workspace;
}
