/**
 * An adapter that is a ReAct loop: a model works with tools until it gives the
 * role's meta. Ready-made tools work on the files of a folder.
 *
 * @module @uncaged/workflow-agent-react
 */
import { createThreadReactor } from "uncaged:workflow-reactor.js";
import { buildAgentPrompt } from "uncaged:workflow-util-agent.js";
import { schemaTool } from "uncaged:extract/tool.js";
import { MAX_ROUNDS } from "uncaged:react.js";

export {
  createWorkspaceTools,
  patchTool,
  readTool,
  shellTool,
  workspaceTools,
  writeTool,
} from "uncaged:workflow-agent-react/tools.js";

/**
 * @param {object} options
 * @param {import("@uncaged/workflow-reactor").LlmFn} options.llm
 * @param {import("uncaged:react.js").Tool[]} options.tools what the model may call
 * @param {(name: string, args: any) => Promise<string>} options.toolHandler runs
 *   a tool; an error that it throws is told to the model
 * @param {number} [options.maxRounds] how often the model is asked at most
 */
export function createReactAdapter({ llm, tools, toolHandler, maxRounds = MAX_ROUNDS }) {
  return (prompt, schema) => {
    const { tool, unwrap } = schemaTool(schema);
    const ask = createThreadReactor({
      llm,
      staticTools: tools,
      structuredToolFromSchema: () => tool,
      systemPromptForStructuredTool: (name) => `${prompt}\n\n${howToEnd(name)}`,
      toolHandler: (name, args) => toolHandler(name, args),
      maxRounds,
    });
    return async (ctx) => {
      // The instructions are in the system message already.
      const currentRole = { name: ctx.currentRole?.name ?? "", systemPrompt: "" };
      const input = buildAgentPrompt({ ...ctx, currentRole }).trimStart();
      const answer = await ask({ thread: ctx, input, schema: unwrapping(schema, unwrap) });
      if (!answer.ok) {
        throw new Error(`react: ${answer.error}`);
      }
      return { meta: answer.value, childThread: null };
    };
  };
}

/** @param {string} name */
function howToEnd(name) {
  return `Use the tools to do the work, one small step after the other, and look at what each gave
before the next. When the work is done, or you are certain that it cannot be done, call \`${name}\`
once with the outcome. Nothing after that call is read.`;
}

/**
 * The schema, for arguments that have its value inside an object.
 *
 * @param {any} schema
 * @param {(args: unknown) => unknown} unwrap
 */
function unwrapping(schema, unwrap) {
  return {
    safeParse: (args) => schema.safeParse(unwrap(args)),
    safeParseAsync: (args) => schema.safeParseAsync(unwrap(args)),
  };
}
