/**
 * The words that every workflow shares.
 *
 * @module @uncaged/workflow-protocol
 *
 * @typedef {{ role: string, contentHash: string, meta: Record<string, unknown>,
 *   refs: string[], timestamp: number }} RoleStep
 * @typedef {{ threadId: string, depth: number, bundleHash: string,
 *   start: { role: "__start__", content: string, meta: { maxRounds: number },
 *     timestamp: number, parentState: string | null },
 *   steps: RoleStep[] }} ThreadContext
 * @typedef {"FALLBACK" | { name: string, description: string,
 *   check: (ctx: ThreadContext) => boolean }} Condition
 * @typedef {{ [roleOrStart: string]: { condition: Condition, role: string }[] }} TransitionTable
 */

/** The role name of a thread's beginning. */
export const START = "__start__";

/** What a moderator answers when the thread is complete. */
export const END = "__end__";

/**
 * The good half of a `Result`.
 *
 * @template T
 * @param {T} value
 * @returns {{ ok: true, value: T }}
 */
export function ok(value) {
  return { ok: true, value };
}

/**
 * The bad half of a `Result`.
 *
 * @template E
 * @param {E} error
 * @returns {{ ok: false, error: E }}
 */
export function err(error) {
  return { ok: false, error };
}

/**
 * Turns a table of transitions into a moderator: of the row of the last role
 * (START before the first step), the first transition that holds names the
 * next role. A role without a row, or a row where nothing holds, ends the thread.
 *
 * @param {TransitionTable} table
 * @returns {(ctx: ThreadContext) => string}
 */
export function tableToModerator(table) {
  return (ctx) => {
    const last = ctx.steps.length === 0 ? START : ctx.steps[ctx.steps.length - 1].role;
    const row = Object.hasOwn(table, last) ? table[last] : [];
    const taken = row.find(
      ({ condition }) => condition === "FALLBACK" || condition.check(ctx) === true,
    );
    return taken === undefined ? END : taken.role;
  };
}
