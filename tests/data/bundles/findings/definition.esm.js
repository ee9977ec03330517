import * as runtime from "@uncaged/workflow-runtime";
const roles = { planner: {}, coder: {} };
const definition = { roles, moderator: () => "planner" };
export const run = runtime.createWorkflow(definition, { agent: null });
export const descriptor = {
  description: "a definition",
  roles: {
    planner: { description: "plans", schema: {} },
    committer: { description: "commits", schema: {} },
  },
};
