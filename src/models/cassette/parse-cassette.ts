import { checkShape } from "../../core/schema/check-shape.ts";
import { formatIssue } from "../../core/schema/format-issue.ts";
import type { Issue } from "../../core/schema/issue.ts";
import type { Shape } from "../../core/schema/shape.ts";
import { frozenCopy } from "../../core/values/frozen-copy.ts";
import { isRecord, type UnknownRecord } from "../../core/values/json.ts";
import type { Message } from "../message.ts";
import { ModelError } from "../model-error.ts";
import { CASSETTE_FORMAT, CASSETTE_VERSION } from "./cassette-lines.ts";
import { CALL_SHAPE, HEADER_SHAPE, SETTINGS_SHAPE } from "./cassette-shapes.ts";
import type { KeptCall } from "./kept-call.ts";
import type { MessageTree } from "./message-tree.ts";
import { RecentLists } from "./recent-lists.ts";
import { identityOfRequest } from "./recorded-call.ts";

/** No honest call is longer, and every line is held in memory several times while it is read. */
const MAX_LINE = 32_000_000;

type Settings = Pick<KeptCall["request"], "name" | "model" | "instructions" | "tools" | "schema">;
type CallLine = Pick<KeptCall["request"], "replicate" | "seed"> &
  Pick<KeptCall, "purpose" | "reply"> & {
    readonly settings: number;
    readonly previous: string;
    readonly messages: readonly Message[];
  };

/**
 * Reads the lines of a cassette's file. Of calls that are there twice the later one counts, so that files can be put together
 * one after the other. Throws a `ModelError` that names the line that is wrong and says what to do.
 */
export function* parseCassette(text: string, tree: MessageTree): Generator<KeptCall> {
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
      yield keptCall(call, { settings: settings[call.settings], lists, number });
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

function keptCall(call: CallLine, { settings, lists, number }: Found): KeptCall {
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
  checkShape(shape, value, [], (issue) => issues.push(issue));
  if (issues[0] === undefined) return value;
  throw broken(number, formatIssue(issues[0]).replace(/\.$/, ""), "Correct the line, or remove it.");
}

function broken(line: number, problem: string, advice: string): ModelError {
  return new ModelError("bad_request", `The cassette cannot be read: line ${line}: ${problem}. ${advice}`);
}
