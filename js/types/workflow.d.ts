/** Everything under the name that bundles used when there was one module. */
export * from "@uncaged/workflow-protocol";
export * from "@uncaged/workflow-runtime";
export * from "@uncaged/workflow-util";
export * from "@uncaged/workflow-cas";
export * from "@uncaged/workflow-register";
export * from "@uncaged/workflow-reactor";
export * from "@uncaged/workflow-execute";
export * from "@uncaged/workflow-util-agent";
export * from "@uncaged/workflow-agent-llm";
export * from "@uncaged/workflow-agent-cursor";
export * from "@uncaged/workflow-agent-hermes";
export * from "@uncaged/workflow-agent-react";
export * from "@uncaged/workflow-template-develop";
export * from "@uncaged/workflow-template-solve-issue";
