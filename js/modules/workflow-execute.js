/**
 * What reaches beyond one workflow: other workflows as agents, extraction with
 * a model of one's own, the chain of a thread, garbage collection.
 *
 * @module @uncaged/workflow-execute
 */
import { collectGarbage } from "uncaged:host.js";
import { err, ok } from "uncaged:workflow-protocol.js";
import { walkStates } from "uncaged:chain.js";

export { FORK_BRANCH_ROLE } from "uncaged:chain.js";
export { extractContent as buildExtractUserContent } from "uncaged:extract/prompt.js";
export {
  createExtract,
  extractFunctionToolFromZodSchema,
  llmErrorToCause,
  llmExtract,
} from "uncaged:workflow-execute/llm-extract.js";
export { workflowAdapter, workflowAsAgent } from "uncaged:workflow-execute/child-workflow.js";

/**
 * Removes from a store what no thread can reach any more.
 *
 * @param {string} root a storage root
 * @returns {Promise<{ ok: true, value: { scannedThreads: number, activeRefs: number,
 *   deletedEntries: number, deletedHashes: string[] } } | { ok: false, error: string }>}
 */
export async function garbageCollectCas(root) {
  try {
    return ok(await collectGarbage(root));
  } catch (error) {
    return err(error.message);
  }
}

/**
 * The states of a thread, newest first.
 *
 * @param {import("@uncaged/workflow-cas").CasStore} cas
 * @param {string} head
 * @returns {Promise<import("uncaged:chain.js").StateFrame[]>}
 */
export async function walkStateFramesNewestFirst(cas, head) {
  const frames = [];
  for await (const frame of walkStates(cas, head)) {
    frames.push(frame);
  }
  return frames;
}
