/**
 * `extract`: from a text to the typed meta that a schema describes.
 *
 * @module uncaged:extract
 *
 * @typedef {import("@uncaged/workflow-cas").CasStore} CasStore
 * @typedef {import("@uncaged/workflow-protocol").ThreadContext &
 *   { currentRole: { name: string, systemPrompt: string }, agentContent: string }} ExtractContext
 */
import { extractChat } from "uncaged:host.js";
import { getContentMerklePayload } from "uncaged:workflow-cas.js";
import { makeAnswer } from "uncaged:extract/answer.js";
import { CAS_GET, EXTRACTOR, extractContent, textContent } from "uncaged:extract/prompt.js";
import { schemaTool } from "uncaged:extract/tool.js";
import { isHash } from "uncaged:base32.js";
import { casRefsOf } from "uncaged:cas-refs.js";
import { MAX_ROUNDS, runReact } from "uncaged:react.js";
import { mustValidate, validate } from "uncaged:validate.js";

/**
 * Makes the `extract` of a runtime. It is called in one of two forms, by the
 * age of the bundle: with schema, instruction and context, or with schema and
 * the hash of the content. Both give the one answer that all ages can read.
 *
 * @param {object} options
 * @param {CasStore} options.cas where content is read
 * @param {(body: object, role: string | null) => Promise<string>} [options.chat]
 *   asks the model; the configured one when left out
 * @returns {(schema: object, promptOrHash: string, ctx?: ExtractContext) => Promise<object>}
 */
export function makeExtract({ cas, chat = extractChat }) {
  return async (schema, promptOrHash, ctx) => {
    mustValidate(schema);
    const { text, content } = ctx
      ? { text: ctx.agentContent, content: await extractContent(ctx, promptOrHash, { cas }) }
      : await contentOf(cas, promptOrHash);
    const { tool, json, unwrap } = schemaTool(schema);
    const ask = (body) => chat(body, ctx?.currentRole?.name ?? null);
    const outcome = await loop({ cas, chat: ask, content, tool, json, unwrap, schema });
    if (!outcome.ok) {
      const { code, message } = outcome.error;
      throw new Error(`extract failed: ${code === "max_react_rounds_exceeded" ? code : message}`);
    }
    const refs = casRefsOf(json, outcome.value);
    return makeAnswer({
      value: outcome.value,
      text,
      refs: await withNamedNode(refs, text, cas),
      json,
    });
  };
}

/**
 * @param {object} options
 * @returns {Promise<import("uncaged:react.js").Outcome>}
 */
async function loop({ cas, chat, content, tool, json, unwrap, schema }) {
  try {
    return await runReact({
      messages: [
        { role: "system", content: EXTRACTOR },
        { role: "user", content },
      ],
      tools: [CAS_GET],
      structured: tool,
      maxRounds: MAX_ROUNDS,
      chat,
      callTool: (name, args) => casGetTool(cas, args),
      validate: async (value) => {
        const checked = await validate(schema, unwrap(value));
        return checked.ok ? rejectUnknownRefs(checked, json, cas) : checked;
      },
    });
  } catch (error) {
    throw new Error(`extract failed: ${error.message}`, { cause: error });
  }
}

/**
 * A reference to nothing would end the thread; the model can still put it right.
 *
 * @param {{ ok: true, value: unknown }} checked
 * @param {Record<string, any>} json
 * @param {CasStore} cas
 */
async function rejectUnknownRefs(checked, json, cas) {
  for (const ref of casRefsOf(json, checked.value)) {
    if (!isHash(ref) || (await cas.get(ref)) === null) {
      return { ok: false, problem: `- the store has no node ${JSON.stringify(ref)}` };
    }
  }
  return checked;
}

/**
 * @param {CasStore} cas
 * @param {string} hash
 */
async function contentOf(cas, hash) {
  const text = isHash(hash) ? await getContentMerklePayload(cas, hash) : null;
  if (text === null) {
    throw new Error(`extract failed: ${JSON.stringify(hash)} is not the hash of a content node`);
  }
  return { text, content: textContent(text) };
}

/**
 * Answers the model's wish to read a node.
 *
 * @param {CasStore} cas
 * @param {{ hash?: unknown }} args
 */
async function casGetTool(cas, args) {
  const hash = typeof args?.hash === "string" ? args.hash.trim().toUpperCase() : "";
  if (!isHash(hash)) {
    return "ERROR: `hash` must be the 13 characters that name a node";
  }
  return (await cas.get(hash)) ?? `ERROR: the store has no node ${hash}`;
}

/**
 * A text that is nothing but the name of a node refers to it: so a workflow
 * that played the role stays within reach of its caller.
 *
 * @param {string[]} refs
 * @param {string} text
 * @param {CasStore} cas
 */
async function withNamedNode(refs, text, cas) {
  const named = text.trim();
  const isNode = isHash(named) && (await cas.get(named)) !== null;
  return isNode ? [...new Set([...refs, named])] : refs;
}
