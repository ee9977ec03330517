/**
 * Extraction with a model that the bundle chooses.
 *
 * @module uncaged:workflow-execute/llm-extract
 *
 * @typedef {import("@uncaged/workflow-reactor").LlmProvider} LlmProvider
 * @typedef {import("uncaged:llm-errors.js").LlmError} LlmError
 */
import { extractChat } from "uncaged:host.js";
import { err, ok } from "uncaged:workflow-protocol.js";
import { makeExtract } from "uncaged:extract.js";
import { EXTRACTOR, textContent } from "uncaged:extract/prompt.js";
import { schemaTool } from "uncaged:extract/tool.js";
import { llmErrorText, loopError, requestError } from "uncaged:llm-errors.js";
import { MAX_ROUNDS, runReact } from "uncaged:react.js";
import { validate } from "uncaged:validate.js";

/**
 * An `extract` as the runtime's, asking another model than the configured one.
 *
 * @param {LlmProvider} provider
 * @param {{ cas: import("@uncaged/workflow-cas").CasStore }} options
 */
export function createExtract(provider, { cas }) {
  return makeExtract({ cas, chat: (body, role) => extractChat(body, role, provider) });
}

/**
 * Extracts from a text alone; nothing of the store can be read.
 *
 * @param {{ text: string, schema: object, provider: LlmProvider }} options
 * @returns {Promise<{ ok: true, value: any } | { ok: false, error: LlmError }>}
 */
export async function llmExtract({ text, schema, provider }) {
  const { tool, unwrap } = schemaTool(schema);
  let refused = null;
  const ask = async (body) => {
    try {
      return await extractChat(body, null, provider);
    } catch (error) {
      refused = requestError(error);
      throw error;
    }
  };
  try {
    const outcome = await runReact({
      messages: [
        { role: "system", content: EXTRACTOR },
        { role: "user", content: textContent(text) },
      ],
      tools: [],
      structured: tool,
      maxRounds: MAX_ROUNDS,
      chat: ask,
      callTool: async () => "ERROR: there are no tools",
      validate: (value) => validate(schema, unwrap(value)),
    });
    return outcome.ok ? ok(outcome.value) : err(loopError(outcome.error));
  } catch (error) {
    if (refused !== null) {
      return err(refused);
    }
    throw error;
  }
}

/**
 * The function that a model is given for a schema.
 *
 * @param {object} schema
 * @returns {import("uncaged:react.js").Tool}
 */
export function extractFunctionToolFromZodSchema(schema) {
  return schemaTool(schema).tool;
}

/**
 * An error to throw, or to give as the `cause` of another.
 *
 * @param {LlmError} error
 * @returns {Error}
 */
export function llmErrorToCause(error) {
  return Object.assign(new Error(llmErrorText(error)), error, { message: llmErrorText(error) });
}
