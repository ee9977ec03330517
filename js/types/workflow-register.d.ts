/** Bundles, the registry and the config. */
import type {
  LlmProvider,
  ModeratorTable,
  Result,
  WorkflowDescriptor,
  WorkflowGraphEdge,
} from "@uncaged/workflow-protocol";

export type { WorkflowDescriptor } from "@uncaged/workflow-protocol";

export type WorkflowRegistryEntry = {
  hash: string;
  timestamp: number;
  history: { hash: string; timestamp: number }[];
  /** What the bundle may do; whatever the user may where it is missing. */
  permissions?: { [kind in "read" | "write" | "net" | "run" | "env"]?: true | string[] };
};
export type WorkflowConfig = {
  maxDepth?: number;
  supervisorInterval?: number;
  heapLimit?: number | string;
  providers: Record<string, { baseUrl: string; apiKey: string }>;
  models: Record<string, string>;
};
export type WorkflowRegistryFile = {
  config: WorkflowConfig | null;
  workflows: Record<string, WorkflowRegistryEntry>;
};

export declare function validateWorkflowBundle(bundle: {
  filePath: string;
  source: string;
}): Result<undefined, string>;
export declare function extractBundleExports(
  path: string,
  options?: { storageRoot?: string },
): Promise<Result<{ descriptor: WorkflowDescriptor }, string>>;

export declare function buildDescriptor(def: {
  description: string;
  roles: Record<string, { description: string; schema: object; systemPrompt?: string }>;
  table?: ModeratorTable<any>;
  graph?: { edges: WorkflowGraphEdge[] };
}): WorkflowDescriptor;
export declare function validateWorkflowDescriptor(
  value: unknown,
): Result<WorkflowDescriptor, string>;
export declare function stringifyWorkflowDescriptor(descriptor: WorkflowDescriptor): string;

export declare function readWorkflowRegistry(root: string): Promise<Result<WorkflowRegistryFile>>;
export declare function getRegisteredWorkflow(
  registry: WorkflowRegistryFile,
  name: string,
): WorkflowRegistryEntry | null;
export declare function listRegisteredWorkflowNames(registry: WorkflowRegistryFile): string[];

export declare function resolveModel(
  config: WorkflowConfig,
  scene: string,
): Result<LlmProvider, string>;
/** The first slash splits. */
export declare function splitProviderModelRef(
  ref: string,
): Result<{ provider: string; model: string }, string>;
