// The newest kind of workflow, whose only role is played by another workflow.
import { workflowAdapter } from "@uncaged/workflow-execute";
import { buildDescriptor } from "@uncaged/workflow-register";
import { createWorkflow, START } from "@uncaged/workflow-runtime";
import { developerMetaSchema } from "@uncaged/workflow-template-solve-issue";

const definition = {
  description: "has develop do the work",
  roles: {
    worker: { description: "works", systemPrompt: "You work.", schema: developerMetaSchema },
  },
  table: { [START]: [{ condition: "FALLBACK", role: "worker" }] },
};

export const descriptor = buildDescriptor(definition);

export const run = createWorkflow(definition, {
  adapter: workflowAdapter("develop", null),
  overrides: null,
});
