/**
 * Turns a workflow's definition and the binding of its roles into a bundle's `run`.
 *
 * Definition and binding each come in two forms, which bundles of three ages
 * mix: the next role is told by a `moderator` function or by a `table` of
 * transitions; a role is played by an `agent`, whose text is then extracted, or
 * by an `adapter`, which gives the meta itself. The shape tells which it is.
 *
 * @module uncaged:workflow-runtime/create-workflow
 *
 * @typedef {import("@uncaged/workflow-protocol").ThreadContext} ThreadContext
 * @typedef {{ description?: string, systemPrompt: string, extractPrompt?: string,
 *   schema: object, extractRefs?: ((meta: object) => string[]) | null }} RoleDefinition
 * @typedef {{ cas: import("@uncaged/workflow-cas").CasStore,
 *   extract: (...args: unknown[]) => Promise<object> }} Runtime
 * @typedef {{ role: string, contentHash: string, meta: object, refs: string[],
 *   childThread?: string | null }} RoleOutput
 */
import { END, tableToModerator } from "uncaged:workflow-protocol.js";
import { playByAdapter, playByAgent } from "uncaged:workflow-runtime/rounds.js";

/**
 * @param {{ description?: string, roles: Record<string, RoleDefinition>,
 *   moderator?: (ctx: ThreadContext) => string, table?: object }} def
 * @param {{ agent?: Function, adapter?: Function,
 *   overrides?: Record<string, Function> | null }} binding `overrides` names the
 *   roles that another agent (or adapter) plays
 * @returns {(thread: ThreadContext, runtime: Runtime) =>
 *   AsyncGenerator<RoleOutput, { returnCode: number, summary: string }, void>}
 */
export function createWorkflow(def, binding) {
  const moderator = moderatorOf(def);
  const byAdapter = typeof binding.adapter === "function";
  const fallback = byAdapter ? binding.adapter : binding.agent;
  if (typeof fallback !== "function") {
    throw new TypeError("createWorkflow: the binding needs an `agent` or an `adapter` function");
  }
  const overrides = binding.overrides ?? {};
  const play = byAdapter ? playByAdapter : playByAgent;

  return async function* run(thread, runtime) {
    const steps = [...thread.steps];
    // Tables come without a limit of their own; the engine's holds for every thread.
    const limit = byAdapter ? null : (thread.start.meta.maxRounds ?? null);
    for (;;) {
      if (limit !== null && steps.length >= limit) {
        return ended(0, `completed: reached maxRounds (${limit})`);
      }
      const ctx = { ...thread, steps: [...steps] };
      const name = await moderator(ctx);
      if (name === END) {
        return ended(0, "completed: moderator returned END");
      }
      if (!Object.hasOwn(def.roles, name)) {
        return ended(1, `unknown role: ${name}`);
      }
      const player = Object.hasOwn(overrides, name) ? (overrides[name] ?? fallback) : fallback;
      const output = await play({ name, role: def.roles[name], player, ctx, runtime });
      const { role, contentHash, meta, refs } = output;
      yield output;
      steps.push({ role, contentHash, meta, refs: [...refs], timestamp: Date.now() });
    }
  };
}

/**
 * @param {{ moderator?: Function, table?: object }} def
 * @returns {(ctx: ThreadContext) => string}
 */
function moderatorOf(def) {
  if (typeof def.moderator === "function") {
    return def.moderator;
  }
  if (def.table !== null && typeof def.table === "object") {
    return tableToModerator(def.table);
  }
  throw new TypeError("createWorkflow: the definition needs a `moderator` function or a `table`");
}

/**
 * @param {number} returnCode
 * @param {string} summary
 */
function ended(returnCode, summary) {
  return { returnCode, summary };
}
