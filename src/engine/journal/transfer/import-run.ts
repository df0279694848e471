import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import { RunError } from "../failure.ts";
import { isUnfinished } from "../store/received-run.ts";
import type { LoggedRows } from "../store/row-log.ts";
import type { ReceivedRun, RunCalls, RunJournal, Store } from "../store/store.ts";
import { encodedPieces } from "./encoded-pieces.ts";
import { type RunFileHeader, wholeLines } from "./run-file.ts";
import { RunFileReader } from "./run-file-reader.ts";

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

/**
 * How many characters of events and calls are appended before they must have been written. Larger groups touch the same pages more seldom, but
 * what waits that long is moved by the garbage collector, which takes as much time again, and memory.
 */
const AT_ONCE = 2_000_000;

const LEAST_WEIGHT = 500;

/**
 * Puts a run's file into a store. Nothing of one that is broken, or whose import is cut short, can be seen there. Throws
 * `RunFileError` with the line that is wrong, or `RunError` if there is a run of this name.
 */
export async function importRun(
  store: Store,
  lines: Iterable<string> | AsyncIterable<string>,
  options: ImportOptions = {},
): Promise<{ readonly run: string }> {
  if (store.receive !== undefined) return { run: await receiveRun(store, lines, options) };
  const spool = SpooledLines.open();
  try {
    const run = await checkAll(lines, spool, (header) => freeName(store, options.as ?? header.run));
    await write(store, spool.read(), { run, sharesCalls: options.useCalls ?? false });
    return { run };
  } finally {
    spool.close();
  }
}

/** Reads the lines once, into a store that shows a run only when it is whole; gives its name. */
async function receiveRun(
  store: Store,
  lines: Iterable<string> | AsyncIterable<string>,
  { as, useCalls = false }: ImportOptions,
): Promise<string> {
  const encoded = encodedPieces(typeof lines === "string" ? [lines] : lines);
  let received: ReceivedRun | undefined;
  let file: RunFileHeader | undefined;
  let run = "";
  let lastEnd: number | null = null;
  const group = new LogGroup();
  const write = async (): Promise<void> => {
    if (file === undefined) return;
    received ??= store.receive?.(ownStart(file, run), file.parent === null ? {} : { parent: file.parent });
    await received?.write(group.take());
  };
  try {
    for await (const { header, log, endedAt } of encoded) {
      if (header !== undefined) {
        file = header;
        run = freeName(store, as ?? header.run);
      }
      lastEnd = endedAt ?? lastEnd;
      group.add(log);
      if (group.isLarge) await write();
    }
    await write();
    // A run that was resumed has an earlier end in its journal, and may be unfinished all the same.
    const endedAt = file?.endedAt === null ? null : lastEnd;
    received?.finish({ run, tags: file?.tags ?? [], endedAt, sharesCalls: useCalls });
    return run;
  } catch (error) {
    // What cannot be removed now is never shown, and removed later.
    try {
      received?.discard();
    } catch {}
    throw error;
  }
}

/** How many characters of rows are written at once. Larger groups touch the same pages less often, but take memory. */
const GROUP = 2_000_000;

/** Rows that are written together. */
class LogGroup {
  #logs: LoggedRows[] = [];
  #size = 0;

  add(log: LoggedRows): void {
    this.#logs.push(log);
    for (const value of log) if (typeof value === "string") this.#size += value.length;
  }

  get isLarge(): boolean {
    return this.#size >= GROUP;
  }

  take(): readonly LoggedRows[] {
    const logs = this.#logs;
    this.#logs = [];
    this.#size = 0;
    return logs;
  }
}

/** What comes from a file was not started here: its command line is not kept, so that no resume uses it. */
function ownStart({ start }: RunFileHeader, run: string): RunFileHeader["start"] {
  const { origin: _origin, ...open } = start;
  return { ...open, run };
}

/** Reads the lines for the first time; gives the name of the run. */
async function checkAll(
  lines: Iterable<string> | AsyncIterable<string>,
  spool: SpooledLines,
  nameOf: (header: RunFileHeader) => string,
): Promise<string> {
  let run = "";
  const reader = new RunFileReader(
    {
      begin: (header) => {
        run = nameOf(header);
      },
      event: () => {},
      call: () => {},
    },
    { identifies: false },
  );
  // A text would be a list of characters here.
  for await (const item of typeof lines === "string" ? [lines] : lines) {
    // Halves of characters are lost in a file.
    const text = item.toWellFormed();
    for (const line of text.split("\n")) reader.take(line);
    spool.add(text);
  }
  reader.finish();
  return run;
}

function freeName(store: Store, name: string): string {
  if (name.trim() === "") throw new RunError(["A run needs a name that is not empty."]);
  if (isUnfinished(name))
    throw new RunError(["A run's name cannot begin like this one. Import it under another name."]);
  if (store.run(name)?.run !== name) return name;
  throw new RunError([`There is a run "${name}" in the store already. Import it under another name.`]);
}

/** Reads the lines for the second time, into the store; what the store does not take, it does not keep in part. */
async function write(
  store: Store,
  pieces: AsyncIterable<string>,
  { run, sharesCalls }: { readonly run: string; readonly sharesCalls: boolean },
): Promise<void> {
  let journal: RunJournal | undefined;
  let calls: RunCalls | undefined;
  const shared: RecordedCall[] = [];
  /** What the project knows already stays. */
  const share = async (): Promise<void> => {
    for (const call of shared.splice(0))
      if ((await store.calls.find(call.identity)) === undefined) store.calls.keep(call);
  };
  let waiting = 0;
  let isOpen = false;
  const reader = new RunFileReader(
    {
      begin: (header) => {
        const { parent, tags, endedAt } = header;
        isOpen = endedAt === null;
        journal = store.begin(ownStart(header, run), parent === null ? {} : { parent });
        if (tags.length > 0) store.tag(run, tags);
      },
      event: (event) => journal?.append(event),
      call: (call) => {
        calls ??= store.callsOf(run);
        calls.keep(call);
        if (sharesCalls) shared.push(call);
      },
    },
    { isVerified: true },
  );
  try {
    for await (const piece of pieces) {
      for (const line of piece.split("\n")) {
        reader.take(line);
        if (shared.length > 0) await share();
        // A line that only refers to texts stands for as much again.
        waiting += line.length + LEAST_WEIGHT;
        if (waiting < AT_ONCE) continue;
        waiting = 0;
        await journal?.durable();
      }
    }
    await journal?.durable();
    // A run that was resumed has an earlier end in its journal, and may be unfinished all the same.
    if (isOpen) store.reopen(run);
  } catch (error) {
    if (journal !== undefined) store.delete(run);
    throw error;
  }
}

/** How many characters are written and read at once. */
const CHUNK = 500_000;

/** Lines put aside in a temporary file, to be read a second time. */
export class SpooledLines {
  readonly #folder: string;
  readonly #file: number;
  readonly #fs: typeof import("node:fs");
  #chunk = "";

  /** Opens the file, which only its owner can read. */
  static open(): SpooledLines {
    const fs = process.getBuiltinModule("node:fs");
    const { tmpdir } = process.getBuiltinModule("node:os");
    const { join } = process.getBuiltinModule("node:path");
    return new SpooledLines(fs, fs.mkdtempSync(join(tmpdir(), "elenchus-import-")));
  }

  private constructor(fs: typeof import("node:fs"), folder: string) {
    this.#fs = fs;
    this.#folder = folder;
    this.#file = fs.openSync(this.#path, "wx", 0o600);
  }

  get #path(): string {
    return `${this.#folder}/lines`;
  }

  /** Adds one line, or several. */
  add(lines: string): void {
    this.#chunk += `${lines}\n`;
    if (this.#chunk.length >= CHUNK) this.#flush();
  }

  /** All lines, in order, many at a time. */
  read(): AsyncIterable<string> {
    this.#flush();
    return wholeLines(this.#fs.createReadStream(this.#path, { encoding: "utf8", highWaterMark: CHUNK }));
  }

  /** Removes the file. */
  close(): void {
    this.#fs.closeSync(this.#file);
    this.#fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  #flush(): void {
    this.#fs.writeFileSync(this.#file, this.#chunk);
    this.#chunk = "";
  }
}
