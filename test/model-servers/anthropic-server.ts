import { contentText, type ModelServer, type Protocol, startModelServer } from "./model-server.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: unknown;
}

interface MessagesBody {
  readonly model: string;
  readonly system?: readonly Block[] | string;
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] | string }[];
}

/** Results of tools stand among what the user says. */
function textsOf(content: readonly Block[] | string): string {
  if (typeof content === "string") return content;
  return content.map((block) => block.text ?? contentText(block.content)).join("");
}

/** Anthropic: messages. */
const ANTHROPIC: Protocol = {
  answer(path, body, { text = "", toolCalls = [], usage, reasoning }) {
    if (path !== "/v1/messages") return undefined;
    const { input = 10, output = 5, cacheRead = 0, cacheWrite = 0 } = usage ?? {};
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: (body as MessagesBody).model,
      content: [
        ...(reasoning === undefined
          ? []
          : [{ type: "thinking", thinking: reasoning.text, signature: reasoning.signature }]),
        ...(toolCalls.length > 0
          ? toolCalls.map(({ id, name, input: given }) => ({ type: "tool_use", id, name, input: given }))
          : [{ type: "text", text }]),
      ],
      stop_reason: toolCalls.length > 0 ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: {
        input_tokens: input,
        output_tokens: output,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: cacheWrite,
      },
    };
  },
  error: (_status, message) => ({ type: "error", error: { type: "api_error", message } }),
  read(body) {
    const { system, messages } = body as MessagesBody;
    return {
      ...(system === undefined ? {} : { instructions: contentText(system) }),
      // It has a place of its own, before everything.
      first: true,
      texts: messages.map(({ content }) => textsOf(content)),
      lastUser: textsOf(messages.findLast(({ role }) => role === "user")?.content ?? ""),
    };
  },
};

/** A server that speaks as Anthropic does, at `/v1`. */
export function anthropicServer(): Promise<ModelServer> {
  return startModelServer(ANTHROPIC);
}
