import { isRecord, ownValue, typeName } from "../../core/values/json.ts";
import type { FinishReason, ModelReply, Usage } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { parseRateLimitHints } from "../providers/rate-limit-headers.ts";

/** The paths of the numbers of tokens in a response. */
export interface HttpUsage {
  readonly inputTokens: string;
  readonly outputTokens: string;
  readonly cacheReadTokens?: string;
  readonly reasoningTokens?: string;
}

/** The paths of everything in a response. */
export interface ReplyPaths {
  readonly text: JsonPath;
  /** As it was written, for errors. */
  readonly written: string;
  readonly usage: { readonly [Name in keyof HttpUsage]: JsonPath } | undefined;
  readonly finish: JsonPath | undefined;
}

const OPENAI_REPLY = "choices[0].message.content";
const OPENAI_USAGE: HttpUsage = {
  inputTokens: "usage.prompt_tokens",
  outputTokens: "usage.completion_tokens",
  cacheReadTokens: "usage.prompt_tokens_details.cached_tokens",
  reasoningTokens: "usage.completion_tokens_details.reasoning_tokens",
};

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
};

/** Checks where a reply is to be found. */
export function replyPaths(
  { reply, usage }: { readonly reply?: string; readonly usage?: HttpUsage },
  name: string,
): ReplyPaths {
  const given = usage ?? (reply === undefined ? OPENAI_USAGE : undefined);
  const paths = Object.entries(given ?? {}).map(([key, path]) => [
    key,
    parseJsonPath(path, `\`usage.${key}\` of ${name}`),
  ]);
  return {
    text: parseJsonPath(reply ?? OPENAI_REPLY, `\`reply\` of ${name}`),
    written: reply ?? OPENAI_REPLY,
    // The same keys with their paths read.
    usage: given === undefined ? undefined : (Object.fromEntries(paths) as ReplyPaths["usage"]),
    finish: reply === undefined ? parseJsonPath("choices[0].finish_reason", "finish") : undefined,
  };
}

/** The reply in a response, or what is wrong with it. */
export function httpReply(
  json: unknown,
  paths: ReplyPaths,
  { headers, now }: { readonly headers: Readonly<Record<string, string>>; readonly now: number },
): ModelReply | string {
  const text = valueAt(json, paths.text);
  if (text === undefined) return `without \`${paths.written}\``;
  // Null is how some servers write that the model said nothing.
  if (typeof text !== "string" && text !== null) {
    return `one whose \`${paths.written}\` is not text but ${typeName(text)}`;
  }
  const finish = paths.finish === undefined ? "stop" : valueAt(json, paths.finish);
  const usage = paths.usage === undefined ? undefined : usageAt(json, paths.usage);
  const rateLimit = parseRateLimitHints(headers, now);
  return {
    text: text ?? "",
    finish:
      (typeof finish === "string" && Object.hasOwn(FINISH, finish) ? FINISH[finish] : undefined) ?? "other",
    ...(usage === undefined ? {} : { usage }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  };
}

function usageAt(json: unknown, paths: NonNullable<ReplyPaths["usage"]>): Usage | undefined {
  const counts = Object.entries(paths)
    .map(([key, path]) => [key, valueAt(json, path)] as const)
    .filter(([, count]) => Number.isSafeInteger(count) && (count as number) >= 0);
  // Only the keys of `HttpUsage`, with whole numbers.
  const usage = Object.fromEntries(counts) as Partial<Usage>;
  const { inputTokens, outputTokens } = usage;
  return inputTokens === undefined || outputTokens === undefined
    ? undefined
    : { ...usage, inputTokens, outputTokens };
}

/** The path of a value in JSON. */
export type JsonPath = readonly (string | number)[];

/** Reads a path such as `output.text` or `choices[0].message.content`. */
export function parseJsonPath(text: unknown, what: string): JsonPath {
  const valid =
    typeof text === "string" && /^[^.[\]]+(?:\[\d{1,6}\])*(?:\.[^.[\]]+(?:\[\d{1,6}\])*)*$/.test(text);
  const fromStart =
    typeof text === "string" && /^(?:\[\d{1,6}\])+(?:\.[^.[\]]+(?:\[\d{1,6}\])*)*$/.test(text);
  if (!valid && !fromStart) {
    throw new ModelError(
      "bad_request",
      `Expected ${what} to be a path such as "output.text" or "choices[0].message.content", got ${JSON.stringify(text)}.`,
    );
  }
  return [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([part, index]) =>
    index === undefined ? part : Number(index),
  );
}

/** The value at a path, or undefined if there is none. */
export function valueAt(json: unknown, path: JsonPath): unknown {
  let value = json;
  for (const part of path) {
    if (typeof part === "number") value = Array.isArray(value) ? value[part] : undefined;
    else value = isRecord(value) ? ownValue(value, part) : undefined;
  }
  return value;
}
