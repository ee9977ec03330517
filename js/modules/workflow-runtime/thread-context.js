/**
 * The thread context, rebuilt from the store.
 *
 * @module uncaged:workflow-runtime/thread-context
 */
import { START } from "uncaged:workflow-protocol.js";
import { getContentMerklePayload } from "uncaged:workflow-cas.js";
import { END_ROLE, FORK_BRANCH_ROLE, loadStart, walkStates } from "uncaged:chain.js";
import { readNode } from "uncaged:nodes.js";

/**
 * Builds the context of the thread that `headHash` is the newest node of.
 *
 * A state with a summary (`compact`) stops the walk: it is the oldest step in
 * the context, for what lies before it has been summed up. The chain does not
 * know its thread's id, which is therefore empty.
 *
 * @param {string} headHash
 * @param {import("@uncaged/workflow-cas").CasStore} cas
 * @returns {Promise<import("@uncaged/workflow-protocol").ThreadContext>}
 */
export async function buildThreadContext(headHash, cas) {
  const { payload: begin, promptHash } = await loadStart(cas, headHash);
  const steps = [];
  let startedAt = 0;
  let summary = null;
  for await (const { payload } of walkStates(cas, headHash)) {
    startedAt = payload.timestamp;
    if (payload.role !== END_ROLE && payload.role !== FORK_BRANCH_ROLE) {
      steps.unshift(await toStep(payload, cas));
    }
    if (typeof payload.compact === "string") {
      summary = await getContentMerklePayload(cas, payload.compact);
      break;
    }
  }
  return {
    threadId: "",
    depth: begin.depth,
    bundleHash: begin.hash,
    start: {
      role: START,
      content: (await getContentMerklePayload(cas, promptHash)) ?? "",
      // Threads of the newest bundles carry no limit of their own.
      meta: typeof begin.maxRounds === "number" ? { maxRounds: begin.maxRounds } : {},
      timestamp: startedAt,
      parentState: begin.parentState ?? null,
    },
    // What stands for the steps before `steps`, and is to be read first; only
    // in the context of a thread that was compacted.
    ...(summary === null ? {} : { summary }),
    steps,
  };
}

/**
 * @param {import("uncaged:nodes.js").StatePayload} payload
 * @param {import("@uncaged/workflow-cas").CasStore} cas
 * @returns {Promise<import("@uncaged/workflow-protocol").RoleStep>}
 */
async function toStep({ role, meta, content, timestamp }, cas) {
  const blob = await cas.get(content);
  const artifacts = blob === null ? [] : (readNode(blob)?.refs ?? []);
  return {
    role,
    contentHash: content,
    meta,
    refs: [...new Set([...artifacts, content])],
    timestamp,
  };
}
