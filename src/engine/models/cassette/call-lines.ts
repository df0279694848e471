import { formatIssue } from "../../../core/schema/format-issue.ts";
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
} from "../../../core/schema/shape.ts";
import { validateShape } from "../../../core/schema/validate-shape.ts";
import { freezeDeep, isDeeper } from "../../../core/values/frozen-copy.ts";
import { canonicalJson, isRecord, type UnknownRecord } from "../../../core/values/json.ts";
import type { Message } from "../message.ts";
import { extendMessages, noMessages } from "../message-list.ts";
import { FINISH_REASONS } from "../model.ts";
import { sharedMessages } from "./explain-miss.ts";
import { type CallSettings, identityOfRequest, type RecordedCall } from "./recorded-call.ts";

/** What is wrong with a line of a cassette or of a run's file, without a full stop. */
export class LineError extends Error {}

/** No honest line is longer: what is read is held in memory several times. */
export const MAX_LINE = 64_000_000;

/** Nothing that models say or read is nested deeper, and every later walk may recurse safely. */
const MAX_DEPTH = 500;

/** Parses a line, which must be an object of JSON. Throws `LineError`. */
export function parseLine(line: string): UnknownRecord {
  if (line.length > MAX_LINE) throw new LineError(`it is longer than ${MAX_LINE} characters`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new LineError("it is not JSON");
  }
  if (!isRecord(value)) throw new LineError("it is not an object");
  if (isDeeper(value, MAX_DEPTH)) throw new LineError(`it is nested more than ${MAX_DEPTH} levels deep`);
  return value;
}

/** Throws `LineError` if a value does not have the shape. */
export function checkLine(shape: Shape, value: unknown): void {
  validateShape(shape, value, [], (issue) => {
    throw new LineError(formatIssue(issue).replace(/\.$/, "").slice(0, 500));
  });
}

interface CallLine extends Pick<RecordedCall, "purpose" | "reply"> {
  /** Which of the lines with settings before it, from 0. */
  readonly settings: number;
  readonly replicate: number;
  readonly seed: number;
  /** How many messages it has in common with the call before it; `messages` follow them. */
  readonly shared: number;
  readonly messages: readonly Message[];
}

/**
 * Writes recorded calls as lines of a file: what several calls have in common once, in a line of its own, and of messages only those
 * that the call before does not have. A long conversation so grows linearly.
 */
export class CallWriter {
  readonly #numbers = new Map<string, number>();
  #messages: readonly Message[] = [];

  /** The lines of some calls, in an order that depends only on the calls. */
  *lines(calls: Iterable<RecordedCall>): Generator<{ settings: CallSettings } | { call: CallLine }> {
    for (const { purpose, request, reply } of inOrder(calls)) {
      const { name, model, instructions, tools, schema, replicate, seed, messages } = request;
      const settings = { name, model, instructions, tools, schema };
      const { number, isNew } = this.#number(settings);
      if (isNew) yield { settings };
      const shared = sharedMessages(this.#messages, messages);
      this.#messages = messages;
      const added = messages.slice(shared);
      yield { call: { settings: number, purpose, replicate, seed, shared, messages: added, reply } };
    }
  }

  #number(settings: CallSettings): { readonly number: number; readonly isNew: boolean } {
    const key = canonicalJson(settings);
    const known = this.#numbers.get(key);
    const number = known ?? this.#numbers.size;
    this.#numbers.set(key, number);
    return { number, isNew: known === undefined };
  }
}

/** Sorted by their messages, so that each call follows the one with which it has most in common. */
function inOrder(calls: Iterable<RecordedCall>): readonly RecordedCall[] {
  return [...calls].sort(({ identity: oneId, request: one }, { identity: otherId, request: other }) => {
    const shared = sharedMessages(one.messages, other.messages);
    const [left, right] = [one.messages[shared], other.messages[shared]];
    if (left === undefined || right === undefined)
      return (
        one.messages.length - other.messages.length ||
        compareTexts(one.name, other.name) ||
        one.replicate - other.replicate ||
        compareTexts(oneId, otherId)
      );
    return compareTexts(canonicalJson(left), canonicalJson(right));
  });
}

/** By code units: the same order in every locale. */
function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Reads what `CallWriter` writes. */
export class CallReader {
  readonly #settings: CallSettings[] = [];
  #messages: readonly Message[] = noMessages();

  /**
   * The call of a line; undefined for a line with settings. Its identity is made from what was asked: a file cannot claim another
   * one. Throws `LineError`.
   */
  read(line: UnknownRecord): RecordedCall | undefined {
    if ("settings" in line) {
      checkLine(SETTINGS_LINE, line);
      // The shape is just that. Frozen, it is hashed once.
      this.#settings.push(freezeDeep(line.settings as CallSettings));
      return undefined;
    }
    checkLine(CALL_LINE, line);
    const {
      settings: number,
      purpose,
      replicate,
      seed,
      shared,
      messages: added,
      reply,
    } = line.call as CallLine;
    const settings = this.#settings[number];
    if (settings === undefined || shared > this.#messages.length)
      throw new LineError("what it refers to is not in a line before it");
    const before = this.#messages.length === shared ? this.#messages : this.#messages.slice(0, shared);
    this.#messages = extendMessages(before, added);
    const request = { ...settings, messages: this.#messages, replicate, seed };
    return { identity: identityOfRequest(request), purpose, request, reply: freezeDeep(reply) };
  }
}

const nothing: Shape = { kind: "null" };
const count: NumberShape = { kind: "number", integer: true, minimum: 0 };

const TOOL_CALL = object("a tool call", { id: text, name: text, input: json });
const TOOL_RESULT = object(
  "a tool result",
  { id: text, name: text, output: json },
  { optional: { isError: boolean } },
);
const TOOL = object("a tool", { name: text, inputSchema: jsonObject }, { optional: { description: text } });

const messageRule: ShapeRule = ({ role, content, results }, report) => {
  const [needed, found] = role === "tool" ? ["results", results] : ["content", content];
  if (found !== undefined) return;
  report(null, { code: "invalid_parameter", message: `A message of the role ${role} needs ${needed}.` });
};

/** Messages of a conversation. */
export const MESSAGES: Shape = list(
  object(
    "a message",
    { role: oneOfTexts("user", "assistant", "tool") },
    {
      optional: { content: text, toolCalls: list(TOOL_CALL), native: json, results: list(TOOL_RESULT) },
      rule: messageRule,
    },
  ),
);

const USAGE = object(
  "usage",
  { inputTokens: count, outputTokens: count },
  { optional: { cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count } },
);

/** What a model answered. */
export const REPLY: Shape = object(
  "a reply",
  { text, finish: oneOfTexts(...FINISH_REASONS) },
  { optional: { object: json, toolCalls: list(TOOL_CALL), usage: USAGE, native: json } },
);

const SETTINGS_LINE = object("the line", {
  settings: object("settings", {
    name: text,
    model: jsonObject,
    instructions: either(text, nothing),
    tools: either(list(TOOL), nothing),
    schema: either(jsonObject, nothing),
  }),
});

const CALL_LINE = object("the line", {
  call: object("the call", {
    settings: count,
    purpose: oneOfTexts("subject", "judge", "simulator"),
    replicate: count,
    seed: number,
    shared: count,
    messages: MESSAGES,
    reply: REPLY,
  }),
});
