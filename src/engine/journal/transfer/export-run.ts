import { memoize } from "../../../core/lazy.ts";
import { CallWriter } from "../../models/cassette/call-lines.ts";
import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import { foldConversation } from "../fold/conversation.ts";
import { callIdentity } from "../fold/run.ts";
import type { ConversationSummary, Store } from "../store/store.ts";
import { lineOf, RUN_FORMAT, RUN_VERSION, type RunFileHeader } from "./run-file.ts";
import { definitionsOf, storedRun } from "./stored-run.ts";

/**
 * The lines of a run's file, each with its end, read from the store as they are asked for: a header, the scenarios, each conversation with
 * its events and then the calls that it used, the events of the run as a whole, and an end with the number of lines before it.
 *
 * @example
 * for (const line of exportRun(store, "monday")) file.write(line);
 */
export function* exportRun(store: Store, run: string): Generator<string> {
  let lines = 0;
  for (const value of valuesOf(store, run)) {
    lines++;
    yield lineOf(value);
  }
  yield lineOf({ end: lines });
}

function* valuesOf(store: Store, name: string): Generator<object> {
  const header = headerOf(store, name);
  yield header;
  const { run } = header.start;
  for (const event of definitionsOf(store, run)) yield { event };
  const calls = new CallWriter();
  // A run that was made here has none.
  const own = store.callsOf(run);
  const places = own.size > 0 ? [own, store.calls] : [store.calls];
  const written = new Set<string>();
  for (const { conversation } of store.conversations(run)) {
    const answered: RecordedCall[] = [];
    for (const event of store.events(run, conversation)) {
      yield { event };
      const identity = callIdentity(event);
      if (identity === undefined || written.has(identity)) continue;
      written.add(identity);
      const call = places.map((place) => place.get(identity)).find((found) => found !== undefined);
      if (call !== undefined) answered.push(call);
    }
    yield* calls.lines(answered);
  }
  for (const event of store.events(run, null))
    if (event.type !== "run-start" && event.type !== "scenario-define") yield { event };
}

function headerOf(store: Store, name: string): RunFileHeader {
  const { startedAt: at, endedAt, parent, tags, start } = storedRun(store, name);
  // The command line means something only where it was typed.
  const { type, run, origin: _origin, ...rest } = start;
  return {
    format: RUN_FORMAT,
    version: RUN_VERSION,
    start: { type, at, run, ...rest },
    endedAt,
    parent,
    tags,
  };
}

/**
 * The conversations of a run as records, one in each line: every turn with its reply and with what was read of it. `grade` reads
 * them, and comes to the same results.
 */
export function* exportRecords(store: Store, name: string): Generator<string> {
  const { run } = storedRun(store, name);
  const arms = new Map<number, ConversationSummary[]>();
  for (const summary of store.conversations(run))
    if (summary.parent !== null) memoize(arms, summary.parent, () => []).push(summary);
  const write = function* (summary: ConversationSummary): Generator<string> {
    const { conversation, index, scenario, row, variant, arm, replicate, subject, judge } = summary;
    const { finishedTurns } = foldConversation(store.events(run, conversation));
    yield lineOf({
      id: conversation,
      scenario,
      row,
      ...(variant === null ? {} : { variant }),
      ...(arm === null ? {} : { arm }),
      replicate,
      subject,
      judge,
      turns: finishedTurns.map(
        ({ node, questionText, reply, parsed, verifyResult, rubric, refused, user }) => ({
          node,
          question: questionText,
          ...(user === undefined ? {} : { user: { reveals: user.reveals, done: user.done } }),
          reply,
          parsed,
          verify_result: verifyResult,
          ...(Object.keys(rubric).length === 0 ? {} : { rubric }),
          ...(refused === null ? {} : { refused }),
        }),
      ),
    });
    // Arms come right after what they continue.
    for (const continued of arms.get(index) ?? []) yield* write(continued);
  };
  for (const summary of store.conversations(run)) if (summary.parent === null) yield* write(summary);
}
