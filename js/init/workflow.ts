// A workflow: `descriptor` says what it is, `run` makes its steps. Build it with
// `npm run build`, try it with `uncaged-workflow run ./dist/NAME.esm.js --wait`.
import { putContentMerkleNode } from "@uncaged/workflow-cas";
import type { WorkflowFn } from "@uncaged/workflow-protocol";
import * as z from "zod";

const greeting = z.object({ words: z.number().int() });

export const descriptor = {
  description: "Greets whoever the prompt names",
  roles: {
    greeter: { description: "Writes the greeting", schema: z.toJSONSchema(greeting) },
  },
};

export const run: WorkflowFn = async function* (thread, { cas }) {
  // Steps that are in the store already, after a crash or in a fork, are not repeated.
  if (thread.steps.length === 0) {
    const text = `Hello, ${thread.start.content || "world"}!`;
    const meta = greeting.parse({ words: text.split(" ").length });
    const contentHash = await putContentMerkleNode(cas, text);
    yield { role: "greeter", contentHash, meta, refs: [contentHash] };
  }
  return { returnCode: 0, summary: "greeted" };
};
