/** What a workflow is built with: createWorkflow, roles, agents, adapters. */
import type {
  AgentContext,
  CasStore,
  Moderator,
  ModeratorTable,
  RoleMeta,
  Schema,
  ThreadContext,
  WorkflowFn,
  WorkflowRuntime,
} from "@uncaged/workflow-protocol";

export * from "@uncaged/workflow-protocol";

/** Plays a role by writing a text. */
export type AgentFn<M extends RoleMeta = any> = (ctx: AgentContext<M>) => Promise<string>;
/** Plays a role by giving its meta. */
export type AdapterFn = <T>(
  prompt: string,
  schema: Schema<T>,
) => (
  ctx: ThreadContext<any>,
  runtime: WorkflowRuntime,
) => Promise<{ meta: T; childThread: string | null }>;

/** A role that an agent plays. */
export type RoleDefinition<T> = {
  description: string;
  systemPrompt: string;
  /** What the extractor is told. */
  extractPrompt: string;
  schema: Schema<T>;
  /** The hashes that a meta refers to. */
  extractRefs?: ((meta: T) => string[]) | null;
};
/** A role that an adapter plays. Fields marked `.meta({ casRef: true })` are references. */
export type AdapterRoleDefinition<T> = {
  description: string;
  systemPrompt: string;
  schema: Schema<T>;
};
/** Who is next: a function or a table. */
export type Routing<M extends RoleMeta> =
  | { moderator: Moderator<M> }
  | { table: ModeratorTable<M> };

/** A workflow for agents: its roles and who is next. */
export type WorkflowDefinition<M extends RoleMeta> = {
  description: string;
  roles: { [K in keyof M & string]: RoleDefinition<M[K]> };
} & Routing<M>;
/** A workflow for adapters: its roles and who is next. */
export type AdapterWorkflowDefinition<M extends RoleMeta> = {
  description: string;
  roles: { [K in keyof M & string]: AdapterRoleDefinition<M[K]> };
} & Routing<M>;

/** Who plays the roles: agents. */
export type AgentBinding = {
  agent: AgentFn;
  /** Other agents for single roles. */
  overrides?: Partial<Record<string, AgentFn>> | null;
};
/** Who plays the roles: adapters. */
export type AdapterBinding = {
  adapter: AdapterFn;
  /** Other adapters for single roles. */
  overrides?: Partial<Record<string, AdapterFn>> | null;
};

/** Turns a definition and the binding of its roles into a bundle's `run`. */
export declare function createWorkflow<M extends RoleMeta>(
  def: WorkflowDefinition<M>,
  binding: AgentBinding,
): WorkflowFn<M>;
export declare function createWorkflow<M extends RoleMeta>(
  def: AdapterWorkflowDefinition<M>,
  binding: AdapterBinding,
): WorkflowFn<M>;

/**
 * The thread context, rebuilt from the store; its `threadId` is empty. `summary`
 * stands for the steps before `steps` where the thread was compacted.
 */
export declare function buildThreadContext(
  headHash: string,
  cas: CasStore,
): Promise<ThreadContext & { summary?: string }>;
