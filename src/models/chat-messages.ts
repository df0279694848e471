import type { JsonObject, JsonValue } from "../core/values/json.ts";
import type { AssistantMessage, Message } from "./message.ts";

/** Messages as OpenAI's chat completions have them, the system prompt first. */
export function chatMessages(
  messages: readonly Message[],
  instructions: string | undefined,
): readonly JsonObject[] {
  const chat: JsonObject[] = [];
  if (instructions !== undefined && instructions !== "") chat.push({ role: "system", content: instructions });
  for (const message of messages) {
    if (message.role === "user") chat.push({ role: "user", content: message.content });
    else if (message.role === "assistant") chat.push(assistantMessage(message));
    else {
      for (const { id, output } of message.results) {
        chat.push({ role: "tool", tool_call_id: id, content: asText(output) });
      }
    }
  }
  return chat;
}

function assistantMessage({ content, toolCalls = [] }: AssistantMessage): JsonObject {
  if (toolCalls.length === 0) return { role: "assistant", content };
  return {
    role: "assistant",
    content,
    tool_calls: toolCalls.map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    })),
  };
}

function asText(output: JsonValue): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}
