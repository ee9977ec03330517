// A bundle of the newest age: extract reads a content node by its hash.
import { descriptor as describe, planSchema, report, z } from "./schema.mjs";

export const descriptor = describe("the third age");

export async function* run(thread, { cas, extract }) {
  const contentHash = await cas.put("a small plan");
  const { meta } = await extract(planSchema, contentHash);
  yield { role: "planner", contentHash, meta, refs: [contentHash] };
  const linked = z.object({ part: z.string().meta({ casRef: true }) });
  const found = await extract(linked, contentHash);
  yield await report(cas, { found: found.meta, refs: found.refs });
  return { returnCode: 0, summary: "planned" };
}
