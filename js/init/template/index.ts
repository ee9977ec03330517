// The workflow template NAME: roles and their order, without anybody who plays
// them. A workflow binds it to an agent, as src/NAME.ts does.
import { buildDescriptor } from "@uncaged/workflow-register";
import { END, type WorkflowDefinition } from "@uncaged/workflow-runtime";
import * as z from "zod";

export const authorMetaSchema = z.object({ summary: z.string().min(1) });
export const reviewerMetaSchema = z.object({
  approved: z.boolean(),
  remarks: z.array(z.string()),
});

export type IDENTMeta = {
  author: z.infer<typeof authorMetaSchema>;
  reviewer: z.infer<typeof reviewerMetaSchema>;
};

export const IDENTDefinition: WorkflowDefinition<IDENTMeta> = {
  description: "Does a task and has it reviewed until it is approved",
  roles: {
    author: {
      description: "Does the task",
      systemPrompt: "You do the task, and mind the remarks of the last review.",
      extractPrompt: "Give a summary of what was done.",
      schema: authorMetaSchema,
    },
    reviewer: {
      description: "Approves the work, or says what is missing",
      systemPrompt: "You review the work that was done last.",
      extractPrompt: "Say whether the work was approved, and give the remarks.",
      schema: reviewerMetaSchema,
    },
  },
  moderator({ steps }) {
    const last = steps.at(-1);
    if (last === undefined) return "author";
    if (last.role === "author") return "reviewer";
    return last.meta.approved ? END : "author";
  },
};

export const buildIDENTDescriptor = () => buildDescriptor(IDENTDefinition);
