// The schemas of the bundles here, by the bundle's own copy of zod.
import * as z from "zod/v4";

export { z };

/** What the role `planner` reports. */
export const planSchema = z
  .object({
    title: z.string().min(1),
    size: z.enum(["small", "large"]),
    tags: z.array(z.string()).default([]),
  })
  .meta({ title: "plan", description: "The plan's key figures" });

/** One whose field has the name of something that extract puts beside the meta. */
export const refsSchema = z.object({ refs: z.array(z.number()) });

/** One that can only be checked asynchronously. */
export const asyncSchema = z.object({ n: z.number() }).refine(async ({ n }) => n > 0);

export const descriptor = (description) => ({
  description,
  roles: { planner: { description: "plans", schema: { type: "object" } } },
});

/** What the extractor is told of a thread before the third age. */
export const agentContext = (thread, agentContent) => ({
  ...thread,
  currentRole: { name: "planner", systemPrompt: "You plan." },
  agentContent,
});

/** A step whose meta says what came of it. */
export async function report(cas, meta) {
  const contentHash = await cas.put("report");
  return { role: "planner", contentHash, meta, refs: [contentHash] };
}
