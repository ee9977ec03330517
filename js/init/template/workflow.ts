// The workflow NAME: the template in templates/NAME, played by an agent.
import { type AgentFn, createWorkflow } from "@uncaged/workflow-runtime";
import { buildIDENTDescriptor, IDENTDefinition } from "../templates/NAME/index";

// Any function from the context to a text. With a model: createLlmAdapter({
// baseUrl, apiKey, model }) of @uncaged/workflow-agent-llm; `overrides` gives
// single roles other agents.
const agent: AgentFn = async ({ currentRole, start, steps }) =>
  `${currentRole.name}, round ${Math.floor(steps.length / 2) + 1}: ${start.content}`;

export const descriptor = buildIDENTDescriptor();
export const run = createWorkflow(IDENTDefinition, { agent });
