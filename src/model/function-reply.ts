import { frozenCopy } from "../value/frozen-copy.ts";
import { isRecord, type JsonValue, typeName } from "../value/json.ts";
import type { ToolCall } from "./message.ts";
import type { FinishReason, ModelReply, Usage } from "./model.ts";
import { ModelError } from "./model-error.ts";

/** What a function that is a model may return: the text, or the text and more. */
export type FunctionReply =
  | string
  | {
      readonly text: string;
      readonly object?: unknown;
      readonly toolCalls?: readonly ToolCall[];
      readonly finish?: FinishReason;
      readonly usage?: Usage;
    };

const FINISH: readonly unknown[] = [
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "other",
] satisfies FinishReason[];

/** What a function returned, as a reply; throws a `ModelError` that says what is wrong with it. */
export function readFunctionReply(returned: unknown, name: string): ModelReply {
  const wrong = (problem: string): ModelError =>
    new ModelError(
      "author",
      `${name} returned ${problem}. Return a string, or an object with a string \`text\`.`,
    );
  if (typeof returned === "string") return { text: returned, finish: "stop" };
  if (!isRecord(returned)) throw wrong(typeName(returned));
  let problem: string | undefined;
  const copied = frozenCopy(returned, ({ path, found = "what is not data" }) => {
    problem ??= `${found} at \`${path.join(".")}\``;
  });
  if (problem !== undefined) throw wrong(problem);
  // Through JSON, because a copy may still hold functions.
  const data = JSON.parse(JSON.stringify(copied)) as Readonly<Record<string, unknown>>;
  const { text, object, toolCalls, finish, usage } = data;
  if (typeof text !== "string") throw wrong(`an object whose \`text\` is ${typeName(text)}`);
  if (toolCalls !== undefined && !(Array.isArray(toolCalls) && toolCalls.every(isToolCall))) {
    throw wrong("`toolCalls` that are not a list of `{ id, name, input }`");
  }
  if (usage !== undefined && !isUsage(usage)) {
    throw wrong("a `usage` without whole numbers for `inputTokens` and `outputTokens`");
  }
  if (finish !== undefined && !FINISH.includes(finish)) throw wrong(`an unknown \`finish\``);
  return {
    text,
    ...(object === undefined ? {} : { object }),
    ...(toolCalls === undefined || toolCalls.length === 0 ? {} : { toolCalls }),
    // Checked above.
    finish: (finish as FinishReason | undefined) ?? (toolCalls?.length ? "tool_calls" : "stop"),
    ...(usage === undefined ? {} : { usage }),
  };
}

function isToolCall(value: unknown): value is ToolCall {
  return (
    isRecord(value) &&
    typeof value.id === "string" &&
    typeof value.name === "string" &&
    (value.input as JsonValue | undefined) !== undefined
  );
}

function isUsage(value: unknown): value is Usage {
  return (
    isRecord(value) &&
    Object.values(value).every((tokens) => Number.isSafeInteger(tokens) && (tokens as number) >= 0) &&
    value.inputTokens !== undefined &&
    value.outputTokens !== undefined
  );
}
