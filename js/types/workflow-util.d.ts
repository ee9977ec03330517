/** Small tools: Base32, ULIDs, logs, paths of the store, lists of references. */
import type { Result } from "@uncaged/workflow-protocol";

export { err, ok } from "@uncaged/workflow-protocol";
export type { Result } from "@uncaged/workflow-protocol";

/** The 32 digits: no I, L, O or U. */
export declare const CROCKFORD_BASE32_ALPHABET: string;
/** Writes the low `bitLength` bits of `value`. */
export declare function encodeCrockfordBase32Bits(value: bigint, bitLength: number): string;
/** Reads what `encodeCrockfordBase32Bits` wrote, in any case. */
export declare function decodeCrockfordBase32Bits(text: string, bitLength: number): Result<bigint>;
/** 13 characters, as hashes are written. */
export declare function encodeUint64AsCrockford(value: bigint): string;
/** Reads 13 characters as a 64-bit value. */
export declare function decodeCrockfordToUint64(text: string): Result<bigint>;

/** A tag is 8 Crockford Base32 characters, one constant for each call site. */
export type LogFn = (tag: string, content: string) => void;
/** Where lines go: the thread's own log, or a file. */
export type LoggerSink = { kind: "stderr" } | { kind: "file"; path: string };
/**
 * Makes a logger. Lines of the `stderr` sink go to the thread's own log; the `file` sink appends
 * `{"tag","content","timestamp"}` lines to a file.
 */
export declare function createLogger(options?: { sink: LoggerSink }): LogFn;

/** A new ULID: 48 bits of time, 80 random bits, 26 characters. */
export declare function generateUlid(nowMs: number): string;
/** The storage root of this installation. */
export declare function getDefaultWorkflowStorageRoot(): string;
/** The folder of the content-addressed store. */
export declare function getGlobalCasDir(root?: string): string;
/** `refs` and `hash`, each once, in the order of their first appearance. */
export declare function mergeRefsWithContentHash(refs: readonly string[], hash: string): string[];
/** The strings of a list that came from outside; an empty list for anything else. */
export declare function normalizeRefsField(value: unknown): string[];
/** An environment variable, `fallback` where it is not set or empty. */
export declare function env<F>(name: string, fallback: F): string | F;
