import { formatIssue } from "../../../core/schema/format-issue.ts";
import type { Issue } from "../../../core/schema/issue.ts";
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
import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { canonicalJson, isRecord, type UnknownRecord } from "../../../core/values/json.ts";
import type { Message } from "../message.ts";
import type { FinishReason } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { type MessageNode, type MessageTree, messagesOf, RecentLists } from "./message-tree.ts";
import { type CassetteEntry, identityOfRequest } from "./recorded-call.ts";

/** The value of `format` in the first line of the file. */
export const CASSETTE_FORMAT = "elenchus-cassette";

/** The version of the format; files with other versions are refused. */
export const CASSETTE_VERSION = 1;

/**
 * The lines of a cassette's file: a header; before its first use each `settings` (model, system prompt, tools, schema), which
 * calls refer to by its number from 0; and the calls, each with the hash of messages that an earlier line has, if any, and the
 * messages that follow them. The order is that of the conversations, not the order of recording.
 */
export function* cassetteLines(
  root: MessageNode,
  callsAt: (node: MessageNode) => Iterable<CassetteEntry>,
): Generator<string> {
  yield JSON.stringify({ format: CASSETTE_FORMAT, version: CASSETTE_VERSION });
  const settings = new Map<string, number>();
  const written = new Set<MessageNode>([root]);
  // Not recursive: a conversation may be longer than the stack is deep.
  const open: MessageNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const call of sorted(callsAt(node), callOrder)) {
      const shared = settingsOf(call);
      const number = settings.get(shared) ?? settings.size;
      if (number === settings.size) {
        settings.set(shared, number);
        yield `{"settings":${shared}}`;
      }
      yield callLine(call, number, written);
    }
    open.push(...sorted(node.next, ({ hash }) => hash).reverse());
  }
}

function settingsOf({ request: { name, model, instructions, tools, schema } }: CassetteEntry): string {
  return canonicalJson({ name, model, instructions, tools, schema });
}

function callLine(
  { request, purpose, reply, node }: CassetteEntry,
  settings: number,
  written: Set<MessageNode>,
): string {
  let previous = node;
  while (!written.has(previous) && previous.previous !== null) {
    written.add(previous);
    previous = previous.previous;
  }
  const { replicate, seed } = request;
  const messages = messagesOf(node, previous);
  return JSON.stringify({ settings, purpose, replicate, seed, previous: previous.hash, messages, reply });
}

function callOrder({ request: { name, replicate }, identity }: CassetteEntry): string {
  return `${name} ${String(replicate).padStart(10, "0")} ${identity}`;
}

function sorted<Item>(items: Iterable<Item>, key: (item: Item) => string): Item[] {
  const keyed = Array.from(items, (item) => [key(item), item] as const);
  // By code units: the same order in every locale.
  return keyed.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)).map(([, item]) => item);
}

/** No honest call is longer, and every line is held in memory several times while it is read. */
const MAX_LINE = 32_000_000;

type Settings = Pick<CassetteEntry["request"], "name" | "model" | "instructions" | "tools" | "schema">;
type CallLine = Pick<CassetteEntry["request"], "replicate" | "seed"> &
  Pick<CassetteEntry, "purpose" | "reply"> & {
    readonly settings: number;
    readonly previous: string;
    readonly messages: readonly Message[];
  };

/**
 * Reads the lines of a cassette's file. Of calls that are there twice the later one counts, so that files can be put together
 * one after the other. Throws a `ModelError` that names the line that is wrong and says what to do.
 */
export function* parseCassette(text: string, tree: MessageTree): Generator<CassetteEntry> {
  const lists = new RecentLists(tree);
  let settings: Settings[] | undefined;
  for (const { number, line } of linesOf(text)) {
    const value = readLine(line, number);
    if (settings === undefined || "format" in value) {
      checkHeader(value, number);
      settings = [];
    } else if (isRecord(value.settings)) {
      // The shape is just that.
      settings.push((checked(SETTINGS_SHAPE, value, number) as { readonly settings: Settings }).settings);
    } else {
      const call = checked(CALL_SHAPE, value, number) as CallLine;
      yield cassetteEntry(call, { settings: settings[call.settings], lists, number });
    }
  }
  if (settings === undefined) throw broken(1, "the file is empty", "Record it again.");
}

interface Found {
  readonly settings: Settings | undefined;
  readonly lists: RecentLists;
  readonly number: number;
}

const CUT = "A line before it was removed or changed; record the calls again.";

function cassetteEntry(call: CallLine, { settings, lists, number }: Found): CassetteEntry {
  if (settings === undefined) throw broken(number, `no earlier line has the settings ${call.settings}`, CUT);
  const list = lists.extend(call.previous, call.messages);
  if (list === undefined) {
    throw broken(number, `no earlier line has the messages that it goes on from (${call.previous})`, CUT);
  }
  const { purpose, reply, replicate, seed } = call;
  const request = { ...settings, replicate, seed };
  const identity = identityOfRequest({ ...request, messages: list.messages });
  return { identity, request, purpose, reply, node: list.node };
}

function* linesOf(text: string): Generator<{ readonly number: number; readonly line: string }> {
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  for (let number = 1; start < text.length; number++) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    if (end - start > MAX_LINE) {
      throw broken(
        number,
        `it is longer than ${MAX_LINE} characters`,
        "No call is that long; is it the right file?",
      );
    }
    const line = text.slice(start, end).trim();
    if (line !== "") yield { number, line };
    start = end + 1;
  }
}

function readLine(line: string, number: number): UnknownRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw broken(number, "it is not JSON", "If the file was cut off while it was written, remove the line.");
  }
  let problem: string | undefined;
  const copy = frozenCopy(value, ({ kind }) => {
    problem ??= kind;
  });
  if (problem !== undefined)
    throw broken(number, `its data is ${problem.replace("_", " ")}`, "Remove the line.");
  if (isRecord(copy)) return copy;
  throw broken(number, "it is not an object", "Is it the right file?");
}

function checkHeader(value: UnknownRecord, number: number): void {
  const { format, version } = value;
  if (format !== CASSETTE_FORMAT) {
    const header = JSON.stringify({ format: CASSETTE_FORMAT, version: CASSETTE_VERSION });
    throw broken(
      number,
      "it is not the header of a cassette",
      `Is it the right file? The first line must be ${header}.`,
    );
  }
  checked(HEADER_SHAPE, value, number);
  if (version === CASSETTE_VERSION) return;
  throw broken(
    number,
    `it has version ${String(version)}, and this release reads version ${CASSETTE_VERSION}`,
    "Use a newer release, or record the calls again.",
  );
}

function checked(shape: Shape, value: UnknownRecord, number: number): unknown {
  const issues: Issue[] = [];
  validateShape(shape, value, [], (issue) => issues.push(issue));
  if (issues[0] === undefined) return value;
  throw broken(number, formatIssue(issues[0]).replace(/\.$/, ""), "Correct the line, or remove it.");
}

function broken(line: number, problem: string, advice: string): ModelError {
  return new ModelError("bad_request", `The cassette cannot be read: line ${line}: ${problem}. ${advice}`);
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
  purpose: oneOfTexts("subject", "judge", "simulator"),
  replicate: count,
  seed: number,
  previous: text,
  messages: list(MESSAGE),
  reply: REPLY,
});
