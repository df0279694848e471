import type { JsonValue } from "../../core/values/json.ts";

/** A tool call that a model asks for. */
export interface ToolCall {
  /** Given by the model; the result refers to it. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

/** The result of a tool call. */
export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly output: JsonValue;
  /** True if the tool, or its server, failed; the output then says how. */
  readonly isError?: boolean;
}

/** What the subject is asked. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string;
}

/** What a model answered. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  /** What the adapter that read the answer wants to see again in later calls, such as signed reasoning. */
  readonly native?: JsonValue;
}

/** The results of the tool calls of the message before. */
export interface ToolMessage {
  readonly role: "tool";
  readonly results: readonly ToolResult[];
}

/** A message of a conversation, the same for all models; the system prompt is not one of them. */
export type Message = UserMessage | AssistantMessage | ToolMessage;
