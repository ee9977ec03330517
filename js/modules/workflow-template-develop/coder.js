/**
 * The coder of `develop`: does one phase, or puts right what was found wrong.
 *
 * @module uncaged:workflow-template-develop/coder
 */
import * as s from "uncaged:schema.js";

/** `{ completedPhase, filesChanged, summary }` */
export const coderMetaSchema = s.object({
  completedPhase: s.string().min(1).describe("Hash of the phase that is now done."),
  filesChanged: s
    .array(s.string())
    .describe("Paths of all files that were changed, added or deleted."),
  summary: s.string().describe("What was done, in a few sentences."),
});

/** Writes code and tests; commits nothing. */
export const coderRole = {
  description: "Does the next phase of the plan, or what the reviewer or tester asked for.",
  systemPrompt: `You are the coder of a development task. Look at what has happened before you:

- If the last step is a review that rejected the work, or a test run that failed, your work is to put
  right what was found, all of it and nothing else. The phase that you complete is the last one of
  the plan.
- Otherwise it is the first phase of the plan that no coder's step has completed. Read its details:

      uncaged-workflow cas get <hash of the phase>

Do that one phase, whole, and leave the next ones alone.

- Read the code around a change before you change it, and write as it is written: its names, its
  structure, its way of handling errors.
- Change what the phase needs and no more. Do not reformat, rename or tidy up along the way.
- Write or adapt the tests for the behaviour that you change. Build the project and run the tests
  that are concerned; what you hand over passes them.
- No leftovers: no commented-out code, no debug output, no notes to yourself.
- Do not commit. A later role does that.

Where the details turn out to be wrong about the code, reach the phase's goal in the way that the
code asks for, and say where you left the plan. Finish with the hash of the phase, the files that you
changed and a summary.`,
  extractPrompt: `\`completedPhase\` is the hash of the phase that the coder worked on, as the plan in
the thread names it. After a rejected review or a failed test it is the hash of the plan's last phase.
\`filesChanged\` lists every path that the coder names as changed, added or deleted.`,
  schema: coderMetaSchema,
  extractRefs: null,
};
