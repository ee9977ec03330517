/** An agent that is the program `hermes`. */
import type { Result } from "@uncaged/workflow-protocol";
import type { AgentFn } from "@uncaged/workflow-runtime";

export type HermesAgentConfig = {
  /** Null for the program's own choice. */
  model: string | null;
  /** Milliseconds, null for none. */
  timeout: number | null;
};
export declare function createHermesAgent(config: HermesAgentConfig): AgentFn;
export declare function validateHermesAgentConfig(config: unknown): Result<undefined, string>;
