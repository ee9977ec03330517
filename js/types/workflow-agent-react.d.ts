/** An adapter that is a ReAct loop, and tools for it. */
import type { LlmFn, ToolDefinition } from "@uncaged/workflow-reactor";
import type { AdapterFn } from "@uncaged/workflow-runtime";

export type ToolHandler = (name: string, args: any) => Promise<string>;
export declare function createReactAdapter(options: {
  llm: LlmFn;
  tools: ToolDefinition[];
  toolHandler: ToolHandler;
  maxRounds?: number;
}): AdapterFn;

export declare const readTool: ToolDefinition;
export declare const writeTool: ToolDefinition;
export declare const patchTool: ToolDefinition;
export declare const shellTool: ToolDefinition;
export declare const workspaceTools: ToolDefinition[];
/** The four tools with the handler that runs them in one folder. */
export declare function createWorkspaceTools(options: {
  workspace: string;
  commandTimeoutMs?: number | null;
}): { tools: ToolDefinition[]; toolHandler: ToolHandler };
