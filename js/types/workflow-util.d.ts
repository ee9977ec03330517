/** Small tools of authors. */
import type { Result } from "@uncaged/workflow-protocol";

export { err, ok } from "@uncaged/workflow-protocol";
export type { Result } from "@uncaged/workflow-protocol";

export declare const CROCKFORD_BASE32_ALPHABET: string;
export declare function encodeCrockfordBase32Bits(value: bigint, bitLength: number): string;
export declare function decodeCrockfordBase32Bits(text: string, bitLength: number): Result<bigint>;
/** 13 characters, as hashes are written. */
export declare function encodeUint64AsCrockford(value: bigint): string;
export declare function decodeCrockfordToUint64(text: string): Result<bigint>;

/** A tag is 8 Crockford Base32 characters, one constant for each call site. */
export type LogFn = (tag: string, content: string) => void;
export type LoggerSink = { kind: "stderr" } | { kind: "file"; path: string };
export declare function createLogger(options?: { sink: LoggerSink }): LogFn;

export declare function generateUlid(nowMs: number): string;
export declare function getDefaultWorkflowStorageRoot(): string;
export declare function getGlobalCasDir(root?: string): string;
export declare function mergeRefsWithContentHash(refs: readonly string[], hash: string): string[];
export declare function normalizeRefsField(value: unknown): string[];
/** An environment variable, `fallback` where it is not set or empty. */
export declare function env<F>(name: string, fallback: F): string | F;
