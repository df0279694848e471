import {
  contentText,
  type ModelServer,
  type Protocol,
  type Served,
  startModelServer,
} from "./model-server.ts";

interface ChatItem {
  readonly role?: string;
  readonly type?: string;
  readonly content?: unknown;
  readonly output?: unknown;
  readonly encrypted_content?: string;
}

interface ChatBody {
  readonly model: string;
  /** Of chat completions. */
  readonly messages?: readonly ChatItem[];
  /** Of responses. */
  readonly input?: readonly ChatItem[];
}

/** OpenAI: chat completions and responses. */
export const OPENAI: Protocol = {
  answer(path, body, served) {
    const { model } = body as ChatBody;
    if (path === "/v1/chat/completions") return completion(model, served);
    return path === "/v1/responses" ? responses(model, served) : undefined;
  },
  error: (status, message) => ({ error: { message, type: "error", code: null, param: null, status } }),
  read(body) {
    const { messages, input } = body as ChatBody;
    const items = messages ?? input ?? [];
    const isSystem = ({ role }: ChatItem): boolean => role === "system" || role === "developer";
    const system = items.find(isSystem);
    const spoken = items.filter((item) => !isSystem(item) && item.type !== "reasoning");
    return {
      ...(system === undefined ? {} : { instructions: contentText(system.content) }),
      first: items[0] === system,
      texts: spoken.map(({ content, output }) => contentText(content ?? output)),
      lastUser: contentText(items.findLast(({ role }) => role === "user")?.content),
    };
  },
};

function completion(model: string, { text = "", toolCalls = [], usage, reasoning }: Served): unknown {
  const { input = 10, output = 5, cacheRead = 0, reasoning: thought = 0 } = usage ?? {};
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: toolCalls.length > 0 ? null : text,
          ...(reasoning === undefined ? {} : { reasoning_content: reasoning.text }),
          ...(toolCalls.length === 0
            ? {}
            : {
                tool_calls: toolCalls.map(({ id, name, input: given }) => ({
                  id,
                  type: "function",
                  function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given) },
                })),
              }),
        },
        finish_reason: toolCalls.length > 0 ? "tool_calls" : "stop",
      },
    ],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cacheRead },
      completion_tokens_details: { reasoning_tokens: thought },
    },
  };
}

function responses(model: string, { text = "", toolCalls = [], usage, reasoning }: Served): unknown {
  const { input = 10, output = 5, cacheRead = 0, reasoning: thought = 0 } = usage ?? {};
  return {
    id: "resp_1",
    object: "response",
    created_at: 0,
    status: "completed",
    error: null,
    incomplete_details: null,
    model,
    output: [
      ...(reasoning === undefined
        ? []
        : [
            {
              type: "reasoning",
              id: "rs_1",
              encrypted_content: reasoning.signature,
              summary: [{ type: "summary_text", text: reasoning.text }],
            },
          ]),
      ...toolCalls.map(({ id, name, input: given }) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: typeof given === "string" ? given : JSON.stringify(given),
        status: "completed",
      })),
      ...(toolCalls.length > 0
        ? []
        : [
            {
              type: "message",
              id: "msg_1",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]),
    ],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cacheRead },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: thought },
      total_tokens: input + output,
    },
  };
}

/** A server that speaks as OpenAI does, at `/v1`. */
export function openaiServer(): Promise<ModelServer> {
  return startModelServer(OPENAI);
}
