/**
 * Asking models: one request, or a loop of tool calls that ends in an answer
 * of a schema.
 *
 * @module @uncaged/workflow-reactor
 *
 * @typedef {{ baseUrl: string, apiKey: string, model: string }} LlmProvider
 * @typedef {{ ok: true, value: string } | { ok: false, error: string }} TextResult
 * @typedef {(request: { messages: object[], tools: object[] }) => Promise<TextResult>} LlmFn
 * @typedef {import("uncaged:react.js").Tool} Tool
 */
import { chat } from "uncaged:host.js";
import { err, ok } from "uncaged:workflow-protocol.js";
import { requestError } from "uncaged:llm-errors.js";
import { MAX_ROUNDS, runReact } from "uncaged:react.js";
import { validate } from "uncaged:validate.js";

/**
 * A function that asks one model. It gives the text of the response's body;
 * failures are `http_error:STATUS:BODY` or `network_error:MESSAGE`.
 *
 * @param {LlmProvider} provider
 * @returns {LlmFn}
 */
export function createLlmFn(provider) {
  return async ({ messages, tools }) => {
    const body =
      tools.length === 0
        ? { messages }
        : { messages, tools: tools.map(asChatTool), tool_choice: "auto" };
    try {
      return ok(await chat(provider, body));
    } catch (error) {
      const known = requestError(error);
      return known.kind === "http_error"
        ? err(`http_error:${known.status}:${known.body}`)
        : err(`network_error:${known.message}`);
    }
  };
}

/**
 * A loop that lets a model call tools until it answers with a value of the
 * schema. Errors are those of `llm`, or `max_react_rounds_exceeded`.
 *
 * @template Thread
 * @param {object} options
 * @param {LlmFn} options.llm
 * @param {object[]} options.staticTools `{ name, description, parameters }`, or
 *   the same within `{ type: "function", function }`
 * @param {(schema: object) => object} options.structuredToolFromSchema the
 *   function whose arguments are the answer
 * @param {(toolName: string) => string} options.systemPromptForStructuredTool
 * @param {(name: string, args: any, thread: Thread) => Promise<string>} options.toolHandler
 * @param {number} [options.maxRounds]
 * @returns {(call: { thread: Thread, input: string, schema: object }) =>
 *   Promise<{ ok: true, value: unknown } | { ok: false, error: string }>}
 */
export function createThreadReactor({
  llm,
  staticTools,
  structuredToolFromSchema,
  systemPromptForStructuredTool,
  toolHandler,
  maxRounds = MAX_ROUNDS,
}) {
  const tools = staticTools.map(asTool);
  return async ({ thread, input, schema }) => {
    const structured = asTool(structuredToolFromSchema(schema));
    let failure = null;
    const ask = async ({ messages, tools: offered }) => {
      const answer = await llm({ messages, tools: offered ?? [] });
      if (!answer.ok) {
        failure = answer.error;
        throw new Error(answer.error);
      }
      return answer.value;
    };
    try {
      const outcome = await runReact({
        messages: [
          { role: "system", content: systemPromptForStructuredTool(structured.name) },
          { role: "user", content: input },
        ],
        tools,
        structured,
        maxRounds,
        chat: ask,
        callTool: (name, args) => toolHandler(name, args, thread),
        validate: (value) => validate(schema, value),
      });
      return outcome.ok ? ok(outcome.value) : err(errorText(outcome.error));
    } catch (error) {
      if (failure !== null) {
        return err(failure);
      }
      throw error;
    }
  };
}

/**
 * @param {{ code: string, message: string }} error
 * @returns {string}
 */
function errorText({ code, message }) {
  return code === "max_react_rounds_exceeded" ? code : `${code}:${message}`;
}

/**
 * @param {any} tool
 * @returns {Tool}
 */
function asTool(tool) {
  const { name, description = "", parameters } = tool.function ?? tool.tool?.function ?? tool;
  return { name, description, parameters };
}

/**
 * A tool as chat/completions wants it.
 *
 * @param {any} tool
 */
function asChatTool(tool) {
  return { type: "function", function: asTool(tool) };
}
