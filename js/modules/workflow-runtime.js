/**
 * What workflow authors build on: `createWorkflow` and the words of the protocol.
 *
 * @module @uncaged/workflow-runtime
 */
export { END, START, err, ok, tableToModerator } from "uncaged:workflow-protocol.js";
export { createWorkflow } from "uncaged:workflow-runtime/create-workflow.js";
export { buildThreadContext } from "uncaged:workflow-runtime/thread-context.js";
