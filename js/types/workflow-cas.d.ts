/** The content-addressed store. */
import type { CasStore } from "@uncaged/workflow-protocol";

export type { CasStore } from "@uncaged/workflow-protocol";

export type CasNode<T extends string = string, P = unknown> = {
  type: T;
  payload: P;
  refs: string[];
};
export type StartPayload = {
  name: string;
  hash: string;
  maxRounds: number;
  depth: number;
  parentState?: string | null;
};
export type StatePayload = {
  role: string;
  meta: Record<string, unknown>;
  start: string;
  content: string;
  /** The parent, its parent and so on, newest first, at most 11. */
  ancestors: string[];
  /** Hash of a summary of all that lies before. */
  compact: string | null;
  timestamp: number;
  childThread?: string | null;
};
export type StartNode = CasNode<"start", StartPayload>;
export type StateNode = CasNode<"state", StatePayload>;
export type ContentMerkleNode = CasNode<"content", string>;
export type MerkleNodeType = "content" | "step" | "thread";
export type MerkleNode = CasNode<MerkleNodeType>;

export declare function createCasStore(dir: string): CasStore;
export declare function hashString(text: string): string;
export declare function hashWorkflowBundleBytes(bytes: Uint8Array): string;

export declare function createContentMerkleNode(text: string): ContentMerkleNode;
export declare function serializeMerkleNode(node: {
  type: string;
  payload: unknown;
  refs?: string[];
  children?: string[];
}): string;
/** Text that is no content, step or thread node throws. */
export declare function parseMerkleNode(yaml: string): MerkleNode;
export declare function putContentMerkleNode(store: CasStore, text: string): Promise<string>;
export declare function putStepMerkleNode(
  store: CasStore,
  step: { role: string; meta: Record<string, unknown> },
  contentHash: string,
): Promise<string>;
export declare function putThreadMerkleNode(
  store: CasStore,
  thread: { workflow: string; threadId: string; result: unknown },
  stepHashes: readonly string[],
): Promise<string>;
export declare function getContentMerklePayload(
  store: CasStore,
  hash: string,
): Promise<string | null>;

export declare function isCasNodeYaml(text: string): boolean;
export declare function parseCasThreadNode(
  yaml: string,
):
  | { kind: "start"; node: StartNode }
  | { kind: "state"; node: StateNode }
  | { kind: "content"; node: ContentMerkleNode }
  | null;
export declare function serializeCasNode(node: CasNode): string;
export declare function putContentNodeWithRefs(
  store: CasStore,
  text: string,
  refs: readonly string[],
): Promise<string>;
export declare function putStartNode(
  store: CasStore,
  payload: StartPayload,
  promptHash: string,
): Promise<string>;
export declare function putStateNode(store: CasStore, payload: StatePayload): Promise<string>;
export declare function collectRefs(payload: StatePayload): string[];
export declare function findReachableHashes(
  roots: readonly string[],
  store: CasStore,
): Promise<Set<string>>;
