// The workflow `develop` on a model. Its planner puts the phases into the store
// itself; MODEL_URL names the model's server.
import { createLlmAdapter } from "@uncaged/workflow-agent-llm";
import { createCasStore } from "@uncaged/workflow-cas";
import { createWorkflow } from "@uncaged/workflow-runtime";
import {
  buildDevelopDescriptor,
  developWorkflowDefinition,
} from "@uncaged/workflow-template-develop";
import { getGlobalCasDir } from "@uncaged/workflow-util";

export const descriptor = buildDevelopDescriptor();

const agent = createLlmAdapter({ baseUrl: process.env.MODEL_URL, apiKey: "k", model: "agent" });

async function planner(ctx) {
  const store = createCasStore(getGlobalCasDir());
  const hashes = [
    await store.put(`first part of ${ctx.start.content}`),
    await store.put("second part"),
  ];
  return `phases ${hashes.join(" ")}`;
}

export const run = createWorkflow(developWorkflowDefinition, { agent, overrides: { planner } });
