// A workflow in TypeScript with the real zod inside: a moderator chooses the
// role, an agent writes text, and the runtime extracts the typed answer from
// that text with a model. `npm run build` makes dist/triage.esm.js of it.
import { createWorkflow, END } from "@uncaged/workflow-runtime";
import * as z from "zod";

const reporter = {
  description: "Restates the report in one sentence",
  systemPrompt: "You restate bug reports in one plain sentence.",
  extractPrompt: "Give the sentence and the component it names.",
  schema: z.object({
    sentence: z.string(),
    component: z.enum(["cli", "store", "worker", "unknown"]),
  }),
  extractRefs: null,
};

const judge = {
  description: "Decides how urgent it is",
  systemPrompt: "You decide how urgent a bug is, from 1 (now) to 4 (some day).",
  extractPrompt: "Give the urgency and the reason.",
  schema: z.object({ urgency: z.number().int().min(1).max(4), reason: z.string().min(1) }),
  extractRefs: null,
};

const roles = { reporter, judge };
type Context = {
  start: { content: string };
  steps: { role: keyof typeof roles; meta: Record<string, unknown> }[];
};

export const descriptor = {
  description: "Triages a bug report",
  roles: Object.fromEntries(
    Object.entries(roles).map(([name, role]) => [
      name,
      { description: role.description, schema: z.toJSONSchema(role.schema) },
    ]),
  ),
};

const definition = {
  description: descriptor.description,
  roles,
  moderator(context: Context) {
    if (context.steps.length === 0) return "reporter";
    return context.steps.length === 1 ? "judge" : END;
  },
};

export const run = createWorkflow(definition, {
  async agent(context: Context & { currentRole: { name: string } }) {
    const { name } = context.currentRole;
    return `${name} on "${context.start.content}" after ${context.steps.length} steps`;
  },
  overrides: null,
});
