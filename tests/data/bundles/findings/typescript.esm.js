import type { WorkflowFn } from "@uncaged/workflow-runtime";
export const descriptor = { description: "typed", roles: {} };
export const run: WorkflowFn = async function* (thread, runtime) {};
