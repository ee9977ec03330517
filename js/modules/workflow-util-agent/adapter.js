/**
 * An agent in the place of an adapter.
 *
 * @module uncaged:workflow-util-agent/adapter
 */
import { putContentNodeWithRefs } from "uncaged:workflow-cas.js";
import { endedThreadNamed } from "uncaged:chain.js";

/**
 * Makes an adapter of an agent: its text is stored and the role's meta is
 * extracted from it.
 *
 * @param {(ctx: object, options: any) => Promise<string | { output: string,
 *   childThread: string | null }>} agent may name the child thread that it ran
 * @param {any} [options] handed to the agent; a function is asked for them, with
 *   context and runtime, before each call
 */
export function createAgentAdapter(agent, options = null) {
  return (prompt, schema) => async (ctx, runtime) => {
    const given = typeof options === "function" ? await options(ctx, runtime) : options;
    const currentRole = { name: ctx.currentRole?.name ?? "", systemPrompt: prompt };
    const answer = await agent({ ...ctx, currentRole }, given);
    const { output, childThread } =
      typeof answer === "string" ? { output: answer, childThread: null } : answer;
    const child = childThread ?? (await endedThreadNamed(runtime.cas, output));
    const refs = child === null ? [] : [child];
    const contentHash = await putContentNodeWithRefs(runtime.cas, output, refs);
    const { meta } = await runtime.extract(schema, contentHash);
    return { meta, childThread: child };
  };
}
