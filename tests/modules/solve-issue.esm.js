// The workflow `solve-issue` on a model, with the workflow `develop` as its
// developer; MODEL_URL names the model's server.
import { createLlmAdapter } from "@uncaged/workflow-agent-llm";
import { workflowAsAgent } from "@uncaged/workflow-execute";
import { createWorkflow } from "@uncaged/workflow-runtime";
import {
  buildSolveIssueDescriptor,
  solveIssueWorkflowDefinition,
} from "@uncaged/workflow-template-solve-issue";

export const descriptor = buildSolveIssueDescriptor();

const agent = createLlmAdapter({ baseUrl: process.env.MODEL_URL, apiKey: "k", model: "agent" });
const developer = workflowAsAgent("develop", null);

export const run = createWorkflow(solveIssueWorkflowDefinition, {
  agent,
  overrides: { developer },
});
