/**
 * Nodes of the store as values: what they look like, in which order their keys
 * are written, and which hashes they refer to.
 *
 * @module uncaged:nodes
 *
 * @typedef {{ type: string, payload: unknown, refs: string[] }} CasNode
 * @typedef {{ name: string, hash: string, maxRounds: number, depth: number,
 *   parentState?: string | null }} StartPayload
 * @typedef {{ role: string, meta: Record<string, unknown>, start: string, content: string,
 *   ancestors: string[], compact: string | null, timestamp: number,
 *   childThread?: string | null }} StatePayload
 */
import { normalizeBlob, yamlParse, yamlStringify } from "uncaged:host.js";

const START_KEYS = ["name", "hash", "maxRounds", "depth"];
const STATE_KEYS = ["role", "meta", "start", "content", "ancestors", "compact", "timestamp"];

/**
 * Whether the store keeps this text as a node, rather than wrapping it as the
 * payload of a content node.
 *
 * @param {string} text
 * @returns {boolean}
 */
export function isCasNodeYaml(text) {
  return normalizeBlob(text) === text;
}

/**
 * Reads any node, whichever way its references are named; null for other text.
 *
 * @param {string} text
 * @returns {CasNode | null}
 */
export function readNode(text) {
  let value;
  try {
    value = yamlParse(text);
  } catch {
    return null;
  }
  if (value === null || typeof value !== "object" || typeof value.type !== "string") {
    return null;
  }
  // Nodes from before the thread chain call their references children.
  const refs = Array.isArray(value.refs) ? value.refs : value.children;
  if (!Array.isArray(refs) || !refs.every((ref) => typeof ref === "string")) {
    return null;
  }
  return { type: value.type, payload: value.payload ?? null, refs: [...refs] };
}

/**
 * The text of a node, byte for byte as the store writes it. Keys of start and
 * state payloads are put in their order; a link that is not there is left out,
 * so that ordinary nodes keep their hash.
 *
 * @param {CasNode} node
 * @returns {string}
 */
export function serializeCasNode({ type, payload, refs }) {
  return yamlStringify({ type, payload: arrange(type, payload), refs: [...refs] });
}

/**
 * @param {string} type
 * @param {unknown} payload
 * @returns {unknown}
 */
function arrange(type, payload) {
  if (type === "start") {
    return pick(payload, START_KEYS, "parentState");
  }
  if (type === "state") {
    return pick(payload, STATE_KEYS, "childThread");
  }
  return payload;
}

/**
 * @param {Record<string, unknown>} payload
 * @param {string[]} keys
 * @param {string} link the optional hash that stands last
 * @returns {Record<string, unknown>}
 */
function pick(payload, keys, link) {
  const ordered = {};
  for (const key of keys) {
    if (payload[key] !== undefined) {
      ordered[key] = payload[key];
    }
  }
  if (typeof payload[link] === "string") {
    ordered[link] = payload[link];
  }
  return ordered;
}

/**
 * The hashes that a state refers to: its start, its content, its ancestors,
 * then the summary and the child thread where it has them.
 *
 * @param {StatePayload} payload
 * @returns {string[]}
 */
export function collectRefs(payload) {
  const links = [payload.compact, payload.childThread];
  return [
    payload.start,
    payload.content,
    ...payload.ancestors,
    ...links.filter((hash) => typeof hash === "string"),
  ];
}

/**
 * The hashes that a start refers to: the prompt, then the parent's state where
 * the thread is a child.
 *
 * @param {StartPayload} payload
 * @param {string} promptHash
 * @returns {string[]}
 */
export function startRefs(payload, promptHash) {
  return typeof payload.parentState === "string" ? [promptHash, payload.parentState] : [promptHash];
}
