/**
 * The workflow `solve-issue`: from an issue to a pull request. Its developer is
 * meant to be the workflow `develop`, run as an agent.
 *
 * @module @uncaged/workflow-template-solve-issue
 */
import { END } from "uncaged:workflow-protocol.js";
import { buildDescriptor } from "uncaged:workflow-register.js";
import { developerRole } from "uncaged:workflow-template-solve-issue/developer.js";
import { preparerRole } from "uncaged:workflow-template-solve-issue/preparer.js";
import { submitterRole } from "uncaged:workflow-template-solve-issue/submitter.js";

export {
  developerMetaSchema,
  developerRole,
} from "uncaged:workflow-template-solve-issue/developer.js";
export { preparerMetaSchema, preparerRole } from "uncaged:workflow-template-solve-issue/preparer.js";
export {
  submitterMetaSchema,
  submitterRole,
} from "uncaged:workflow-template-solve-issue/submitter.js";

/** What the workflow is for, in one sentence. */
export const SOLVE_ISSUE_WORKFLOW_DESCRIPTION =
  "Prepares a repository, has an issue solved in it, and submits the result as a pull request.";

/** The roles by name, in their order. */
export const solveIssueRoles = {
  preparer: preparerRole,
  developer: developerRole,
  submitter: submitterRole,
};

const ORDER = Object.keys(solveIssueRoles);

/**
 * Who is next: each role once, in their order.
 *
 * @param {import("@uncaged/workflow-protocol").ThreadContext} ctx
 * @returns {string}
 */
export function solveIssueModerator({ steps }) {
  const last = steps.length === 0 ? -1 : ORDER.indexOf(steps[steps.length - 1].role);
  return ORDER[last + 1] ?? END;
}

/** The definition, to be bound to agents by `createWorkflow`. */
export const solveIssueWorkflowDefinition = {
  description: SOLVE_ISSUE_WORKFLOW_DESCRIPTION,
  roles: solveIssueRoles,
  moderator: solveIssueModerator,
};

/**
 * The descriptor that a bundle of this workflow exports.
 *
 * @returns {import("uncaged:workflow-register/descriptor.js").Descriptor}
 */
export function buildSolveIssueDescriptor() {
  return buildDescriptor(solveIssueWorkflowDefinition);
}
