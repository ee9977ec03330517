/** The workflow `develop`: from a task to a reviewed, tested commit. */
import type { ModeratorContext, Schema, WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { RoleDefinition } from "@uncaged/workflow-runtime";

export type PlannerMeta = { phases: { hash: string; title: string }[] };
export type CoderMeta = { completedPhase: string; filesChanged: string[]; summary: string };
export type ReviewerMeta = { status: "approved" } | { status: "rejected"; issues: string[] };
export type TesterMeta = { status: "passed" | "failed"; details: string };
export type CommitterMeta =
  | { status: "committed"; branch: string; commitSha: string }
  | { status: "recoverable" | "unrecoverable"; error: string; logRef: string | null };
export type DevelopMeta = {
  planner: PlannerMeta;
  coder: CoderMeta;
  reviewer: ReviewerMeta;
  tester: TesterMeta;
  committer: CommitterMeta;
};

export declare const DEVELOP_WORKFLOW_DESCRIPTION: string;
export declare const plannerMetaSchema: Schema<PlannerMeta>;
export declare const coderMetaSchema: Schema<CoderMeta>;
export declare const reviewerMetaSchema: Schema<ReviewerMeta>;
export declare const testerMetaSchema: Schema<TesterMeta>;
export declare const committerMetaSchema: Schema<CommitterMeta>;
export declare const plannerRole: RoleDefinition<PlannerMeta>;
export declare const coderRole: RoleDefinition<CoderMeta>;
export declare const reviewerRole: RoleDefinition<ReviewerMeta>;
export declare const testerRole: RoleDefinition<TesterMeta>;
export declare const committerRole: RoleDefinition<CommitterMeta>;

export declare const developRoles: { [K in keyof DevelopMeta]: RoleDefinition<DevelopMeta[K]> };
export declare function developModerator(
  ctx: ModeratorContext<DevelopMeta>,
): keyof DevelopMeta | "__end__";
export declare const developWorkflowDefinition: {
  description: string;
  roles: typeof developRoles;
  moderator: typeof developModerator;
};
export declare function buildDevelopDescriptor(): WorkflowDescriptor;
