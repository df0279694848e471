import {
  either,
  integerFrom,
  list,
  nothing,
  number,
  object,
  oneOfTexts,
  type Shape,
  text,
} from "../../../core/schema/shape.ts";
import { deepEqual, type UnknownRecord } from "../../../core/values/json.ts";
import { CallReader, checkLine, LineError, MAX_LINE, parseLine } from "../../models/cassette/call-lines.ts";
import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import { RunError } from "../failure.ts";
import { type Cell, EVENT_SHAPE, RUN_START_SHAPE, type RunEvent, type RunStart } from "../run-event.ts";
import type { ReceivedRun, Store } from "../store/store.ts";
import {
  type FilePieces,
  linesOf,
  RUN_FORMAT,
  RUN_VERSION,
  RunFileError,
  type RunFileHeader,
} from "./run-file.ts";

/** How a run is imported. */
export interface ImportOptions {
  /** The name that it gets (default: the one that it has). */
  readonly as?: string;
  /**
   * True to let new runs use the answers of the file, too; answers that the project has stay (default false: they serve only to
   * show, export and regrade this run).
   */
  readonly useCalls?: boolean;
}

/** How many characters of lines are written at once. Larger groups touch the same pages less often, but take memory. */
const GROUP = 4_000_000;

/**
 * Puts a run's file into a store, plain or compressed: its text or bytes in pieces of any size, such as a stream. Nothing of one that is
 * broken, or whose import is cut short, can be seen there. Throws `RunFileError` with the line that is wrong, or `RunError` if there is
 * a run of this name.
 *
 * @example
 * await importRun(store, createReadStream("monday.jsonl.zst"));
 */
export async function importRun(
  store: Store,
  file: FilePieces,
  { as, useCalls = false }: ImportOptions = {},
): Promise<{ readonly run: string }> {
  const reader = new RunFileReader();
  let received: ReceivedRun | undefined;
  try {
    let header: RunFileHeader | undefined;
    let run = "";
    let waiting: RunFileItem[] = [];
    let size = 0;
    const write = async (): Promise<void> => {
      for (const item of waiting) {
        if ("event" in item) received?.append(item.event);
        else if ("call" in item) received?.keep(item.call);
      }
      waiting = [];
      size = 0;
      await received?.durable();
    };
    // A text would be a list of characters.
    for await (const line of linesOf(typeof file === "string" ? [file] : file, MAX_LINE)) {
      const item = reader.read(line);
      if (item === undefined) continue;
      if ("header" in item) {
        header = item.header;
        run = freeName(store, as ?? header.start.run);
        received = receive(store, header, run);
      } else waiting.push(item);
      size += line.length;
      if (size >= GROUP) await write();
    }
    reader.finish();
    await write();
    const { tags = [], endedAt = null } = header ?? {};
    received?.finish({ run, tags, endedAt, sharesCalls: useCalls });
    return { run };
  } catch (error) {
    // What cannot be removed now is never shown, and removed later.
    try {
      received?.discard();
    } catch {}
    // A compressed file ends where it cannot be decompressed.
    if (/^Z(?:STD)?_/.test(String((error as { readonly code?: unknown }).code))) reader.finish();
    throw error;
  }
}

function receive(store: Store, { start, parent }: RunFileHeader, run: string): ReceivedRun {
  // What comes from a file was not started here: its command line is not kept, so that no resume uses it.
  const { origin: _origin, ...open } = start;
  return store.receive({ ...open, run }, parent === null ? {} : { parent });
}

function freeName(store: Store, name: string): string {
  if (name.trim() === "") throw new RunError(["A run needs a name that is not empty."]);
  if (store.run(name)?.run !== name) return name;
  throw new RunError([`There is a run "${name}" in the store already. Import it under another name.`]);
}

/** What a line of a run's file has. */
type RunFileItem =
  | { readonly header: RunFileHeader }
  | { readonly event: RunEvent }
  | { readonly call: RecordedCall };

const HEADER: Shape = object("the header", {
  format: oneOfTexts(RUN_FORMAT),
  version: number,
  start: RUN_START_SHAPE,
  endedAt: either(number, nothing),
  parent: either(text, nothing),
  tags: list(text),
});
const EVENT_LINE: Shape = object("the line", { event: EVENT_SHAPE });
const END_LINE: Shape = object("the line", { end: integerFrom(0) });

/** Reads the lines of a run's file one by one, and checks all of them. */
class RunFileReader {
  readonly #calls = new CallReader();
  #order: EventOrder | undefined;
  /** Of all lines, and of those that are not blank. */
  #number = 0;
  #written = 0;
  #isOver = false;

  /** What the next line has, if it is something to keep; throws `RunFileError` if it cannot stand here. */
  read(line: string): RunFileItem | undefined {
    this.#number++;
    // A byte order mark is trimmed, too.
    const json = line.trim();
    if (json === "") return undefined;
    try {
      const item = this.#item(parseLine(json));
      this.#written++;
      return item;
    } catch (error) {
      throw error instanceof LineError ? new RunFileError(this.#number, error.message) : error;
    }
  }

  /** Nothing more comes; throws if the end is missing. */
  finish(): void {
    if (!this.#isOver) throw new RunFileError(this.#number + 1, "the file ends here without its last line");
  }

  #item(line: UnknownRecord): RunFileItem | undefined {
    if (this.#isOver) throw new LineError("it comes after the end of the run");
    if (this.#order === undefined) return this.#header(line);
    if ("event" in line) {
      checkLine(EVENT_LINE, line);
      // The shape is just that.
      const event = line.event as RunEvent;
      this.#order.check(event);
      return { event };
    }
    if ("end" in line) {
      checkLine(END_LINE, line);
      if (line.end !== this.#written)
        throw new LineError(`${this.#written} lines come before it, not ${line.end}`);
      this.#isOver = true;
      return undefined;
    }
    const call = this.#calls.read(line);
    return call === undefined ? undefined : { call };
  }

  #header(line: UnknownRecord): RunFileItem {
    const { format, version } = line;
    if (format === RUN_FORMAT && version !== RUN_VERSION)
      throw new LineError(`it does not have version ${RUN_VERSION}, which this release reads`);
    checkLine(HEADER, line);
    // The shape is just that.
    const header = line as unknown as RunFileHeader;
    this.#order = new EventOrder(header.start);
    return { header };
  }
}

/** Follows the events of a run's file: conversation after conversation, each in one piece, in the order of results. */
class EventOrder {
  readonly #start: RunStart;
  readonly #seen = new Set<string>();
  #conversation: string | undefined;
  #cell: Cell | undefined;

  constructor(start: RunStart) {
    this.#start = start;
  }

  /** Throws `LineError` if the event cannot stand here. */
  check(event: RunEvent): void {
    if (event.type === "run-start") throw new LineError("a run starts once, in the first line");
    if (event.type === "conversation-start") {
      // Parents come before their arms, so that no conversation continues itself.
      if (event.fork !== undefined && !this.#seen.has(event.fork.parent))
        throw new LineError("the conversation that it continues has not begun before");
      return this.#begin(event.conversation, event.cell);
    }
    const conversation = "conversation" in event ? event.conversation : undefined;
    if (conversation === undefined) this.#conversation = undefined;
    else if (conversation !== this.#conversation) throw new LineError("it belongs to another conversation");
    if (event.type === "conversation-end" && !deepEqual(event.cell, this.#cell))
      throw new LineError("its cell is not the one that the conversation began with");
  }

  #begin(conversation: string, cell: Cell): void {
    const { scenarios, subjects, judges } = this.#start;
    const isNext = this.#cell === undefined || cell.index > this.#cell.index;
    if (this.#seen.has(conversation) || !isNext)
      throw new LineError("the conversation does not come after those before it");
    if (
      !Object.hasOwn(scenarios, cell.scenario) ||
      !subjects.includes(cell.subject) ||
      !judges.includes(cell.judge)
    )
      throw new LineError("the run has no such scenario, subject or judge");
    this.#seen.add(conversation);
    this.#conversation = conversation;
    this.#cell = cell;
  }
}
