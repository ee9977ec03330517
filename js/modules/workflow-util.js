/**
 * Small tools of authors: Base32, ids, the logger, storage paths, lists of hashes.
 *
 * @module @uncaged/workflow-util
 */
import { log, storageRoot } from "uncaged:host.js";
import { encodeCrockfordBase32Bits } from "uncaged:base32.js";

export { err, ok } from "uncaged:workflow-protocol.js";
export {
  CROCKFORD_BASE32_ALPHABET,
  decodeCrockfordBase32Bits,
  decodeCrockfordToUint64,
  encodeCrockfordBase32Bits,
  encodeUint64AsCrockford,
} from "uncaged:base32.js";

const LOG_TAG = /^[0-9A-HJKMNP-TV-Z]{8}$/;

/**
 * Makes a logger. Lines of the `stderr` sink go to the thread's own log; the
 * `file` sink appends `{"tag","content","timestamp"}` lines to a file.
 *
 * @param {{ sink: { kind: "stderr" } | { kind: "file", path: string } }} [options]
 * @returns {(tag: string, content: string) => void} a tag is 8 upper-case
 *   Crockford Base32 characters, one constant for each call site; any other throws
 */
export function createLogger(options = { sink: { kind: "stderr" } }) {
  const { sink } = options;
  if (sink.kind !== "stderr" && sink.kind !== "file") {
    throw new TypeError(`a logger's sink is "stderr" or "file", not ${JSON.stringify(sink.kind)}`);
  }
  return (tag, content) => {
    if (typeof tag !== "string" || !LOG_TAG.test(tag)) {
      throw new TypeError(
        `a log tag is 8 upper-case Crockford Base32 characters, not ${JSON.stringify(tag)}`,
      );
    }
    if (sink.kind === "stderr") {
      log("info", content, tag);
      return;
    }
    const line = JSON.stringify({ tag, content, timestamp: Date.now() });
    // Taken when a line is written: importing node:fs costs every bundle its start-up time.
    process.getBuiltinModule("node:fs").appendFileSync(sink.path, `${line}\n`);
  };
}

/**
 * A new ULID: 48 bits of time, 80 random bits, 26 characters.
 *
 * @param {number} nowMs milliseconds since 1970
 * @returns {string}
 */
export function generateUlid(nowMs) {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs >= 2 ** 48) {
    throw new RangeError(`not a time that a ULID can hold: ${nowMs}`);
  }
  let value = BigInt(nowMs);
  for (const byte of crypto.getRandomValues(new Uint8Array(10))) {
    value = (value << 8n) | BigInt(byte);
  }
  // A ULID is padded at its beginning, unlike a hash: 130 bits leave no pad at the end.
  return encodeCrockfordBase32Bits(value, 130);
}

/**
 * The storage root of this installation.
 *
 * @returns {string}
 */
export function getDefaultWorkflowStorageRoot() {
  return storageRoot();
}

/**
 * The folder of the content-addressed store.
 *
 * @param {string} [root] a storage root, this installation's when left out
 * @returns {string}
 */
export function getGlobalCasDir(root) {
  const base = root ?? storageRoot();
  return base.endsWith("/") ? `${base}cas` : `${base}/cas`;
}

/**
 * `refs` and `hash`, each once, in the order of their first appearance.
 *
 * @param {readonly string[]} refs
 * @param {string} hash
 * @returns {string[]}
 */
export function mergeRefsWithContentHash(refs, hash) {
  return [...new Set([...refs, hash])];
}

/**
 * The strings of a list that came from outside; an empty list for anything else.
 *
 * @param {unknown} value
 * @returns {string[]}
 */
export function normalizeRefsField(value) {
  return Array.isArray(value) ? value.filter((ref) => typeof ref === "string") : [];
}

/**
 * An environment variable, or `fallback` where it is not set or empty.
 *
 * @template F
 * @param {string} name
 * @param {F} fallback
 * @returns {string | F}
 */
export function env(name, fallback) {
  const value = process.env[name];
  return value === undefined || value === "" ? fallback : value;
}
