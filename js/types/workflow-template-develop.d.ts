/** The workflow `develop`: from a task to a reviewed, tested commit. */
import type { ModeratorContext, Schema, WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { RoleDefinition } from "@uncaged/workflow-runtime";

/** Phases; each hash names its details in the store. */
export type PlannerMeta = { phases: { hash: string; title: string }[] };
/** One completed phase. */
export type CoderMeta = { completedPhase: string; filesChanged: string[]; summary: string };
/** Approval, or what to change. */
export type ReviewerMeta = { status: "approved" } | { status: "rejected"; issues: string[] };
/** How the checks ended. */
export type TesterMeta = { status: "passed" | "failed"; details: string };
/** The commit, or why there is none. */
export type CommitterMeta =
  | { status: "committed"; branch: string; commitSha: string }
  | { status: "recoverable" | "unrecoverable"; error: string; logRef: string | null };
/** The metas by role. */
export type DevelopMeta = {
  planner: PlannerMeta;
  coder: CoderMeta;
  reviewer: ReviewerMeta;
  tester: TesterMeta;
  committer: CommitterMeta;
};

/** What the workflow is for, in one sentence. */
export declare const DEVELOP_WORKFLOW_DESCRIPTION: string;
/** `{ phases: [{ hash, title }] }` */
export declare const plannerMetaSchema: Schema<PlannerMeta>;
/** `{ completedPhase, filesChanged, summary }` */
export declare const coderMetaSchema: Schema<CoderMeta>;
/** `{ status: approved } | { status: rejected, issues }` */
export declare const reviewerMetaSchema: Schema<ReviewerMeta>;
/** `{ status: passed | failed, details }` */
export declare const testerMetaSchema: Schema<TesterMeta>;
/**
 * `{ status: committed, branch, commitSha } | { status: recoverable | unrecoverable, error, logRef
 * }`
 */
export declare const committerMetaSchema: Schema<CommitterMeta>;
/** Reads the repository, changes nothing, and puts each phase into the store. */
export declare const plannerRole: RoleDefinition<PlannerMeta>;
/** Writes code and tests; commits nothing. */
export declare const coderRole: RoleDefinition<CoderMeta>;
/** Reads the change as it lies in the working tree; changes nothing. */
export declare const reviewerRole: RoleDefinition<ReviewerMeta>;
/** Runs tests, linters and build; changes nothing. */
export declare const testerRole: RoleDefinition<TesterMeta>;
/** Commits what is in the working tree. */
export declare const committerRole: RoleDefinition<CommitterMeta>;

/** The roles by name, in the order of their first turn. */
export declare const developRoles: { [K in keyof DevelopMeta]: RoleDefinition<DevelopMeta[K]> };
/**
 * Who is next. The coder works until every phase, or the last, is done; what the reviewer rejects
 * or the tester fails goes back to the coder. One round before the limit of the thread it ends,
 * whatever is left.
 */
export declare function developModerator(
  ctx: ModeratorContext<DevelopMeta>,
): keyof DevelopMeta | "__end__";
/** The definition, to be bound to agents by `createWorkflow`. */
export declare const developWorkflowDefinition: {
  description: string;
  roles: typeof developRoles;
  moderator: typeof developModerator;
};
/** The descriptor that a bundle of this workflow exports. */
export declare function buildDevelopDescriptor(): WorkflowDescriptor;
