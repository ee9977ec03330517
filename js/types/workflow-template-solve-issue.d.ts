/** The workflow `solve-issue`: from an issue to a pull request. */
import type { ModeratorContext, Schema, WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { RoleDefinition } from "@uncaged/workflow-runtime";

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
export type DeveloperMeta = {
  branch: string;
  commitSha: string;
  filesChanged: string[];
  summary: string;
};
export type SubmitterMeta =
  | { status: "submitted"; prUrl: string }
  | { status: "failed"; error: string };
export type SolveIssueMeta = {
  preparer: PreparerMeta;
  developer: DeveloperMeta;
  submitter: SubmitterMeta;
};

export declare const SOLVE_ISSUE_WORKFLOW_DESCRIPTION: string;
export declare const preparerMetaSchema: Schema<PreparerMeta>;
export declare const developerMetaSchema: Schema<DeveloperMeta>;
export declare const submitterMetaSchema: Schema<SubmitterMeta>;
export declare const preparerRole: RoleDefinition<PreparerMeta>;
export declare const developerRole: RoleDefinition<DeveloperMeta>;
export declare const submitterRole: RoleDefinition<SubmitterMeta>;

export declare const solveIssueRoles: {
  [K in keyof SolveIssueMeta]: RoleDefinition<SolveIssueMeta[K]>;
};
export declare function solveIssueModerator(
  ctx: ModeratorContext<SolveIssueMeta>,
): keyof SolveIssueMeta | "__end__";
export declare const solveIssueWorkflowDefinition: {
  description: string;
  roles: typeof solveIssueRoles;
  moderator: typeof solveIssueModerator;
};
export declare function buildSolveIssueDescriptor(): WorkflowDescriptor;
