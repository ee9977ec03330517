// Calls itself as an agent until it is refused, and says what came of it.
import { workflowAsAgent } from "@uncaged/workflow-execute";

export const descriptor = { description: "calls itself", roles: {} };

export async function* run(thread, { cas }) {
  const answer = await workflowAsAgent(thread.start.content, null)(thread);
  const contentHash = await cas.put(answer);
  yield { role: "caller", contentHash, meta: { depth: thread.depth }, refs: [contentHash] };
  return { returnCode: 0, summary: answer };
}
