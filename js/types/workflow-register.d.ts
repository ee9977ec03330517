/** Bundles, descriptors, the registry and the config. */
import type {
  LlmProvider,
  ModeratorTable,
  Result,
  WorkflowDescriptor,
  WorkflowGraphEdge,
} from "@uncaged/workflow-protocol";

export type { WorkflowDescriptor } from "@uncaged/workflow-protocol";

/** A registered workflow: its version and those before it, newest first. */
export type WorkflowRegistryEntry = {
  hash: string;
  timestamp: number;
  history: { hash: string; timestamp: number }[];
  /** What the bundle may do; whatever the user may where it is missing. */
  permissions?: { [kind in "read" | "write" | "net" | "run" | "env"]?: true | string[] };
};
/** `config` of `workflow.yaml`: which models answer. */
export type WorkflowConfig = {
  maxDepth?: number;
  supervisorInterval?: number;
  heapLimit?: number | string;
  providers: Record<string, { baseUrl: string; apiKey: string }>;
  models: Record<string, string>;
};
/** `workflow.yaml`. */
export type WorkflowRegistryFile = {
  config: WorkflowConfig | null;
  workflows: Record<string, WorkflowRegistryEntry>;
};

/** Holds a bundle's source against the rules, without running it. */
export declare function validateWorkflowBundle(bundle: {
  filePath: string;
  source: string;
}): Result<undefined, string>;
/** Evaluates a bundle, without permissions and apart from this thread, for what it exports. */
export declare function extractBundleExports(
  path: string,
  options?: { storageRoot?: string },
): Promise<Result<{ descriptor: WorkflowDescriptor }, string>>;

/**
 * The descriptor of a workflow's definition. Where it routes by a table, or brings a graph of its
 * own, the edges are in the descriptor.
 */
export declare function buildDescriptor(def: {
  description: string;
  roles: Record<string, { description: string; schema: object; systemPrompt?: string }>;
  table?: ModeratorTable<any>;
  graph?: { edges: WorkflowGraphEdge[] };
}): WorkflowDescriptor;
/** Whether a value is a descriptor; keys that are not known here are kept. */
export declare function validateWorkflowDescriptor(
  value: unknown,
): Result<WorkflowDescriptor, string>;
/** The text of a descriptor's file. */
export declare function stringifyWorkflowDescriptor(descriptor: WorkflowDescriptor): string;

/** Reads `workflow.yaml`; where there is none, nothing is registered. */
export declare function readWorkflowRegistry(root: string): Promise<Result<WorkflowRegistryFile>>;
/** The entry of this name; null where there is none. */
export declare function getRegisteredWorkflow(
  registry: WorkflowRegistryFile,
  name: string,
): WorkflowRegistryEntry | null;
/** The registered names, sorted. */
export declare function listRegisteredWorkflowNames(registry: WorkflowRegistryFile): string[];

/**
 * The provider and model of a scene, or of `default` where the scene has none. A key written as
 * `env:NAME` is read from the environment now.
 */
export declare function resolveModel(
  config: WorkflowConfig,
  scene: string,
): Result<LlmProvider, string>;
/** The first slash splits. */
export declare function splitProviderModelRef(
  ref: string,
): Result<{ provider: string; model: string }, string>;
