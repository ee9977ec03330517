/**
 * Drives the ReAct loop: the machine in the host decides, this module asks the
 * model, calls the tools and holds answers against the schema.
 *
 * @module uncaged:react
 *
 * @typedef {{ name: string, description: string, parameters: object }} Tool
 * @typedef {{ messages: object[], tools: object[], tool_choice: string }} ChatBody
 * @typedef {{ ok: true, value: unknown } | { ok: false, problem: string }} Verdict
 * @typedef {{ ok: true, value: unknown } |
 *   { ok: false, error: { code: string, message: string } }} Outcome
 */
import { reactNew, reactStep } from "uncaged:host.js";

/** How many times a model is asked before the loop gives up. */
export const MAX_ROUNDS = 10;

/**
 * Runs one loop to its end.
 *
 * @param {object} options
 * @param {{ role: string, content: string }[]} options.messages what the model is told first
 * @param {Tool[]} options.tools what it may call
 * @param {Tool | null} options.structured the function whose arguments are the answer
 * @param {number} options.maxRounds
 * @param {(body: ChatBody) => Promise<string>} options.chat gives the body of the
 *   response; what it rejects with is not caught
 * @param {(name: string, args: any) => Promise<string>} options.callTool an error
 *   that it throws is told to the model
 * @param {(value: unknown) => Promise<Verdict>} options.validate
 * @returns {Promise<Outcome>}
 */
export async function runReact({
  messages,
  tools,
  structured,
  maxRounds,
  chat,
  callTool,
  validate,
}) {
  const machine = reactNew({ messages, tools, structured, maxRounds });
  // The host hands the checked value back as plain data; what the schema made of it stays here.
  let accepted = null;
  let input = { kind: "begin" };
  for (;;) {
    const output = reactStep(machine, input);
    switch (output.kind) {
      case "request":
        input = { kind: "response", body: await chat(output.body) };
        break;
      case "toolCall":
        input = { kind: "toolResult", id: output.id, content: await callSafely(callTool, output) };
        break;
      case "validate": {
        accepted = await validate(output.value);
        input = accepted.ok
          ? { kind: "accepted" }
          : { kind: "rejected", problem: accepted.problem };
        break;
      }
      case "done":
        return { ok: true, value: accepted?.ok ? accepted.value : output.value };
      case "failed":
        return { ok: false, error: { code: output.code, message: output.message } };
      default:
        throw new Error(`unknown output of the ReAct loop: ${output.kind}`);
    }
  }
}

/**
 * @param {(name: string, args: any) => Promise<string>} callTool
 * @param {{ name: string, arguments: any }} call
 * @returns {Promise<string>}
 */
async function callSafely(callTool, call) {
  try {
    return String(await callTool(call.name, call.arguments));
  } catch (error) {
    return `ERROR: ${error instanceof Error ? error.message : String(error)}`;
  }
}
