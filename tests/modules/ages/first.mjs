// A bundle from before the RFC: the answer of extract is the meta.
import {
  agentContext,
  asyncSchema,
  descriptor as describe,
  planSchema,
  report,
} from "./schema.mjs";

export const descriptor = describe("the first age");

export async function* run(thread, { cas, extract }) {
  const meta = await extract(
    planSchema,
    "The plan's figures.",
    agentContext(thread, "a small plan"),
  );
  const contentHash = await cas.put("a small plan");
  yield { role: "planner", contentHash, meta, refs: [contentHash] };
  const checked = await extract(asyncSchema, "A number.", agentContext(thread, "five"));
  yield await report(cas, { keys: Object.keys(meta), copy: { ...meta }, checked });
  return { returnCode: 0, summary: "planned" };
}
