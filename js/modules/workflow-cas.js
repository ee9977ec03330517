/**
 * The content-addressed store: opening one, hashing, and its nodes.
 *
 * @module @uncaged/workflow-cas
 *
 * @typedef {{ put(text: string): Promise<string>, get(hash: string): Promise<string | null>,
 *   delete(hash: string): Promise<void>, list(): Promise<string[]> }} CasStore
 * @typedef {{ type: "content" | "step" | "thread", payload: unknown,
 *   refs: string[] }} MerkleNode
 */
import { casDelete, casGet, casList, casPut, hash } from "uncaged:host.js";
import { collectRefs, readNode, serializeCasNode, startRefs } from "uncaged:nodes.js";

export { collectRefs, isCasNodeYaml, serializeCasNode } from "uncaged:nodes.js";

const THREAD_KINDS = ["start", "state", "content"];
const MERKLE_TYPES = ["content", "step", "thread"];

/**
 * Opens the store in a folder. Nothing is made before something is put.
 *
 * @param {string} dir
 * @returns {CasStore}
 */
export function createCasStore(dir) {
  return {
    put: (text) => casPut(dir, text),
    get: (hash) => casGet(dir, hash),
    delete: async (hash) => {
      await casDelete(dir, hash);
    },
    list: () => casList(dir),
  };
}

/**
 * The hash of a text's UTF-8 bytes.
 *
 * @param {string} text
 * @returns {string} 13 characters
 */
export function hashString(text) {
  return hash(text);
}

/**
 * The hash of a bundle's bytes, which is its version.
 *
 * @param {Uint8Array} bytes
 * @returns {string} 13 characters
 */
export function hashWorkflowBundleBytes(bytes) {
  return hash(bytes);
}

/**
 * A content node without references.
 *
 * @param {string} text
 * @returns {MerkleNode}
 */
export function createContentMerkleNode(text) {
  return merkleNode("content", text, []);
}

/**
 * The text of a node. References may be given as `refs` or, as older bundles
 * do, as `children`; they are written as `refs`.
 *
 * @param {{ type: string, payload: unknown, refs?: string[], children?: string[] }} node
 * @returns {string}
 */
export function serializeMerkleNode(node) {
  return serializeCasNode({
    ...node,
    payload: node.payload,
    refs: node.refs ?? node.children ?? [],
  });
}

/**
 * Reads a content, step or thread node; any other text throws.
 *
 * @param {string} yaml
 * @returns {MerkleNode}
 */
export function parseMerkleNode(yaml) {
  const node = readNode(yaml);
  if (node === null || !MERKLE_TYPES.includes(node.type)) {
    throw new Error(`not a content, step or thread node: ${JSON.stringify(yaml.slice(0, 60))}`);
  }
  return merkleNode(node.type, node.payload, node.refs);
}

/**
 * Older bundles read the references as `children`, so that name is there too,
 * unseen by copies and comparisons.
 *
 * @param {string} type
 * @param {unknown} payload
 * @param {string[]} refs
 * @returns {MerkleNode}
 */
function merkleNode(type, payload, refs) {
  return Object.defineProperty({ type, payload, refs }, "children", { value: refs });
}

/**
 * Stores a text as a content node without references.
 *
 * @param {CasStore} store
 * @param {string} text
 * @returns {Promise<string>} its hash
 */
export function putContentMerkleNode(store, text) {
  return putContentNodeWithRefs(store, text, []);
}

/**
 * Stores a content node that refers to other nodes.
 *
 * @param {CasStore} store
 * @param {string} text
 * @param {readonly string[]} refs
 * @returns {Promise<string>} its hash
 */
export function putContentNodeWithRefs(store, text, refs) {
  return store.put(serializeCasNode({ type: "content", payload: text, refs: [...refs] }));
}

/**
 * Stores a step in the way that preceded the thread chain.
 *
 * @param {CasStore} store
 * @param {{ role: string, meta: Record<string, unknown> }} step
 * @param {string} contentHash
 * @returns {Promise<string>} its hash
 */
export function putStepMerkleNode(store, { role, meta }, contentHash) {
  return store.put(
    serializeCasNode({ type: "step", payload: { role, meta }, refs: [contentHash] }),
  );
}

/**
 * Stores a finished thread in the way that preceded the thread chain.
 *
 * @param {CasStore} store
 * @param {{ workflow: string, threadId: string, result: unknown }} thread
 * @param {readonly string[]} stepHashes
 * @returns {Promise<string>} its hash
 */
export function putThreadMerkleNode(store, { workflow, threadId, result }, stepHashes) {
  const payload = { workflow, threadId, result };
  return store.put(serializeCasNode({ type: "thread", payload, refs: [...stepHashes] }));
}

/**
 * The text that a content node holds; null where the hash is unknown or names
 * another kind of node.
 *
 * @param {CasStore} store
 * @param {string} hash
 * @returns {Promise<string | null>}
 */
export async function getContentMerklePayload(store, hash) {
  const blob = await store.get(hash);
  const node = blob === null ? null : readNode(blob);
  const isText = node !== null && node.type === "content" && typeof node.payload === "string";
  return isText ? node.payload : null;
}

/**
 * Reads a node of a thread's chain; null for any other text.
 *
 * @param {string} yaml
 * @returns {{ kind: "start" | "state" | "content", node: import("uncaged:nodes.js").CasNode } | null}
 */
export function parseCasThreadNode(yaml) {
  const node = readNode(yaml);
  return node !== null && THREAD_KINDS.includes(node.type) ? { kind: node.type, node } : null;
}

/**
 * Stores the beginning of a thread.
 *
 * @param {CasStore} store
 * @param {import("uncaged:nodes.js").StartPayload} payload
 * @param {string} promptHash
 * @returns {Promise<string>} its hash
 */
export function putStartNode(store, payload, promptHash) {
  const refs = startRefs(payload, promptHash);
  return store.put(serializeCasNode({ type: "start", payload, refs }));
}

/**
 * Stores one state of a thread.
 *
 * @param {CasStore} store
 * @param {import("uncaged:nodes.js").StatePayload} payload
 * @returns {Promise<string>} its hash
 */
export function putStateNode(store, payload) {
  return store.put(serializeCasNode({ type: "state", payload, refs: collectRefs(payload) }));
}

/**
 * Every hash that can be reached from `roots` through the references of nodes
 * that the store has.
 *
 * @param {readonly string[]} roots
 * @param {CasStore} store
 * @returns {Promise<Set<string>>}
 */
export async function findReachableHashes(roots, store) {
  const reached = new Set();
  const waiting = [...roots];
  while (waiting.length > 0) {
    const hash = waiting.pop();
    const blob = reached.has(hash) ? null : await store.get(hash);
    if (blob !== null) {
      reached.add(hash);
      waiting.push(...(readNode(blob)?.refs ?? []));
    }
  }
  return reached;
}
