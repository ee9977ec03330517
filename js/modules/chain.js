/**
 * A thread's chain of states, read from its head.
 *
 * @module uncaged:chain
 *
 * @typedef {{ hash: string, payload: import("uncaged:nodes.js").StatePayload }} StateFrame
 * @typedef {{ get(hash: string): Promise<string | null> }} Reader
 */
import { isHash } from "uncaged:base32.js";
import { readNode } from "uncaged:nodes.js";

/** The role of a thread's last state. */
export const END_ROLE = "__end__";

/** The role of the marker that a fork begins with. */
export const FORK_BRANCH_ROLE = "__fork__";

/**
 * The node behind a hash; a missing one or another kind of text throws.
 *
 * @param {Reader} cas
 * @param {string} hash
 * @returns {Promise<import("uncaged:nodes.js").CasNode>}
 */
async function loadNode(cas, hash) {
  const blob = await cas.get(hash);
  const node = blob === null ? null : readNode(blob);
  if (node === null) {
    throw new Error(`${hash} is ${blob === null ? "missing from the store" : "not a node"}`);
  }
  return node;
}

/**
 * The states from `head` to the first, newest first. A head that is a start
 * node has none.
 *
 * @param {Reader} cas
 * @param {string} head
 * @returns {AsyncGenerator<StateFrame, void, void>}
 */
export async function* walkStates(cas, head) {
  let hash = head;
  while (hash !== undefined) {
    const { type, payload } = await loadNode(cas, hash);
    if (type === "start") {
      return;
    }
    if (type !== "state") {
      throw new Error(`${hash} is a ${type} node, not a state of a thread`);
    }
    yield { hash, payload };
    hash = payload.ancestors[0];
  }
}

/**
 * The start node that a head belongs to.
 *
 * @param {Reader} cas
 * @param {string} head
 * @returns {Promise<{ payload: import("uncaged:nodes.js").StartPayload, promptHash: string }>}
 */
export async function loadStart(cas, head) {
  const node = await loadNode(cas, head);
  const start = node.type === "state" ? await loadNode(cas, node.payload.start) : node;
  if (start.type !== "start") {
    throw new Error(`${head} does not belong to a thread: its start is a ${start.type} node`);
  }
  return { payload: start.payload, promptHash: start.refs[0] };
}

/**
 * The ended thread that a text names: a workflow that plays a role answers with
 * nothing but the hash of its last state.
 *
 * @param {Reader} cas
 * @param {string} text
 * @returns {Promise<string | null>} the hash
 */
export async function endedThreadNamed(cas, text) {
  const hash = text.trim();
  const blob = isHash(hash) ? await cas.get(hash) : null;
  const node = blob === null ? null : readNode(blob);
  return node?.type === "state" && node.payload?.role === END_ROLE ? hash : null;
}
