import {
  boolean,
  either,
  json,
  jsonObject,
  list,
  type NumberShape,
  number,
  object,
  oneOfTexts,
  type Shape,
  type ShapeRule,
  text,
} from "../../core/schema/shape.ts";
import type { Message } from "../message.ts";
import type { FinishReason } from "../model.ts";

const nothing: Shape = { kind: "null" };
const count: NumberShape = { kind: "number", integer: true, minimum: 0 };

const TOOL_CALL = object("a tool call", { id: text, name: text, input: json });
const TOOL_RESULT = object(
  "a tool result",
  { id: text, name: text, output: json },
  { optional: { isError: boolean } },
);
const TOOL = object("a tool", { name: text, inputSchema: jsonObject }, { optional: { description: text } });

const ROLES: readonly string[] = ["user", "assistant", "tool"] satisfies Message["role"][];
const FINISH: readonly string[] = [
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "other",
] satisfies FinishReason[];

const messageRule: ShapeRule = ({ role, content, results }, report) => {
  const [needed, found] = role === "tool" ? ["results", results] : ["content", content];
  if (found !== undefined) return;
  report(null, { code: "invalid_parameter", message: `A message of the role ${role} needs ${needed}.` });
};

const MESSAGE = object(
  "a message",
  { role: oneOfTexts(...ROLES) },
  {
    optional: { content: text, toolCalls: list(TOOL_CALL), native: json, results: list(TOOL_RESULT) },
    rule: messageRule,
  },
);

const USAGE = object(
  "usage",
  { inputTokens: count, outputTokens: count },
  { optional: { cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count } },
);

const REPLY = object(
  "a reply",
  { text, finish: oneOfTexts(...FINISH) },
  { optional: { object: json, toolCalls: list(TOOL_CALL), usage: USAGE, native: json } },
);

/** The first line of a cassette's file. */
export const HEADER_SHAPE: Shape = object("the header", { format: text, version: number });

/** What several calls have in common. */
export const SETTINGS_SHAPE: Shape = object("the line", {
  settings: object("settings", {
    name: text,
    model: jsonObject,
    instructions: either(text, nothing),
    tools: either(list(TOOL), nothing),
    schema: either(jsonObject, nothing),
  }),
});

/** One call. */
export const CALL_SHAPE: Shape = object("the call", {
  settings: count,
  purpose: oneOfTexts("subject", "judge"),
  replicate: count,
  seed: number,
  previous: text,
  messages: list(MESSAGE),
  reply: REPLY,
});
