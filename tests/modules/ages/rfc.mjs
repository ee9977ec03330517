// A bundle of the RFC: the answer of extract has the meta in a field.
import { agentContext, descriptor as describe, planSchema, refsSchema, report } from "./schema.mjs";

export const descriptor = describe("the age of the RFC");

export async function* run(thread, { cas, extract }) {
  const answer = await extract(
    planSchema,
    "The plan's figures.",
    agentContext(thread, "a small plan"),
  );
  const { meta, contentPayload, refs } = answer;
  const contentHash = await cas.put(contentPayload);
  yield { role: "planner", contentHash, meta, refs: [...refs, contentHash] };
  const named = await extract(refsSchema, "The numbers.", agentContext(thread, "one and two"));
  yield await report(cas, { keys: Object.keys(named), meta: named.meta, refs: named.refs });
  return { returnCode: 0, summary: "planned" };
}
