/**
 * What can go wrong when a model is asked, as values.
 *
 * @module uncaged:llm-errors
 *
 * @typedef {{ kind: "http_error", status: number, body: string } |
 *   { kind: "network_error", message: string } |
 *   { kind: "invalid_response", message: string } |
 *   { kind: "max_react_rounds_exceeded", message: string }} LlmError
 */

/**
 * Why a request failed.
 *
 * @param {any} error what the host's `chat` rejected with
 * @returns {LlmError}
 */
export function requestError(error) {
  return error?.code === "http_error"
    ? { kind: "http_error", status: error.status, body: error.body ?? "" }
    : { kind: "network_error", message: error instanceof Error ? error.message : String(error) };
}

/**
 * Why a loop failed.
 *
 * @param {{ code: string, message: string }} error
 * @returns {LlmError}
 */
export function loopError({ code, message }) {
  const kind = code === "max_react_rounds_exceeded" ? code : "invalid_response";
  return { kind, message };
}

/**
 * One line for people.
 *
 * @param {LlmError} error
 * @returns {string}
 */
export function llmErrorText(error) {
  switch (error.kind) {
    case "http_error":
      return `the model's server answered with status ${error.status}: ${error.body}`;
    case "network_error":
      return `the model's server could not be reached: ${error.message}`;
    default:
      return error.message;
  }
}
