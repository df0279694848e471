import { memoize } from "../../../core/lazy.ts";
import type { Message } from "../../../engine/models/message.ts";
import type { ModelRequest } from "../../../engine/models/model.ts";

/** Around each message, providers add a few tokens of their own. */
const PER_MESSAGE = 4;
const LATIN = 1 / 4;
const OTHER_ALPHABET = 1 / 2;
const IDEOGRAPH = 1;

/**
 * About how many tokens a text has. English has about four characters a token; other alphabets have fewer, and ideographs about one.
 * What a model really counts is measured from an earlier run, where there is one.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    tokens += code < 0x0370 ? LATIN : code < 0x2e80 ? OTHER_ALPHABET : IDEOGRAPH;
  }
  return tokens;
}

const ofMessages = new WeakMap<Message, { readonly tokens: number }>();
const ofData = new WeakMap<object, { readonly tokens: number }>();

/** About how many tokens a request has: the system prompt, messages, tools and the schema of the answer. */
export function estimateRequest({ instructions = "", messages, tools, schema }: ModelRequest): number {
  return (
    estimateTokens(instructions) +
    messages.reduce((tokens, message) => tokens + tokensOfMessage(message), 0) +
    (tools === undefined ? 0 : tokensOfData(tools)) +
    (schema === undefined ? 0 : tokensOfData(schema))
  );
}

/** Messages are frozen, and sent again with every later turn. */
function tokensOfMessage(message: Message): number {
  const { tokens } = memoize(ofMessages, message, () => {
    const isPlain = "content" in message && typeof message.content === "string" && !("toolCalls" in message);
    return { tokens: PER_MESSAGE + estimateTokens(isPlain ? message.content : JSON.stringify(message)) };
  });
  return tokens;
}

function tokensOfData(data: object): number {
  return memoize(ofData, data, () => ({ tokens: estimateTokens(JSON.stringify(data)) })).tokens;
}
