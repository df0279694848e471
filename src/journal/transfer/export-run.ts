import { callIdentity } from "../fold/run.ts";
import type { RunEvent } from "../run-event.ts";
import { decodeEvent, type EncodedRow, rowJson, startsCall } from "../store/encode-event.ts";
import type { Store } from "../store/store.ts";
import { LongTextWriter } from "./long-texts.ts";
import {
  CONVERSATION_STATUSES,
  lineOf,
  RUN_FORMAT,
  RUN_VERSION,
  type RunFileEnd,
  type RunFileHeader,
} from "./run-file.ts";
import { CallWriter } from "./run-file-calls.ts";
import { definitionsOf, storedRun } from "./stored-run.ts";

/**
 * The lines of a run's file, read from the store as they are asked for: a header, the scenarios, each conversation with its events and then
 * the calls that it used, the events of the run as a whole, and an end that counts them.
 *
 * @example
 * for (const line of exportRun(store, "monday")) file.write(`${line}\n`);
 */
export function* exportRun(store: Store, run: string): Generator<string> {
  const texts = new LongTextWriter();
  const calls = new CallWriter(texts);
  const written = { conversations: 0, events: 0, calls: 0 };
  const header = headerOf(store, run);
  yield lineOf(header);
  for (const event of definitionsOf(store, header.run)) {
    written.events++;
    yield* texts.lines({ event: inOrder(event) });
  }
  const runCalls = store.callsOf(header.run);
  // A run that was made here has none, and they need not be looked for.
  const hasOwn = runCalls.size > 0;
  for (const { conversation } of store.conversations(header.run)) {
    written.conversations++;
    const identities: string[] = [];
    const note = (identity: string | undefined): void => {
      if (identity !== undefined && !calls.has(identity)) identities.push(identity);
    };
    for (const item of store.rows?.(header.run, conversation) ?? store.events(header.run, conversation)) {
      written.events++;
      yield* eventLines(item, texts, note);
    }
    calls.begin();
    for (const identity of new Set(identities)) {
      // One that came with the run, or else one of the project.
      const call = (hasOwn ? runCalls.get(identity) : undefined) ?? store.calls.get(identity);
      if (call === undefined) continue;
      written.calls++;
      yield* calls.lines(call);
    }
  }
  for (const event of store.events(header.run, null)) {
    if (event.type === "run-start" || event.type === "scenario-define") continue;
    written.events++;
    yield* texts.lines({ event: inOrder(event) });
  }
  yield lineOf({ end: written satisfies RunFileEnd });
}

/** The lines of an event, or of the row of one: most rows need not be decoded. */
function eventLines(
  item: RunEvent | EncodedRow,
  texts: LongTextWriter,
  note: (identity: string | undefined) => void,
): readonly string[] {
  if (!("textOf" in item)) {
    note(callIdentity(item));
    return texts.lines({ event: inOrder(item) });
  }
  if (startsCall(item)) note(identityIn(item.data) ?? callIdentity(decodeEvent(item, item.textOf)));
  let isOdd = false;
  const lines = texts.joined((textJson) => {
    const json = rowJson(item, textJson);
    isOdd = json === undefined;
    return `{"event":${json}}`;
  });
  return isOdd ? texts.lines({ event: inOrder(decodeEvent(item, item.textOf)) }) : lines;
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
  // A seal means something only in the store where it was made.
  const { seal: _seal, ...open } = start;
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
    start: inOrder({ ...open, at: startedAt }) as RunFileHeader["start"],
  };
}
