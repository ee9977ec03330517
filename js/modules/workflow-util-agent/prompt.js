/**
 * The whole of what an agent that runs outside is told.
 *
 * @module uncaged:workflow-util-agent/prompt
 */
import { sections } from "uncaged:extract/prompt.js";

/**
 * The role's instructions, the task, and what has happened so far: of earlier
 * steps their meta, of the last one everything. What is not told in full can
 * be read by the command that the last section names.
 *
 * @param {import("@uncaged/workflow-protocol").ThreadContext &
 *   { currentRole: { name: string, systemPrompt: string } }} ctx
 * @returns {string}
 */
export function buildAgentPrompt(ctx) {
  const { steps } = ctx;
  const last = steps.length - 1;
  const told = [["Task", ctx.start.content]];
  if (last > 0) {
    const earlier = steps.slice(0, last).map(({ role, meta }, i) => {
      return `${i + 1}. ${role}: ${JSON.stringify(meta)}`;
    });
    told.push(["Earlier Steps", earlier.join("\n")]);
  }
  if (last >= 0) {
    told.push([last === 0 ? "Previous Step" : "Last Step", stepInFull(steps[last])]);
  }
  told.push(["Tools", tools(ctx.threadId)]);
  return `${ctx.currentRole.systemPrompt}\n\n${sections(told)}`;
}

/** @param {import("@uncaged/workflow-protocol").RoleStep} step */
function stepInFull({ role, contentHash, meta }) {
  return `Role: ${role}\nContent: ${contentHash}\nMeta:\n${JSON.stringify(meta, null, 2)}`;
}

/** @param {string} threadId */
function tools(threadId) {
  return `Every step of this thread:

    uncaged-workflow thread show ${threadId}

Any node by its hash, such as a step's content:

    uncaged-workflow cas get <hash>`;
}
