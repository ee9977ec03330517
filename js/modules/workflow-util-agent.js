/**
 * What agents are built of.
 *
 * @module @uncaged/workflow-util-agent
 */
export { createAgentAdapter } from "uncaged:workflow-util-agent/adapter.js";
export { buildAgentPrompt } from "uncaged:workflow-util-agent/prompt.js";
export { spawnCli } from "uncaged:workflow-util-agent/spawn.js";
