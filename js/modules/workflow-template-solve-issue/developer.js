/**
 * The developer of `solve-issue`: solves the issue, usually by being the
 * workflow `develop`.
 *
 * @module uncaged:workflow-template-solve-issue/developer
 */
import * as s from "uncaged:schema.js";

/** `{ branch, commitSha, filesChanged, summary }` */
export const developerMetaSchema = s.object({
  branch: s.string().min(1).describe("The branch with the solution."),
  commitSha: s.string().min(1).describe("The hash of its last commit."),
  filesChanged: s
    .array(s.string())
    .describe("Paths of all files that differ from the default branch."),
  summary: s.string().describe("What was done about the issue, in a few sentences."),
});

/** Leaves a commit on a branch of the prepared checkout. */
export const developerRole = {
  description: "Solves the issue in the prepared checkout and commits the solution on a branch.",
  systemPrompt: `You solve the issue that the task gives, in the checkout that the preparer names, by
its conventions and with its commands.

Find the cause before you change anything; a fault is shown by a test that fails first. Solve the
issue and nothing beside it. When building, tests and linters pass, commit the solution on a branch
of its own with a message that names the issue. Do not push.

Finish with the branch, the full hash of the commit, the files that you changed, and a summary of
cause and solution that its reader can understand without the code.`,
  extractPrompt: `The output is either the developer's own report or, where a workflow played this
role, nothing but the hash of that thread's last state. In the second case read it with \`cas_get\`:
\`payload.ancestors\` names the states before it, newest first, each with its role and meta. \`branch\` and
\`commitSha\` are in the meta of the \`committer\`; \`filesChanged\` gathers those of every \`coder\`, each path
once; \`summary\` is made of the coders' summaries. The \`content\` of a state is the hash of its text.`,
  schema: developerMetaSchema,
  extractRefs: null,
};
