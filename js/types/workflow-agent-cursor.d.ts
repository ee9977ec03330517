/** An agent that is the program `cursor-agent`. */
import type { ExtractFn, Result } from "@uncaged/workflow-protocol";
import type { AgentFn } from "@uncaged/workflow-runtime";

export type CursorAgentConfig = {
  /** Null for the program's own choice. */
  model: string | null;
  /** Milliseconds, 0 for none. */
  timeout: number;
  /** Finds the workspace in the thread. */
  extract: ExtractFn;
};
export declare function createCursorAgent(config: CursorAgentConfig): AgentFn;
export declare function validateCursorAgentConfig(config: unknown): Result<undefined, string>;
