// The workflow NAME: which roles there are, who is next, and who plays them.
// `npm run build` makes dist/NAME.esm.js of it.
import { buildDescriptor } from "@uncaged/workflow-register";
import { type AgentFn, createWorkflow, END, type WorkflowDefinition } from "@uncaged/workflow-runtime";
import * as z from "zod";

// What each role's answer looks like. A model turns the role's text into this.
const reporter = z.object({
  severity: z.number().int().min(1).max(4).describe("1 is now, 4 is some day"),
  component: z.string(),
});
const planner = z.object({ steps: z.array(z.string()).min(1) });

type Meta = { reporter: z.infer<typeof reporter>; planner: z.infer<typeof planner> };

const definition: WorkflowDefinition<Meta> = {
  description: "Rates a bug report and plans what to do about an urgent one",
  roles: {
    reporter: {
      description: "Rates the report",
      systemPrompt: "You rate bug reports.",
      extractPrompt: "Give the severity and the component.",
      schema: reporter,
    },
    planner: {
      description: "Plans the next steps",
      systemPrompt: "You plan how to find the cause of a bug.",
      extractPrompt: "Give the steps in their order.",
      schema: planner,
    },
  },
  // Called before each round, and again after a crash: it decides by the steps alone.
  moderator({ steps }) {
    const last = steps.at(-1);
    if (last === undefined) return "reporter";
    if (last.role === "reporter" && last.meta.severity <= 2) return "planner";
    return END;
  },
};

// Whoever plays the roles: any function from the context to a text. With a model:
// createLlmAdapter({ baseUrl, apiKey, model }) of @uncaged/workflow-agent-llm.
const agent: AgentFn = async ({ currentRole, start }) =>
  `${currentRole.systemPrompt}\n\nThe report: ${start.content}`;

export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { agent });
