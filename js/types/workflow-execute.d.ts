/** Other workflows as agents, extraction with a model of your own, garbage collection. */
import type {
  CasStore,
  ExtractContext,
  ExtractFn,
  LlmProvider,
  Result,
  Schema,
} from "@uncaged/workflow-protocol";
import type { StatePayload } from "@uncaged/workflow-cas";
import type { ToolDefinition } from "@uncaged/workflow-reactor";
import type { AdapterFn, AgentFn } from "@uncaged/workflow-runtime";

/** Where the other workflow is registered; null for the thread's own store. */
export type WorkflowAsAgentOptions = { storageRoot?: string | null };

/** Answers with the hash of the child's last state, or a text that begins with `ERROR: `. */
export declare function workflowAsAgent(
  name: string,
  options?: WorkflowAsAgentOptions | null,
): AgentFn;
/**
 * An adapter that runs the workflow `name` and extracts the role's meta from what it left behind.
 * What goes wrong rejects.
 */
export declare function workflowAdapter(
  name: string,
  options?: WorkflowAsAgentOptions | null,
): AdapterFn;

/** An `extract` as the runtime's, asking another model than the configured one. */
export declare function createExtract(provider: LlmProvider, options: { cas: CasStore }): ExtractFn;

/** Why a model gave nothing usable. */
export type LlmError =
  | { kind: "http_error"; status: number; body: string }
  | { kind: "network_error"; message: string }
  | { kind: "invalid_response"; message: string }
  | { kind: "max_react_rounds_exceeded"; message: string };
/** Extracts from a text alone; nothing of the store can be read. */
export declare function llmExtract<T>(options: {
  text: string;
  schema: Schema<T>;
  provider: LlmProvider;
}): Promise<Result<T, LlmError>>;
/** An error to throw, or to give as the `cause` of another. */
export declare function llmErrorToCause(error: LlmError): Error;

/**
 * What the extractor's model is told: role, task, history, the agent's text and the instruction.
 */
export declare function buildExtractUserContent(
  ctx: ExtractContext<any>,
  prompt: string,
  options: { cas: CasStore },
): Promise<string>;
/** The function that a model is given for a schema. */
export declare function extractFunctionToolFromZodSchema(schema: object): ToolDefinition;

/** Removes from a store what no thread can reach any more. */
export declare function garbageCollectCas(root: string): Promise<
  Result<
    {
      scannedThreads: number;
      activeRefs: number;
      deletedEntries: number;
      deletedHashes: string[];
    },
    string
  >
>;

/** The role of the marker that a fork begins with. */
export declare const FORK_BRANCH_ROLE: "__fork__";
/** The states of a thread, newest first. */
export declare function walkStateFramesNewestFirst(
  cas: CasStore,
  head: string,
): Promise<{ hash: string; payload: StatePayload }[]>;
