/**
 * The workflow `develop`: from a task to a reviewed, tested commit.
 *
 * @module @uncaged/workflow-template-develop
 */
import { END } from "uncaged:workflow-protocol.js";
import { buildDescriptor } from "uncaged:workflow-register.js";
import { coderRole } from "uncaged:workflow-template-develop/coder.js";
import { committerRole } from "uncaged:workflow-template-develop/committer.js";
import { plannerRole } from "uncaged:workflow-template-develop/planner.js";
import { reviewerRole } from "uncaged:workflow-template-develop/reviewer.js";
import { testerRole } from "uncaged:workflow-template-develop/tester.js";

export { coderMetaSchema, coderRole } from "uncaged:workflow-template-develop/coder.js";
export { committerMetaSchema, committerRole } from "uncaged:workflow-template-develop/committer.js";
export { plannerMetaSchema, plannerRole } from "uncaged:workflow-template-develop/planner.js";
export { reviewerMetaSchema, reviewerRole } from "uncaged:workflow-template-develop/reviewer.js";
export { testerMetaSchema, testerRole } from "uncaged:workflow-template-develop/tester.js";

/** What the workflow is for, in one sentence. */
export const DEVELOP_WORKFLOW_DESCRIPTION =
  "Plans a change, writes it phase by phase, has it reviewed and tested, and commits it.";

/** The roles by name, in the order of their first turn. */
export const developRoles = {
  planner: plannerRole,
  coder: coderRole,
  reviewer: reviewerRole,
  tester: testerRole,
  committer: committerRole,
};

/**
 * Who is next. The coder works until every phase, or the last, is done; what
 * the reviewer rejects or the tester fails goes back to the coder. One round
 * before the limit of the thread it ends, whatever is left.
 *
 * @param {import("@uncaged/workflow-protocol").ThreadContext} ctx
 * @returns {string}
 */
export function developModerator(ctx) {
  const { steps, start } = ctx;
  if (steps.length >= (start.meta.maxRounds ?? Infinity) - 1) {
    return END;
  }
  if (steps.length === 0) {
    return "planner";
  }
  const { role, meta } = steps[steps.length - 1];
  switch (role) {
    case "planner":
      return "coder";
    case "coder":
      return allPhasesDone(steps) ? "reviewer" : "coder";
    case "reviewer":
      return meta.status === "approved" ? "tester" : "coder";
    case "tester":
      return meta.status === "passed" ? "committer" : "coder";
    default:
      return END;
  }
}

/**
 * @param {import("@uncaged/workflow-protocol").RoleStep[]} steps
 * @returns {boolean}
 */
function allPhasesDone(steps) {
  const plan = steps.findLast(({ role }) => role === "planner");
  const phases = plan?.meta.phases ?? [];
  const done = steps.filter(({ role }) => role === "coder").map(({ meta }) => meta.completedPhase);
  const isDone = ({ hash, title }) => done.includes(hash) || done.includes(title);
  return phases.length === 0 || phases.every(isDone) || isDone(phases[phases.length - 1]);
}

/** The definition, to be bound to agents by `createWorkflow`. */
export const developWorkflowDefinition = {
  description: DEVELOP_WORKFLOW_DESCRIPTION,
  roles: developRoles,
  moderator: developModerator,
};

/**
 * The descriptor that a bundle of this workflow exports.
 *
 * @returns {import("uncaged:workflow-register/descriptor.js").Descriptor}
 */
export function buildDevelopDescriptor() {
  return buildDescriptor(developWorkflowDefinition);
}
