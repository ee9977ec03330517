/**
 * One round of a workflow: a role is played and becomes a step.
 *
 * @module uncaged:workflow-runtime/rounds
 *
 * @typedef {import("uncaged:workflow-runtime/create-workflow.js").RoleDefinition} RoleDefinition
 * @typedef {{ name: string, role: RoleDefinition, player: Function,
 *   ctx: import("@uncaged/workflow-protocol").ThreadContext,
 *   runtime: import("uncaged:workflow-runtime/create-workflow.js").Runtime }} Round
 */
import { enterRole } from "uncaged:host.js";
import { putContentNodeWithRefs } from "uncaged:workflow-cas.js";
import { mergeRefsWithContentHash, normalizeRefsField } from "uncaged:workflow-util.js";
import { casRefsOf } from "uncaged:cas-refs.js";
import { endedThreadNamed } from "uncaged:chain.js";
import { toJsonSchema } from "uncaged:json-schema.js";

/**
 * The agent writes a text, the extractor turns it into the role's meta. The
 * content node holds the text and refers to what extractor and role name.
 *
 * @param {Round} round
 * @returns {Promise<import("uncaged:workflow-runtime/create-workflow.js").RoleOutput>}
 */
export async function playByAgent({ name, role, player, ctx, runtime }) {
  const agentCtx = { ...ctx, currentRole: { name, systemPrompt: role.systemPrompt } };
  enterRole(name);
  const agentContent = await player(agentCtx);
  if (typeof agentContent !== "string") {
    throw new TypeError(
      `the agent of role "${name}" must answer a string, not ${kindOf(agentContent)}`,
    );
  }
  const answer = await runtime.extract(role.schema, role.extractPrompt, {
    ...agentCtx,
    agentContent,
  });
  const { meta, refs } = readExtracted(answer);
  const named = typeof role.extractRefs === "function" ? role.extractRefs(meta) : [];
  const artifacts = [...new Set([...refs, ...normalizeRefsField(named)])];
  const contentHash = await putContentNodeWithRefs(runtime.cas, agentContent, artifacts);
  const output = {
    role: name,
    contentHash,
    meta,
    refs: mergeRefsWithContentHash(artifacts, contentHash),
  };
  const childThread = await endedThreadNamed(runtime.cas, agentContent);
  return childThread === null ? output : { ...output, childThread };
}

/**
 * The adapter gives the meta itself, and the child thread where it ran one.
 * The content node holds the meta as JSON text.
 *
 * @param {Round} round
 * @returns {Promise<import("uncaged:workflow-runtime/create-workflow.js").RoleOutput>}
 */
export async function playByAdapter({ name, role, player, ctx, runtime }) {
  enterRole(name);
  const work = player(role.systemPrompt, role.schema);
  const currentRole = { name, systemPrompt: role.systemPrompt };
  const { meta, childThread = null } = await work({ ...ctx, currentRole }, runtime);
  if (meta === null || typeof meta !== "object") {
    throw new TypeError(
      `the adapter of role "${name}" must give a meta object, not ${kindOf(meta)}`,
    );
  }
  const artifacts = casRefsOf(toJsonSchema(role.schema), meta);
  const contentHash = await putContentNodeWithRefs(runtime.cas, JSON.stringify(meta), artifacts);
  const refs = mergeRefsWithContentHash(artifacts, contentHash);
  return { role: name, contentHash, meta, refs, childThread };
}

/**
 * The meta and the references in an answer of `extract`: ours, which carries
 * them on the side; the plain `{ meta, contentPayload, refs }`; or, from an
 * author's own stand-in, nothing but the meta.
 *
 * @param {object} answer
 * @returns {{ meta: object, refs: string[] }}
 */
function readExtracted(answer) {
  const isPair =
    answer !== null &&
    typeof answer === "object" &&
    ["meta", "contentPayload", "refs"].every((key) => Object.hasOwn(answer, key));
  return isPair
    ? { meta: answer.meta, refs: normalizeRefsField(answer.refs) }
    : { meta: answer, refs: [] };
}

/** @param {unknown} value */
function kindOf(value) {
  return value === null ? "null" : typeof value;
}
