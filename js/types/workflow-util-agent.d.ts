/** What agents are built of: their prompt, and child processes. */
import type { AgentContext, Result, ThreadContext, WorkflowRuntime } from "@uncaged/workflow-protocol";
import type { AdapterFn } from "@uncaged/workflow-runtime";

/** Role, task, what has happened so far, and how to read more. */
export declare function buildAgentPrompt(ctx: AgentContext<any>): string;

/** Why a command did not succeed. */
export type SpawnError =
  | { kind: "non_zero_exit"; exitCode: number | null; stdout: string; stderr: string }
  | { kind: "timeout" }
  | { kind: "spawn_failed"; message: string };
/**
 * Runs a command without a shell; gives what it wrote on its standard output. It finds
 * the role that it works for in UNCAGED_WORKFLOW_ROLE.
 */
export declare function spawnCli(
  command: string,
  args: readonly string[],
  options: { cwd: string | null; timeoutMs: number | null; role?: string | null },
): Promise<Result<string, SpawnError>>;

/** An agent in the place of an adapter. */
export declare function createAgentAdapter<Options = null>(
  agent: (
    ctx: AgentContext<any>,
    options: Options,
  ) => Promise<string | { output: string; childThread: string | null }>,
  options?:
    | Options
    | ((ctx: ThreadContext<any>, runtime: WorkflowRuntime) => Options | Promise<Options>),
): AdapterFn;
