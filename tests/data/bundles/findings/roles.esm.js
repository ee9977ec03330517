const REVIEWER = "reviewer";
export const descriptor = {
  description: "roles",
  roles: {
    planner: { description: "plans", schema: { type: "object", properties: {} } },
    coder: { description: "codes", schema: { type: "string" } },
    reviewer: { description: "reviews", schema: {} },
    "tester": { description: "tests", schema: { type: ["object", "null"] } },
  },
};
export async function* run(thread) {
  yield { role: "planner", contentHash: "", meta: {}, refs: [] };
  yield { role: thread.steps.length ? REVIEWER : "codr", contentHash: "", meta: {}, refs: [] };
  function* another() {
    yield { role: "not of run", contentHash: "", meta: {}, refs: [] };
  }
  return { returnCode: 0, summary: "" };
}
