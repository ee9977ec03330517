/** An agent that is the program `cursor-agent`. */
import type { ExtractFn, Result } from "@uncaged/workflow-protocol";
import type { AgentFn } from "@uncaged/workflow-runtime";

/** How `cursor-agent` is started. */
export type CursorAgentConfig = {
  /** Null for the program's own choice. */
  model: string | null;
  /** Milliseconds, 0 for none. */
  timeout: number;
  /** Finds the workspace in the thread. */
  extract: ExtractFn;
};
/**
 * An agent that has `cursor-agent` work on the role's prompt in the workspace that `extract`
 * finds. Failures throw `cursor-agent: ` and what happened.
 */
export declare function createCursorAgent(config: CursorAgentConfig): AgentFn;
/** Whether a configuration can be used. */
export declare function validateCursorAgentConfig(config: unknown): Result<undefined, string>;
