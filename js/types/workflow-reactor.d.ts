/** Asking models, and the loop in which they call tools. */
import type { LlmProvider, Result, Schema } from "@uncaged/workflow-protocol";

export type { LlmProvider } from "@uncaged/workflow-protocol";

/** A tool as a model is told of it. */
export type ToolDefinition = {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
};
/** A message of a chat, in the form of the API. */
export type ChatMessage = { role: string; content: string | null; [key: string]: unknown };
/** Gives the text of the response's body. */
export type LlmFn = (request: {
  messages: ChatMessage[];
  tools: object[];
}) => Promise<Result<string, string>>;

/** Errors are `http_error:STATUS:BODY` or `network_error:MESSAGE`. */
export declare function createLlmFn(provider: LlmProvider): LlmFn;

/**
 * A loop that lets a model call tools until it answers with a value of the schema. Errors are
 * those of `llm`, or `max_react_rounds_exceeded`.
 */
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
