const planner = { description: 5, schema: [] };
export const descriptor = {
  roles: {
    planner,
    "code reviewer": { description: `reviews ${planner}` },
    tester: "tests",
    writer: { description: "writes" + "!", schema: { type: "object" } },
  },
};
export async function* run() {
  yield { role: "planner" };
}
