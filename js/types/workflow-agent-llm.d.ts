/** An agent that is one question to a model. */
import type { LlmProvider, Result } from "@uncaged/workflow-protocol";
import type { LlmError } from "@uncaged/workflow-execute";
import type { AgentFn } from "@uncaged/workflow-runtime";

/** Failures throw `llm: ` and the error as JSON. */
export declare function createLlmAdapter(provider: LlmProvider): AgentFn;
/** The text of a model's reply. */
export declare function chatCompletionText(request: {
  provider: LlmProvider;
  messages: { role: string; content: string }[];
}): Promise<Result<string, LlmError>>;
