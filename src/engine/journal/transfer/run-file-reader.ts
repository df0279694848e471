import {
  list,
  nonEmptyText,
  number as numeric,
  object,
  type Shape,
  text,
} from "../../../core/schema/shape.ts";
import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { canonicalJson, type UnknownRecord } from "../../../core/values/json.ts";
import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { Cell, RunEvent, RunStart } from "../run-event.ts";
import { checkedValue, checkParts, DAMAGED, parseLine, RunFileError, refuseLong } from "./checked-line.ts";
import {
  count,
  EVENT_SHAPE,
  numberOrNull,
  RUN_START_SHAPE,
  STATUS_COUNTS,
  textOrNull,
} from "./event-shapes.ts";
import { LongTextReader } from "./long-texts.ts";
import { RUN_FORMAT, RUN_VERSION, type RunFileEnd, type RunFileHeader } from "./run-file.ts";
import { CallReader } from "./run-file-calls.ts";

/** Receives what a run's file contains. */
export interface RunFileTarget {
  begin(header: RunFileHeader): void;
  event(event: RunEvent): void;
  call(call: RecordedCall): void;
}

const HEADER: Shape = object("the header", {
  format: text,
  version: numeric,
  run: nonEmptyText,
  endedAt: numberOrNull,
  parent: textOrNull,
  tags: list(text),
  statuses: STATUS_COUNTS,
  start: RUN_START_SHAPE,
});
const TEXT: Shape = object("a text", { text, value: text });
const END: Shape = object("the end", { conversations: count, events: count, calls: count });

/** Reads the lines of a run's file one by one, and checks all of them. */
export class RunFileReader {
  readonly #target: RunFileTarget;
  readonly #texts = new LongTextReader();
  readonly #calls: CallReader;
  readonly #isVerified: boolean;
  #order: EventOrder | undefined;
  #counted = { conversations: 0, events: 0, calls: 0 };
  #number = 0;
  #isOver = false;

  /**
   * With `isVerified`, the same lines were read before: nothing is checked again. Without `identifies`, calls have no identity: what
   * is only checked needs no hash of everything that was asked.
   */
  constructor(
    target: RunFileTarget,
    {
      isVerified = false,
      identifies = true,
    }: { readonly isVerified?: boolean; readonly identifies?: boolean } = {},
  ) {
    this.#target = target;
    this.#isVerified = isVerified;
    this.#calls = new CallReader(this.#texts, { isVerified, identifies });
  }

  /** The next line; throws `RunFileError` if it is not what can stand here. */
  take(line: string): void {
    const number = ++this.#number;
    const trimmed = (number === 1 && line.startsWith("\uFEFF") ? line.slice(1) : line).trim();
    if (trimmed === "") return;
    refuseLong(trimmed, number);
    const value = parseLine(this.#texts.fill(trimmed), number);
    if (this.#order === undefined) this.#begin(value);
    else if (this.#isOver) throw this.#broken("it comes after the end of the run");
    else this.#takeValue(value, this.#order);
  }

  /** Nothing more comes; throws if the end is missing. */
  finish(): void {
    if (this.#isOver) return;
    const line = this.#number + 1;
    const isEmpty = this.#order === undefined;
    throw new RunFileError(
      line,
      isEmpty ? "the file is empty" : "the file was cut off",
      "Export the run again.",
    );
  }

  #begin(value: UnknownRecord): void {
    const header = checkedHeader(value, this.#number);
    this.#order = new EventOrder(header.start);
    this.#target.begin(header);
  }

  #takeValue(value: UnknownRecord, order: EventOrder): void {
    if ("event" in value) this.#takeEvent(value.event, order);
    else if ("text" in value) this.#takeText(value);
    else if ("settings" in value) this.#calls.addSettings(value, this.#number);
    else if ("call" in value) {
      this.#counted.calls++;
      this.#target.call(this.#calls.call(value.call, this.#number));
    } else if ("end" in value) this.#end(value.end);
    else throw this.#broken("it is none of the lines that a run has");
  }

  #takeText(line: UnknownRecord): void {
    if (!this.#isVerified) checkParts(TEXT, line, this.#number);
    // The shape has just been checked.
    const { text: hash, value } = line as { readonly text: string; readonly value: string };
    if (!this.#texts.add(hash, value, this.#isVerified))
      throw this.#broken("its text is not the one that its hash stands for");
  }

  #takeEvent(value: unknown, order: EventOrder): void {
    const checked = checkedValue(this.#isVerified ? null : EVENT_SHAPE, value, {
      texts: this.#texts,
      number: this.#number,
    });
    // The shape is just that.
    const event = checked as RunEvent;
    const problem = this.#isVerified ? undefined : order.problem(event);
    if (problem !== undefined) throw this.#broken(problem);
    if (event.type === "conversation-start") {
      this.#counted.conversations++;
      this.#calls.begin();
    }
    this.#counted.events++;
    this.#target.event(event);
  }

  #end(value: unknown): void {
    checkParts(END, value, this.#number);
    // The shape has just been checked.
    const end = value as RunFileEnd;
    for (const key of ["conversations", "events", "calls"] as const) {
      if (end[key] === this.#counted[key]) continue;
      throw this.#broken(`there should be ${end[key]} ${key}, and there are ${this.#counted[key]}`);
    }
    this.#isOver = true;
  }

  #broken(problem: string): RunFileError {
    return new RunFileError(this.#number, problem, DAMAGED);
  }
}

function checkedHeader(value: UnknownRecord, number: number): RunFileHeader {
  const { format, version } = value;
  if (format !== RUN_FORMAT) {
    throw new RunFileError(
      number,
      "it is not the header of a run",
      `Is it the right file? The first line begins with {"format":"${RUN_FORMAT}","version":${RUN_VERSION}.`,
    );
  }
  const isNewer = typeof version === "number" && version > RUN_VERSION;
  if (isNewer || !Number.isInteger(version) || Number(version) < 1) {
    throw new RunFileError(
      number,
      `it has ${version === undefined ? "no version" : `version ${JSON.stringify(version).slice(0, 20)}`}, and this release reads versions 1 to ${RUN_VERSION}`,
      isNewer ? "Use a newer release." : DAMAGED,
    );
  }
  checkParts(HEADER, value, number);
  let problem: string | undefined;
  // The shape has just been checked, but not how deep the configuration is.
  const header = frozenCopy(value, ({ kind }) => {
    problem = `its data is ${kind.replace("_", " ")}`;
  }) as RunFileHeader;
  if (header.start.run !== header.run) problem ??= "the run has two different names";
  if (problem === undefined) return header;
  throw new RunFileError(number, problem, DAMAGED);
}

/** Follows the events of a run's file: conversation after conversation, each in one piece, in the order of results. */
export class EventOrder {
  readonly #start: RunStart;
  readonly #seen = new Set<string>();
  #conversation: string | undefined;
  #cell: Cell | undefined;

  constructor(start: RunStart) {
    this.#start = start;
  }

  /** Why the event cannot stand here; undefined if it can. */
  problem(event: RunEvent): string | undefined {
    if (event.type === "run-start") return "a run starts once, in the first line";
    if (!("conversation" in event) || event.conversation === undefined) {
      this.#conversation = undefined;
      return undefined;
    }
    if (event.type === "conversation-start") {
      // Parents come before their arms, so that no conversation continues itself.
      if (event.fork !== undefined && !this.#seen.has(event.fork.parent))
        return "the conversation that it continues has not begun before";
      return this.#begin(event.conversation, event.cell);
    }
    if (event.conversation !== this.#conversation) return "it belongs to another conversation";
    if (event.type === "conversation-end" && canonicalJson(event.cell) !== canonicalJson(this.#cell))
      return "its cell is not the one that the conversation began with";
    return undefined;
  }

  #begin(conversation: string, cell: Cell): string | undefined {
    const { scenarios, subjects, judges } = this.#start;
    if (this.#seen.has(conversation)) return "the conversation has begun before";
    if (this.#cell !== undefined && cell.index <= this.#cell.index)
      return "the conversation comes after one that stands behind it in the results";
    if (!Object.hasOwn(scenarios, cell.scenario)) return "the run has no such scenario";
    if (!subjects.includes(cell.subject)) return "the run has no such subject";
    if (!judges.includes(cell.judge)) return "the run has no such judge";
    this.#seen.add(conversation);
    this.#conversation = conversation;
    this.#cell = cell;
    return undefined;
  }
}
