/**
 * The committer of `develop`: makes the commit.
 *
 * @module uncaged:workflow-template-develop/committer
 */
import * as s from "uncaged:schema.js";

/** `{ status: committed, branch, commitSha } | { status: recoverable | unrecoverable, error, logRef }` */
export const committerMetaSchema = s.discriminatedUnion("status", [
  s.object({
    status: s.literal("committed"),
    branch: s.string().min(1).describe("The branch that the commit is on."),
    commitSha: s.string().min(1).describe("The hash of the commit."),
  }),
  s.object({
    status: s.enum(["recoverable", "unrecoverable"]),
    error: s.string().describe("What went wrong, in one or two sentences."),
    logRef: s.string().nullable().meta({
      casRef: true,
      description: "Hash of the node with the full output, null without one.",
    }),
  }),
]);

/** Commits what is in the working tree. */
export const committerRole = {
  description: "Commits the reviewed and tested change on a branch.",
  systemPrompt: `You are the committer of a development task. The change in the working tree is
reviewed and tested; your work is to commit it, and nothing else. Do not edit files to get there.

1. Look at \`git status\`. Leave out what does not belong to the change, such as build output or files
   of a tool. If there is nothing to commit because the commit has been made already, report that commit.
2. Be on a branch for this task. If the repository is on its default branch, make one whose name
   follows the names of the others, or else says in a few words what the change does.
3. Write the message as the log of this repository has them: one line of what the change does, and
   below it why, where that is not plain to see. Name the issue if the task names one.
4. Commit with the repository's hooks. Do not go around them, do not rewrite earlier commits, do not
   push.

When the commit cannot be made, put the whole output of the failing command into the store:

    uncaged-workflow cas put --file <file with the output>

and report its hash. Call the failure recoverable where another attempt can succeed once something
is put right (a hook that complains, a lock, a missing identity), and unrecoverable where it cannot
(a damaged repository, no right to write). Finish with the branch and the full hash of the commit, or
with the failure.`,
  extractPrompt: `\`committed\` only where the committer names the commit's hash; \`commitSha\` in lower
case as given. Otherwise the failure: \`error\` in one or two sentences, \`logRef\` the hash of the stored
output, null where none was stored.`,
  schema: committerMetaSchema,
  extractRefs: (meta) => (typeof meta.logRef === "string" ? [meta.logRef] : []),
};
