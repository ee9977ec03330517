/**
 * An agent that is one question to a model.
 *
 * @module @uncaged/workflow-agent-llm
 *
 * @typedef {import("@uncaged/workflow-reactor").LlmProvider} LlmProvider
 * @typedef {import("uncaged:llm-errors.js").LlmError} LlmError
 */
import { chat } from "uncaged:host.js";
import { err, ok } from "uncaged:workflow-protocol.js";
import { loopError, requestError } from "uncaged:llm-errors.js";
import { runReact } from "uncaged:react.js";

/**
 * Asks once: the role's instructions are the system message, the thread's
 * prompt is the user's. A failure throws `llm: ` and the error as JSON.
 *
 * @param {LlmProvider} provider
 * @returns {(ctx: import("@uncaged/workflow-protocol").ThreadContext &
 *   { currentRole: { name: string, systemPrompt: string } }) => Promise<string>}
 */
export function createLlmAdapter(provider) {
  return async (ctx) => {
    const messages = [
      { role: "system", content: ctx.currentRole.systemPrompt },
      { role: "user", content: ctx.start.content },
    ];
    const answer = await ask({ provider, messages, role: ctx.currentRole.name ?? null });
    if (!answer.ok) {
      throw new Error(`llm: ${JSON.stringify(answer.error)}`);
    }
    return answer.value;
  };
}

/**
 * The text of a model's reply.
 *
 * @param {{ provider: LlmProvider, messages: { role: string, content: string }[] }} request
 * @returns {Promise<{ ok: true, value: string } | { ok: false, error: LlmError }>}
 */
export async function chatCompletionText({ provider, messages }) {
  return await ask({ provider, messages, role: null });
}

/**
 * @param {{ provider: LlmProvider, messages: { role: string, content: string }[],
 *   role: string | null }} request `role` is the workflow's role that asks
 * @returns {Promise<{ ok: true, value: string } | { ok: false, error: LlmError }>}
 */
async function ask({ provider, messages, role }) {
  let refused = null;
  const send = async (body) => {
    try {
      return await chat(provider, body, role);
    } catch (error) {
      refused = requestError(error);
      throw error;
    }
  };
  try {
    // A loop without tools is one request; its machine knows what replies look like.
    const outcome = await runReact({
      messages,
      tools: [],
      structured: null,
      maxRounds: 1,
      chat: send,
      callTool: async () => "ERROR: there are no tools",
      validate: async (value) => ({ ok: true, value }),
    });
    if (!outcome.ok) {
      return err(loopError(outcome.error));
    }
    return outcome.value === ""
      ? err({ kind: "invalid_response", message: "the model's reply has no text" })
      : ok(outcome.value);
  } catch (error) {
    if (refused !== null) {
      return err(refused);
    }
    throw error;
  }
}
