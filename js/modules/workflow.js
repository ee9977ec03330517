/**
 * Everything under the name that bundles used when there was one module.
 *
 * @module @uncaged/workflow
 */
export * from "uncaged:workflow-protocol.js";
export * from "uncaged:workflow-runtime.js";
export * from "uncaged:workflow-util.js";
export * from "uncaged:workflow-cas.js";
export * from "uncaged:workflow-register.js";
export * from "uncaged:workflow-reactor.js";
export * from "uncaged:workflow-execute.js";
export * from "uncaged:workflow-util-agent.js";
export * from "uncaged:workflow-agent-llm.js";
export * from "uncaged:workflow-agent-cursor.js";
export * from "uncaged:workflow-agent-hermes.js";
export * from "uncaged:workflow-agent-react.js";
export * from "uncaged:workflow-template-develop.js";
export * from "uncaged:workflow-template-solve-issue.js";
