/** An adapter that is a ReAct loop, and tools to read, write, patch and run commands. */
import type { LlmFn, ToolDefinition } from "@uncaged/workflow-reactor";
import type { AdapterFn } from "@uncaged/workflow-runtime";

/** Runs a tool and gives what the model is told. */
export type ToolHandler = (name: string, args: any) => Promise<string>;
/** An adapter that lets a model call tools until it answers with the role's meta. */
export declare function createReactAdapter(options: {
  llm: LlmFn;
  tools: ToolDefinition[];
  toolHandler: ToolHandler;
  maxRounds?: number;
}): AdapterFn;

/** Reads a file. */
export declare const readTool: ToolDefinition;
/** Writes a file. */
export declare const writeTool: ToolDefinition;
/** Replaces one passage of a file. */
export declare const patchTool: ToolDefinition;
/** Runs a command. */
export declare const shellTool: ToolDefinition;
/** All four. */
export declare const workspaceTools: ToolDefinition[];
/** The four tools with the handler that runs them in one folder. */
export declare function createWorkspaceTools(options: {
  workspace: string;
  commandTimeoutMs?: number | null;
}): { tools: ToolDefinition[]; toolHandler: ToolHandler };
