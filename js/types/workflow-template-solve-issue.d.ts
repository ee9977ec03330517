/** The workflow `solve-issue`: from an issue to a pull request. */
import type { ModeratorContext, Schema, WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { RoleDefinition } from "@uncaged/workflow-runtime";

/** The checkout and how to work in it. */
export type PreparerMeta = {
  repoPath: string;
  defaultBranch: string;
  conventions: string;
  toolchain: {
    packageManager: string | null;
    testCommand: string | null;
    lintCommand: string | null;
    buildCommand: string | null;
  };
};
/** The commit that was made. */
export type DeveloperMeta = {
  branch: string;
  commitSha: string;
  filesChanged: string[];
  summary: string;
};
/** The pull request, or why there is none. */
export type SubmitterMeta =
  | { status: "submitted"; prUrl: string }
  | { status: "failed"; error: string };
/** The metas by role. */
export type SolveIssueMeta = {
  preparer: PreparerMeta;
  developer: DeveloperMeta;
  submitter: SubmitterMeta;
};

/** What the workflow is for, in one sentence. */
export declare const SOLVE_ISSUE_WORKFLOW_DESCRIPTION: string;
/** `{ repoPath, defaultBranch, conventions, toolchain }` */
export declare const preparerMetaSchema: Schema<PreparerMeta>;
/** `{ branch, commitSha, filesChanged, summary }` */
export declare const developerMetaSchema: Schema<DeveloperMeta>;
/** `{ status: submitted, prUrl } | { status: failed, error }` */
export declare const submitterMetaSchema: Schema<SubmitterMeta>;
/** Clones or updates; changes no file of the project. */
export declare const preparerRole: RoleDefinition<PreparerMeta>;
/** Leaves a commit on a branch of the prepared checkout. */
export declare const developerRole: RoleDefinition<DeveloperMeta>;
/** Pushes the branch and opens the pull request; changes no file. */
export declare const submitterRole: RoleDefinition<SubmitterMeta>;

/** The roles by name, in their order. */
export declare const solveIssueRoles: {
  [K in keyof SolveIssueMeta]: RoleDefinition<SolveIssueMeta[K]>;
};
/** Who is next: each role once, in their order. */
export declare function solveIssueModerator(
  ctx: ModeratorContext<SolveIssueMeta>,
): keyof SolveIssueMeta | "__end__";
/** The definition, to be bound to agents by `createWorkflow`. */
export declare const solveIssueWorkflowDefinition: {
  description: string;
  roles: typeof solveIssueRoles;
  moderator: typeof solveIssueModerator;
};
/** The descriptor that a bundle of this workflow exports. */
export declare function buildSolveIssueDescriptor(): WorkflowDescriptor;
