/** The content-addressed store: putting texts, reading nodes, hashes. */
import type { CasStore } from "@uncaged/workflow-protocol";

export type { CasStore } from "@uncaged/workflow-protocol";

/** A node: what the store keeps as YAML. */
export type CasNode<T extends string = string, P = unknown> = {
  type: T;
  payload: P;
  refs: string[];
};
/** What a thread begins with. */
export type StartPayload = {
  name: string;
  hash: string;
  maxRounds: number;
  depth: number;
  parentState?: string | null;
};
/** One step of a thread. */
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
/** The beginning of a thread; it refers to the prompt. */
export type StartNode = CasNode<"start", StartPayload>;
/** A step; it refers to the start, its content and its ancestors. */
export type StateNode = CasNode<"state", StatePayload>;
/** A text with the hashes of what it refers to. */
export type ContentMerkleNode = CasNode<"content", string>;
/** Kinds of nodes that bundles make. */
export type MerkleNodeType = "content" | "step" | "thread";
/** A node of one of these kinds. */
export type MerkleNode = CasNode<MerkleNodeType>;

/** Opens the store in a folder. Nothing is made before something is put. */
export declare function createCasStore(dir: string): CasStore;
/** The hash of a text's UTF-8 bytes. */
export declare function hashString(text: string): string;
/** The hash of a bundle's bytes, which is its version. */
export declare function hashWorkflowBundleBytes(bytes: Uint8Array): string;

/** A content node without references. */
export declare function createContentMerkleNode(text: string): ContentMerkleNode;
/**
 * The text of a node. References may be given as `refs` or, as older bundles do, as `children`;
 * they are written as `refs`.
 */
export declare function serializeMerkleNode(node: {
  type: string;
  payload: unknown;
  refs?: string[];
  children?: string[];
}): string;
/** Text that is no content, step or thread node throws. */
export declare function parseMerkleNode(yaml: string): MerkleNode;
/** Stores a text as a content node without references. */
export declare function putContentMerkleNode(store: CasStore, text: string): Promise<string>;
/** Stores a step in the way that preceded the thread chain. */
export declare function putStepMerkleNode(
  store: CasStore,
  step: { role: string; meta: Record<string, unknown> },
  contentHash: string,
): Promise<string>;
/** Stores a finished thread in the way that preceded the thread chain. */
export declare function putThreadMerkleNode(
  store: CasStore,
  thread: { workflow: string; threadId: string; result: unknown },
  stepHashes: readonly string[],
): Promise<string>;
/**
 * The text that a content node holds; null where the hash is unknown or names another kind of
 * node.
 */
export declare function getContentMerklePayload(
  store: CasStore,
  hash: string,
): Promise<string | null>;

/**
 * Whether the store keeps this text as a node, rather than wrapping it as the payload of a content
 * node.
 */
export declare function isCasNodeYaml(text: string): boolean;
/** Reads a node of a thread's chain; null for any other text. */
export declare function parseCasThreadNode(
  yaml: string,
):
  | { kind: "start"; node: StartNode }
  | { kind: "state"; node: StateNode }
  | { kind: "content"; node: ContentMerkleNode }
  | null;
/**
 * The text of a node, byte for byte as the store writes it. Keys of start and state payloads are
 * put in their order; a link that is not there is left out, so that ordinary nodes keep their
 * hash.
 */
export declare function serializeCasNode(node: CasNode): string;
/** Stores a content node that refers to other nodes. */
export declare function putContentNodeWithRefs(
  store: CasStore,
  text: string,
  refs: readonly string[],
): Promise<string>;
/** Stores the beginning of a thread. */
export declare function putStartNode(
  store: CasStore,
  payload: StartPayload,
  promptHash: string,
): Promise<string>;
/** Stores one state of a thread. */
export declare function putStateNode(store: CasStore, payload: StatePayload): Promise<string>;
/**
 * The hashes that a state refers to: its start, its content, its ancestors, then the summary and
 * the child thread where it has them.
 */
export declare function collectRefs(payload: StatePayload): string[];
/**
 * Every hash that can be reached from `roots` through the references of nodes that the store has.
 */
export declare function findReachableHashes(
  roots: readonly string[],
  store: CasStore,
): Promise<Set<string>>;
