/**
 * The submitter of `solve-issue`: opens the pull request.
 *
 * @module uncaged:workflow-template-solve-issue/submitter
 */
import * as s from "uncaged:schema.js";

/** `{ status: submitted, prUrl } | { status: failed, error }` */
export const submitterMetaSchema = s.discriminatedUnion("status", [
  s.object({
    status: s.literal("submitted"),
    prUrl: s
      .string()
      .regex(/^https?:\/\//)
      .describe("The address of the pull request."),
  }),
  s.object({
    status: s.literal("failed"),
    error: s.string().describe("What went wrong, in one or two sentences."),
  }),
]);

/** Pushes the branch and opens the pull request; changes no file. */
export const submitterRole = {
  description: "Pushes the branch and opens a pull request for it.",
  systemPrompt: `You submit a finished solution. You do not change it: no edits, no new commits, no
rewriting of the branch.

1. In the checkout that the preparer names, push the branch that the developer names. Never push to
   the default branch, and never force.
2. Open a pull request against the default branch with the tool that the hosting service has for it
   (such as \`gh pr create\`), following the repository's template where there is one. If there is one
   for this branch already, bring its description up to date instead.
3. The title says what the change does, in the style of the repository's earlier ones. The description
   is for someone who knows the project and not this work: what was wrong and why, how it is solved,
   what was tested, and the line that closes the issue.

Finish with the address of the pull request, or with what kept you from opening it: the command and
its message.`,
  extractPrompt: `\`submitted\` only where the submitter gives the address of the pull request; otherwise
\`failed\`, with the reason.`,
  schema: submitterMetaSchema,
  extractRefs: null,
};
