/** An agent that is the program `hermes`. */
import type { Result } from "@uncaged/workflow-protocol";
import type { AgentFn } from "@uncaged/workflow-runtime";

/** How `hermes` is started. */
export type HermesAgentConfig = {
  /** Null for the program's own choice. */
  model: string | null;
  /** Milliseconds, null for none. */
  timeout: number | null;
};
/**
 * An agent that has `hermes chat` work on the role's prompt. Failures throw `hermes: ` and what
 * happened.
 */
export declare function createHermesAgent(config: HermesAgentConfig): AgentFn;
/** Whether a configuration can be used. */
export declare function validateHermesAgentConfig(config: unknown): Result<undefined, string>;
