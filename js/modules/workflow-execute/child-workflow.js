/**
 * Another registered workflow in the place of an agent or adapter. It runs as
 * a thread of its own, one level deeper, on the same prompt.
 *
 * @module uncaged:workflow-execute/child-workflow
 *
 * @typedef {import("@uncaged/workflow-protocol").ThreadContext} ThreadContext
 * @typedef {{ storageRoot?: string | null } | null} Options another storage
 *   root than this thread's
 */
import { readRegistry, runWorkflow, storageRoot } from "uncaged:host.js";
import { putContentNodeWithRefs } from "uncaged:workflow-cas.js";
import { endedThreadNamed } from "uncaged:chain.js";

/** How deep workflows may call each other where the config does not say. */
const DEFAULT_MAX_DEPTH = 3;

/**
 * An agent that runs the workflow `name` and answers with the hash of its last
 * state. What goes wrong is answered as text that begins with `ERROR: `.
 *
 * @param {string} name
 * @param {Options} [options]
 * @returns {(ctx: ThreadContext) => Promise<string>}
 */
export function workflowAsAgent(name, options = null) {
  return async (ctx) => {
    try {
      return await runChild(name, options, ctx);
    } catch (error) {
      return `ERROR: ${error.message}`;
    }
  };
}

/**
 * An adapter that runs the workflow `name` and extracts the role's meta from
 * what it left behind. What goes wrong rejects.
 *
 * @param {string} name
 * @param {Options} [options]
 */
export function workflowAdapter(name, options = null) {
  return (_prompt, schema) => async (ctx, runtime) => {
    const root = await runChild(name, options, ctx);
    // The child of another storage root is out of reach from here.
    const childThread = await endedThreadNamed(runtime.cas, root);
    const refs = childThread === null ? [] : [childThread];
    const contentHash = await putContentNodeWithRefs(runtime.cas, root, refs);
    const { meta } = await runtime.extract(schema, contentHash);
    return { meta, childThread };
  };
}

/**
 * @param {string} name
 * @param {Options} options
 * @param {ThreadContext} ctx
 * @returns {Promise<string>} the hash of the child's last state
 */
async function runChild(name, options, ctx) {
  const root = options?.storageRoot ?? null;
  const depth = ctx.depth + 1;
  const limit = readRegistry(root ?? storageRoot()).config?.maxDepth ?? DEFAULT_MAX_DEPTH;
  if (depth > limit) {
    throw new Error(
      `workflow "${name}" would run at depth ${depth}, and config.maxDepth allows ${limit}`,
    );
  }
  const child = await runWorkflow({
    name,
    storageRoot: root,
    prompt: ctx.start.content,
    depth,
    parentState: null,
  });
  if (child.returnCode !== 0) {
    throw new Error(
      `workflow "${name}" ended with code ${child.returnCode}: ${child.summary} ` +
        `(thread ${child.threadId}, last state ${child.root})`,
    );
  }
  return child.root;
}
