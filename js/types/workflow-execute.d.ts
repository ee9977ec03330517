/** What reaches beyond one workflow. */
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

export type WorkflowAsAgentOptions = { storageRoot?: string | null };

/** Answers with the hash of the child's last state, or a text that begins with `ERROR: `. */
export declare function workflowAsAgent(
  name: string,
  options?: WorkflowAsAgentOptions | null,
): AgentFn;
export declare function workflowAdapter(
  name: string,
  options?: WorkflowAsAgentOptions | null,
): AdapterFn;

export declare function createExtract(provider: LlmProvider, options: { cas: CasStore }): ExtractFn;

export type LlmError =
  | { kind: "http_error"; status: number; body: string }
  | { kind: "network_error"; message: string }
  | { kind: "invalid_response"; message: string }
  | { kind: "max_react_rounds_exceeded"; message: string };
export declare function llmExtract<T>(options: {
  text: string;
  schema: Schema<T>;
  provider: LlmProvider;
}): Promise<Result<T, LlmError>>;
export declare function llmErrorToCause(error: LlmError): Error;

export declare function buildExtractUserContent(
  ctx: ExtractContext<any>,
  prompt: string,
  options: { cas: CasStore },
): Promise<string>;
export declare function extractFunctionToolFromZodSchema(schema: object): ToolDefinition;

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
export declare function walkStateFramesNewestFirst(
  cas: CasStore,
  head: string,
): Promise<{ hash: string; payload: StatePayload }[]>;
