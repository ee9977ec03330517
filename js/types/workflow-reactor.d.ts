/** Asking models. */
import type { LlmProvider, Result, Schema } from "@uncaged/workflow-protocol";

export type { LlmProvider } from "@uncaged/workflow-protocol";

export type ToolDefinition = {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
};
export type ChatMessage = { role: string; content: string | null; [key: string]: unknown };
/** Gives the text of the response's body. */
export type LlmFn = (request: {
  messages: ChatMessage[];
  tools: object[];
}) => Promise<Result<string, string>>;

/** Errors are `http_error:STATUS:BODY` or `network_error:MESSAGE`. */
export declare function createLlmFn(provider: LlmProvider): LlmFn;

export declare function createThreadReactor<Thread = unknown>(options: {
  llm: LlmFn;
  staticTools: (ToolDefinition | { type: "function"; function: ToolDefinition })[];
  structuredToolFromSchema(
    schema: Schema<any>,
  ): ToolDefinition | { type: "function"; function: ToolDefinition };
  systemPromptForStructuredTool(toolName: string): string;
  toolHandler(name: string, args: any, thread: Thread): Promise<string>;
  maxRounds?: number;
}): <T>(call: {
  thread: Thread;
  input: string;
  schema: Schema<T>;
}) => Promise<Result<T, string>>;
