import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from "ai";
import { isRecord, type JsonObject, type JsonValue } from "../../core/values/json.ts";
import type { AssistantMessage, Message, ToolMessage, ToolResult } from "../message.ts";

type Parts = Exclude<AssistantModelMessage["content"], string>;
type Output = Extract<ToolModelMessage["content"][number], { type: "tool-result" }>["output"];

/** Where Anthropic may end a prefix that it keeps; other providers find the prefixes by themselves. */
export const CACHE_MARK = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/**
 * Our messages as the AI SDK has them. A message of the provider's own, kept from an earlier answer, is sent as it came.
 * An answer without a word is left out: most providers refuse empty messages.
 */
export function toSdkMessages(messages: readonly Message[], provider: string): ModelMessage[] {
  const converted: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === "user") converted.push({ role: "user", content: message.content });
    else if (message.role === "tool") converted.push(toolMessage(message));
    else {
      const content = nativeParts(message, provider) ?? plainParts(message);
      if (content.length > 0) converted.push({ role: "assistant", content });
    }
  }
  const last = converted.at(-1);
  if (last !== undefined && isAnthropic(provider)) last.providerOptions = CACHE_MARK;
  return converted;
}

/** True for Anthropic, whose caching has to be asked for. */
export function isAnthropic(provider: string): boolean {
  return provider.startsWith("anthropic");
}

/** What must be sent again in the provider's own form; undefined if an answer is no more than its text. */
export function nativeOf(messages: readonly ModelMessage[], provider: string): JsonObject | undefined {
  const answer = messages.find((message) => message.role === "assistant");
  if (answer === undefined || typeof answer.content === "string") return undefined;
  // Between turns, thoughts that nobody signed are nobody's business; some servers refuse them. With tools they may be needed.
  const content = answer.content.some(({ type }) => type === "tool-call")
    ? answer.content
    : answer.content.filter((part) => part.type !== "reasoning" || part.providerOptions !== undefined);
  if (content.every((part) => part.type === "text" && isPlain(part.providerOptions))) return undefined;
  try {
    // Through JSON, because it goes into the journal: what JSON cannot hold is of no use in a later call either.
    return { provider, content: JSON.parse(JSON.stringify(content)) as JsonValue };
  } catch {
    return undefined;
  }
}

/** Text that carries no more than the number under which the provider has filed it. */
function isPlain(options: unknown): boolean {
  if (!isRecord(options)) return true;
  return Object.values(options).every(
    (ofProvider) => isRecord(ofProvider) && Object.keys(ofProvider).every((key) => key === "itemId"),
  );
}

function nativeParts({ native }: AssistantMessage, provider: string): Parts | undefined {
  if (!isRecord(native) || native.provider !== provider || !Array.isArray(native.content)) return undefined;
  // Made by `nativeOf`; the AI SDK checks every prompt again.
  return structuredClone(native.content) as Parts;
}

function plainParts({ content, toolCalls = [] }: AssistantMessage): Parts {
  return [
    ...(content === "" ? [] : [{ type: "text" as const, text: content }]),
    ...toolCalls.map(({ id, name, input }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      // Providers refuse input that is no object; a model that sent such has been told so in the result.
      input: isRecord(input) ? input : {},
    })),
  ];
}

function toolMessage({ results }: ToolMessage): ToolModelMessage {
  return {
    role: "tool",
    content: results.map((result) => ({
      type: "tool-result" as const,
      toolCallId: result.id,
      toolName: result.name,
      output: toolOutput(result),
    })),
  };
}

function toolOutput({ output, isError = false }: ToolResult): Output {
  if (typeof output === "string") return { type: isError ? "error-text" : "text", value: output };
  // The same JSON, but the types of the AI SDK are not readonly.
  const value = output as Extract<Output, { type: "json" }>["value"];
  return { type: isError ? "error-json" : "json", value };
}
