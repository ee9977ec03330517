/**
 * What an extracting model is told.
 *
 * @module uncaged:extract/prompt
 */
import { getContentMerklePayload } from "uncaged:workflow-cas.js";

/** The system message. */
export const EXTRACTOR = `You turn the outcome of one step of a workflow into structured data.

Read the agent's output below and fill in the fields that you are asked for. Report what the
output says; do not complete, improve or invent anything. Earlier steps are there to make
references understandable, not to be reported.

Where the output names a node of the store by its 13-character hash and the answer depends on
what that node holds, read it with \`cas_get\`; nodes refer to further nodes, which you can read
the same way. When you know the answer, call the other function once with all of it.`;

/** Reads a node of the store. */
export const CAS_GET = {
  name: "cas_get",
  description:
    "Reads one node of the content-addressed store: its type, payload and references, as YAML.",
  parameters: {
    type: "object",
    properties: {
      hash: { type: "string", description: "The node's hash: 13 characters of 0-9 and A-Z." },
    },
    required: ["hash"],
    additionalProperties: false,
  },
};

const GENERAL_INSTRUCTION = "Extract every field that the function asks for from the output above.";

/**
 * The user message for a step whose context is known.
 *
 * @param {import("uncaged:extract.js").ExtractContext} ctx
 * @param {string} prompt what to extract, in the role's words
 * @param {{ cas: import("@uncaged/workflow-cas").CasStore }} options
 * @returns {Promise<string>}
 */
export async function extractContent(ctx, prompt, { cas }) {
  const { name, systemPrompt } = ctx.currentRole;
  return sections([
    ["Role", `${name}\n\n${systemPrompt}`],
    ["Task", ctx.start.content],
    ["Thread History", await history(ctx.steps, cas)],
    ["Agent Output", ctx.agentContent],
    ["Extraction Instruction", prompt || GENERAL_INSTRUCTION],
  ]);
}

/**
 * The user message for a text alone.
 *
 * @param {string} text
 * @returns {string}
 */
export function textContent(text) {
  return sections([
    ["Agent Output", text],
    ["Extraction Instruction", GENERAL_INSTRUCTION],
  ]);
}

/**
 * @param {import("@uncaged/workflow-protocol").RoleStep[]} steps
 * @param {import("@uncaged/workflow-cas").CasStore} cas
 */
async function history(steps, cas) {
  if (steps.length === 0) {
    return "(this is the first step)";
  }
  const told = steps.map(async ({ role, contentHash, meta }, i) => {
    const text = (await getContentMerklePayload(cas, contentHash)) ?? "(text not in the store)";
    return `### Step ${i + 1}: ${role}\n\n${text}\n\nMeta: ${JSON.stringify(meta)}`;
  });
  return (await Promise.all(told)).join("\n\n");
}

/**
 * @param {[string, string][]} list headings and what stands below them
 * @returns {string}
 */
export function sections(list) {
  return list.map(([heading, text]) => `## ${heading}\n\n${text}`).join("\n\n");
}
