/** The types and words that every workflow shares: START, END, contexts, results. */

/** The role name of a thread's beginning. */
export declare const START: "__start__";
/** What a moderator answers when the thread is complete. */
export declare const END: "__end__";

/** Success or failure as a value. */
export type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E };
/** The good half of a `Result`. */
export declare function ok<T>(value: T): { ok: true; value: T };
/** The bad half of a `Result`. */
export declare function err<E>(error: E): { ok: false; error: E };

/** A schema that validates: one of zod 4, or any other with `safeParse`. */
export interface Schema<T = unknown> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: unknown };
}

/** The metas of a workflow by role. */
export type RoleMeta = Record<string, Record<string, any>>;

/** One step that a role has done. */
export type RoleStep<M extends RoleMeta = RoleMeta> = {
  [K in keyof M & string]: {
    role: K;
    /** Hash of the content node with the role's text. */
    contentHash: string;
    meta: M[K];
    /** Hashes of what the step refers to, its content among them. */
    refs: string[];
    /** Milliseconds since 1970. */
    timestamp: number;
  };
}[keyof M & string];

/** The beginning of a thread. */
export type StartStep = {
  role: "__start__";
  /** The prompt. */
  content: string;
  meta: { maxRounds: number };
  timestamp: number;
  /** Hash of the parent's state, where the thread is a child. */
  parentState: string | null;
};

/** What a workflow knows when a round begins. */
export type ThreadContext<M extends RoleMeta = RoleMeta> = {
  threadId: string;
  /** 0, or how many workflows have called each other to get here. */
  depth: number;
  bundleHash: string;
  start: StartStep;
  steps: RoleStep<M>[];
};
/** What a moderator decides by. */
export type ModeratorContext<M extends RoleMeta = RoleMeta> = ThreadContext<M>;
/** What an agent knows: who it is, too. */
export type AgentContext<M extends RoleMeta = RoleMeta> = ThreadContext<M> & {
  currentRole: { name: string; systemPrompt: string };
};
/** What the extractor knows: the agent's text, too. */
export type ExtractContext<M extends RoleMeta = RoleMeta> = AgentContext<M> & {
  agentContent: string;
};

/** The content-addressed store. */
export interface CasStore {
  /** Stores a text and gives its hash. */
  put(text: string): Promise<string>;
  /** The node's text, null for an unknown hash. */
  get(hash: string): Promise<string | null>;
  delete(hash: string): Promise<void>;
  list(): Promise<string[]>;
}

/** What an extraction gives beside the meta. */
export type ExtractResult<T> = { meta: T; contentPayload: string; refs: string[] };

/**
 * From a text to typed data. The answer is the data itself, on which `meta`,
 * `contentPayload` and `refs` can be read as well (where the data has none of
 * these names itself).
 */
export interface ExtractFn {
  <T>(schema: Schema<T>, prompt: string, ctx: ExtractContext<any>): Promise<T & ExtractResult<T>>;
  <T>(schema: Schema<T>, contentHash: string): Promise<T & ExtractResult<T>>;
}

/** What the host hands to `run`. */
export interface WorkflowRuntime {
  cas: CasStore;
  extract: ExtractFn;
}

/** What `run` yields for a step. */
export type RoleOutput = {
  role: string;
  contentHash: string;
  meta: Record<string, any>;
  refs: string[];
  /** Hash of a child thread's last state, where the role was played by a workflow. */
  childThread?: string | null;
};
/** What `run` returns. */
export type WorkflowCompletion = { returnCode: number; summary: string };
/** A bundle's `run`. */
export type WorkflowFn<M extends RoleMeta = any> = (
  thread: ThreadContext<M>,
  runtime: WorkflowRuntime,
) => AsyncGenerator<RoleOutput, WorkflowCompletion, void>;

/** What a descriptor says of one role. */
export type RoleDescriptor = {
  description: string;
  /** JSON Schema of the role's meta. */
  schema: Record<string, unknown>;
  systemPrompt?: string;
};
/** One transition between roles, for whoever draws the workflow. */
export type WorkflowGraphEdge = {
  from: string;
  to: string;
  condition: string;
  conditionDescription: string | null;
};
/** A bundle's `descriptor`. */
export type WorkflowDescriptor = {
  description: string;
  roles: Record<string, RoleDescriptor>;
  graph?: { edges: WorkflowGraphEdge[] };
};

/** Names the next role, or `END`. */
export type Moderator<M extends RoleMeta = RoleMeta> = (
  ctx: ModeratorContext<M>,
) => (keyof M & string) | "__end__";
/** When a transition is taken: always, or where `check` says so. */
export type ModeratorCondition<M extends RoleMeta = RoleMeta> =
  | "FALLBACK"
  | { name: string; description: string; check(ctx: ModeratorContext<M>): boolean };
/** By the last role (or `START`), the transitions that are tried in order. */
export type ModeratorTable<M extends RoleMeta = RoleMeta> = {
  [K in (keyof M & string) | "__start__"]?: {
    condition: ModeratorCondition<M>;
    role: (keyof M & string) | "__end__";
  }[];
};
/**
 * Turns a table of transitions into a moderator: of the row of the last role (START before the
 * first step), the first transition that holds names the next role. A role without a row, or a row
 * where nothing holds, ends the thread.
 */
export declare function tableToModerator<M extends RoleMeta>(
  table: ModeratorTable<M>,
): Moderator<M>;

/** An OpenAI-compatible model. */
export type LlmProvider = { baseUrl: string; apiKey: string; model: string };
