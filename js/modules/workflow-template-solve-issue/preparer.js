/**
 * The preparer of `solve-issue`: gets the repository ready.
 *
 * @module uncaged:workflow-template-solve-issue/preparer
 */
import * as s from "uncaged:schema.js";

const command = (purpose) =>
  s.string().nullable().describe(`${purpose}, null where there is none.`);

/** `{ repoPath, defaultBranch, conventions, toolchain }` */
export const preparerMetaSchema = s.object({
  repoPath: s.string().regex(/^\//).describe("Absolute path of the checkout."),
  defaultBranch: s.string().min(1).describe("The branch that pull requests go to."),
  conventions: s.string().describe("The rules that a change to this repository must follow."),
  toolchain: s.object({
    packageManager: command("The package manager"),
    testCommand: command("The command that runs the tests"),
    lintCommand: command("The command that runs linters and format checks"),
    buildCommand: command("The command that builds the project"),
  }),
});

/** Clones or updates; changes no file of the project. */
export const preparerRole = {
  description:
    "Gets a clean, current checkout of the repository and finds out how it is worked on.",
  systemPrompt: `You prepare the ground for solving an issue. You solve nothing and change no file of
the project.

1. Find out which repository the issue belongs to. If the task names a checkout on this machine, use
   it; otherwise clone the repository into a folder of its own, outside of any other repository.
2. Bring the checkout to the newest state of its default branch. If it holds changes that are not
   committed, do not touch them: take a fresh clone instead.
3. Install what the project needs to be built and tested, with the package manager that its lock file
   belongs to.
4. Find the commands for building, testing and linting where the project itself names them, and run
   the tests once, so that it is known what fails before anything is changed.
5. Read what the project asks of those who change it: contribution guide, agent instructions,
   linter and formatter configuration, and the last twenty commit messages.

Finish with the absolute path of the checkout, the default branch, the commands, and the conventions
in a few lines: language and style, how tests are laid out, how commits and branches are named.
Report tests that fail already.`,
  extractPrompt: `\`repoPath\` is the absolute path of the checkout. A command that the project does not
have is null; commands are as one would type them in that folder. \`conventions\` sums up in a few lines
what a change must follow, with tests that fail already.`,
  schema: preparerMetaSchema,
  extractRefs: null,
};
