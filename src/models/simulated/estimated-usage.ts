import type { Message } from "../message.ts";
import type { ModelRequest, Usage } from "../model.ts";

const CHARACTERS_A_TOKEN = 4;

/** About how many tokens a call has; the same for the same texts. */
export function estimatedUsage({ instructions = "", messages }: ModelRequest, reply: string): Usage {
  let characters = instructions.length;
  for (const message of messages) characters += charactersOf(message);
  return { inputTokens: tokens(characters), outputTokens: tokens(reply.length) };
}

function charactersOf(message: Message): number {
  if (message.role !== "tool") return message.content.length;
  return message.results.reduce((sum, { output }) => sum + JSON.stringify(output).length, 0);
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}
