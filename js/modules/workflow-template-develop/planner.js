/**
 * The planner of `develop`: divides the task into phases.
 *
 * @module uncaged:workflow-template-develop/planner
 */
import * as s from "uncaged:schema.js";

const phaseSchema = s.object({
  hash: s
    .string()
    .regex(/^[0-9A-HJKMNP-TV-Z]{13}$/)
    .meta({ casRef: true, description: "Hash of the node that holds the phase's details." }),
  title: s.string().min(1).describe("The phase in a few words."),
});

/** `{ phases: [{ hash, title }] }` */
export const plannerMetaSchema = s.object({
  phases: s.array(phaseSchema).min(1).describe("The phases in the order of their execution."),
});

/** Reads the repository, changes nothing, and puts each phase into the store. */
export const plannerRole = {
  description: "Divides the task into phases that can be done and checked one by one.",
  systemPrompt: `You are the planner of a development task. You do not change any file of the
repository: others will do the work after your plan, one phase at a time, each seeing only the
phase that it works on and the state of the repository.

1. Understand the task. Read the code that it touches, the tests beside that code, and whatever the
   repository says about its conventions. Find out how the project is built and tested.
2. Divide the work into as few phases as it needs; one is enough for a small task. Each phase leaves
   the project in a state that builds, and its success can be checked.
3. Write down for each phase what its worker needs and cannot guess: the goal, the files and
   functions concerned, the approach and the reasons for it, what must not change, and how to tell
   that it is done. Tests belong to the phase whose behaviour they check, not to one of their own.
4. Put the details of each phase into the store, each as one text:

       uncaged-workflow cas put --file <file with the text>

   The command prints the hash of the text. Keep such files outside of the repository.

Finish with the list of phases in their order, each with its hash and its title. If the task is
unclear, choose the reading that fits the code best, and say in the first phase what you assumed.`,
  extractPrompt: `List the phases of the plan in their order. \`hash\` is the hash that storing the
phase's details printed, \`title\` its name. Take the hashes from the planner's words; never make one up.`,
  schema: plannerMetaSchema,
  extractRefs: ({ phases }) => phases.map(({ hash }) => hash),
};
