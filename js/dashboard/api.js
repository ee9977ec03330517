/**
 * Talking to the server.
 *
 * @module dashboard/api
 *
 * @typedef {{ threadId: string, hash: string, name: string, state: string, head: string,
 *   start: string, parentState: string | null, returnCode: number | null }} ThreadRow
 * @typedef {{ name: string, hash: string, timestamp: number, permissions?: object }} WorkflowRow
 */

/** The server answered that it will not. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} error
   * @param {string | undefined} hint
   */
  constructor(status, error, hint) {
    super(hint === undefined ? error : `${error} (${hint})`);
    this.status = status;
  }
}

/** The server did not answer at all. */
export class Unreachable extends Error {}

/** Called with what an answer warns of: parts of the store that cannot be read. */
export const warnings = { /** @param {string} _text */ tell(_text) {} };

/** How long an answer may take before the server counts as gone. */
const PATIENCE = 30_000;

/**
 * @param {string} method
 * @param {string} path below the server's root
 * @param {object | null} body
 * @returns {Promise<any>} the answer's JSON
 */
async function request(method, path, body = null) {
  let response;
  let answer;
  try {
    response = await fetch(path, {
      method,
      headers: body === null ? {} : { "Content-Type": "application/json" },
      body: body === null ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    });
    answer = await response.json();
  } catch (error) {
    throw new Unreachable(error.message);
  }
  const warning = response.headers.get("Warning");
  if (warning !== null) warnings.tell(warning.replace(/^199 - "(.*)"$/, "$1"));
  if (response.ok) return answer;
  throw new Refusal(response.status, answer.error, answer.hint);
}

/** @param {string} path */
export const get = (path) => request("GET", path);
/** @param {string} path @param {object | null} body */
export const post = (path, body = null) => request("POST", path, body);

/** @param {string} id */
export const threadPath = (id) => `api/threads/${encodeURIComponent(id)}`;
