import { callIdentity } from "../fold/run.ts";
import type { RunEvent } from "../run-event.ts";
import { decodeEvent, type EncodedRow, rowJson, startsCall } from "../store/encode-event.ts";
import type { Store } from "../store/store.ts";
import { LongTextWriter } from "./long-texts.ts";
import { RowJson } from "./row-json.ts";
import {
  asLine,
  CONVERSATION_STATUSES,
  lineOf,
  RUN_FORMAT,
  RUN_VERSION,
  type RunFileEnd,
  type RunFileHeader,
} from "./run-file.ts";
import { CallWriter } from "./run-file-calls.ts";
import { definitionsOf, readTogether, storedRun } from "./stored-run.ts";

/**
 * The lines of a run's file, read from the store as they are asked for: a header, the scenarios, each conversation with its events and then
 * the calls that it used, the events of the run as a whole, and an end that counts them.
 *
 * @example
 * for (const line of exportRun(store, "monday")) file.write(`${line}\n`);
 */
export function* exportRun(store: Store, run: string): Generator<string> {
  const lines = linesOf(store, run);
  for (;;) {
    const some = readTogether(store, () => someOf(lines));
    if (some.length === 0) return;
    yield* some;
  }
}

/** How many characters of lines are read with one lock. */
const AT_ONCE = 64_000;

function someOf(lines: Iterator<string>): readonly string[] {
  const some: string[] = [];
  for (let size = 0; size < AT_ONCE; ) {
    const { done, value } = lines.next();
    if (done === true) break;
    size += value.length;
    some.push(value);
  }
  return some;
}

function* linesOf(store: Store, run: string): Generator<string> {
  const texts = new LongTextWriter();
  const rows = new RowJson(texts);
  const calls = new CallWriter(texts, rows);
  const written = { conversations: 0, events: 0, calls: 0 };
  const header = headerOf(store, run);
  yield lineOf(header);
  for (const event of definitionsOf(store, header.run)) {
    written.events++;
    yield* texts.lines({ event: inOrder(event) });
  }
  const callLines = callsIn(store, header.run, calls);
  for (const { conversation } of store.conversations(header.run)) {
    written.conversations++;
    const identities = new Set<string>();
    for (const item of store.rows?.(header.run, conversation) ?? store.events(header.run, conversation)) {
      written.events++;
      const identity = identityOf(item);
      if (identity !== undefined && !calls.has(identity)) identities.add(identity);
      yield* eventLines(item, texts, rows);
    }
    calls.begin();
    for (const identity of identities) {
      const lines = callLines(identity);
      if (lines === undefined) continue;
      written.calls++;
      yield* lines;
    }
  }
  for (const event of store.events(header.run, null)) {
    if (event.type === "run-start" || event.type === "scenario-define") continue;
    written.events++;
    yield* texts.lines({ event: inOrder(event) });
  }
  yield lineOf({ end: written satisfies RunFileEnd });
}

/** Gives the lines of a call of a run: one that came with the run, or else one of the project. */
function callsIn(
  store: Store,
  run: string,
  calls: CallWriter,
): (identity: string) => readonly string[] | undefined {
  const own = store.callsOf(run);
  // A run that was made here has none, and they need not be looked for.
  const places = own.size > 0 ? [own, store.calls] : [store.calls];
  return (identity) => {
    for (const place of places) {
      const row = place.row?.(identity);
      if (row !== undefined) return calls.rowLines(identity, row);
      const call = place.row === undefined ? place.get(identity) : undefined;
      if (call !== undefined) return calls.lines(call);
    }
    return undefined;
  };
}

/** The lines of an event, or of the row of one: most rows need not be decoded. */
function eventLines(item: RunEvent | EncodedRow, texts: LongTextWriter, rows: RowJson): readonly string[] {
  if (!("textOf" in item)) return texts.lines({ event: inOrder(item) });
  const lines: string[] = [];
  const json = rowJson(item, (hash) => rows.text(hash, item.textOf, lines));
  if (json === undefined) return texts.lines({ event: inOrder(decodeEvent(item, item.textOf)) });
  lines.push(asLine(`{"event":${json}}`));
  return lines;
}

/** The identity of the call that an event begins. */
function identityOf(item: RunEvent | EncodedRow): string | undefined {
  if (!("textOf" in item)) return callIdentity(item);
  if (!startsCall(item)) return undefined;
  return identityIn(item.data) ?? callIdentity(decodeEvent(item, item.textOf));
}

/** The identity in the JSON of a call, if it stands there plainly: a quotation mark within a text has a backslash before it. */
function identityIn(data: string): string | undefined {
  return /,"identity":"([0-9a-f]{64})"/.exec(data)?.[1];
}

/** The same whatever the store: first what most events have. */
function inOrder(event: RunEvent): object {
  // Which keys an event has is looked at here only; each may be missing.
  const { type, at, conversation, turn, ...rest } = event as RunEvent & {
    readonly conversation?: string;
    readonly turn?: number;
  };
  return { type, at, conversation, turn, ...rest };
}

function headerOf(store: Store, name: string): RunFileHeader {
  const { run, startedAt, endedAt, parent, tags, statuses, start } = storedRun(store, name);
  const counted = CONVERSATION_STATUSES.flatMap((status) =>
    statuses[status] === undefined ? [] : [[status, statuses[status]] as const],
  );
  return {
    format: RUN_FORMAT,
    version: RUN_VERSION,
    run,
    endedAt,
    parent,
    tags,
    statuses: Object.fromEntries(counted),
    start: inOrder({ ...start, at: startedAt }) as RunFileHeader["start"],
  };
}
