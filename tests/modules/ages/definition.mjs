// Definitions of all ages through the host's createWorkflow. The prompt names
// the one to run.
import { createWorkflow, END, START } from "@uncaged/workflow-runtime";
import { buildDescriptor } from "@uncaged/workflow-register";
import { planSchema, z } from "./schema.mjs";

const linkSchema = z.object({
  title: z.string(),
  parts: z.array(z.object({ hash: z.string().meta({ casRef: true }) })),
});

const planner = { description: "plans", systemPrompt: "You plan." };
const agentRoles = {
  planner: {
    ...planner,
    extractPrompt: "The plan's figures.",
    schema: planSchema,
    extractRefs: null,
  },
};
const adapterRoles = { planner: { ...planner, schema: linkSchema } };

export const descriptor = buildDescriptor({ description: "ages", roles: agentRoles });

const agent = async (ctx) => `${ctx.currentRole.systemPrompt} step ${ctx.steps.length}`;
const part = (runtime) => runtime.cas.put("a part");
const adapter = (prompt) => async (ctx, runtime) => ({
  meta: { title: `${prompt} ${ctx.currentRole.name}`, parts: [{ hash: await part(runtime) }] },
  childThread: null,
});

const untilTwo = (ctx) => (ctx.steps.length < 2 ? "planner" : END);
const table = {
  [START]: [{ condition: "FALLBACK", role: "planner" }],
  planner: [
    {
      condition: { name: "again", description: "once more", check: (ctx) => ctx.steps.length < 2 },
      role: "planner",
    },
  ],
};
const runs = {
  "moderator and agent": createWorkflow(
    { roles: agentRoles, moderator: untilTwo },
    { agent, overrides: null },
  ),
  "table and adapter": createWorkflow({ roles: adapterRoles, table }, { adapter, overrides: null }),
  references: createWorkflow(
    {
      roles: {
        planner: { ...agentRoles.planner, extractRefs: (meta) => [meta.title, meta.title] },
      },
      moderator: (ctx) => (ctx.steps.length === 0 ? "planner" : END),
    },
    {
      agent: async () => "other",
      overrides: { planner: async (ctx) => `plan: ${ctx.start.content}` },
    },
  ),
  "unknown role": createWorkflow(
    { roles: agentRoles, moderator: () => "nobody" },
    { agent, overrides: null },
  ),
  endless: createWorkflow(
    { roles: agentRoles, moderator: () => "planner" },
    { agent, overrides: null },
  ),
};

export const run = (thread, runtime) => runs[thread.start.content](thread, runtime);
