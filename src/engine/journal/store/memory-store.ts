import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { Cassette } from "../../models/cassette/cassette.ts";
import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import { cellSummary, hasLevels } from "../cell.ts";
import { Conversation } from "../fold/conversation.ts";
import { endOfRun, isKept } from "../fold/run.ts";
import { CellCounts, type CellTally, conversationCounts } from "../fold/tally.ts";
import type { Label, RunEvent, RunStart } from "../run-event.ts";
import { lastLabels } from "./labels.ts";
import { resultRows, summaryOf } from "./results.ts";
import { memoryScores } from "./scores.ts";
import type {
  CallStore,
  ConversationFilter,
  ConversationScore,
  ConversationSummary,
  ResultRow,
  RunCalls,
  RunJournal,
  RunSummary,
  ScoreOptions,
  Store,
  StoreSize,
} from "./store.ts";
import { noConversation, StoreError } from "./store-error.ts";

interface KeptConversation {
  readonly folded: Conversation;
  readonly events: RunEvent[];
}

interface KeptRun {
  readonly start: RunStart;
  readonly startedAt: number;
  readonly parent: string | null;
  readonly events: RunEvent[];
  readonly conversations: Map<string, KeptConversation>;
  readonly calls: MemoryCalls;
  endedAt: number | null;
  tags: readonly string[];
}

/** A store that lives as long as the process: for tests, and for runs that are not looked at again. */
export function memoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly calls: MemoryCalls = new MemoryCalls();
  readonly #runs = new Map<string, KeptRun>();
  #isClosed = false;

  begin(start: RunStart & { readonly at: number }, options: { readonly parent?: string } = {}): RunJournal {
    this.#throwIfClosed();
    if (this.#runs.has(start.run))
      throw new StoreError("run_exists", `There is a run "${start.run}" already. Choose another name.`);
    const { at, ...rest } = copied(start);
    const run: KeptRun = {
      start: rest,
      startedAt: at,
      parent: options.parent ?? null,
      events: [],
      conversations: new Map(),
      calls: new MemoryCalls(),
      endedAt: null,
      tags: [],
    };
    this.#runs.set(start.run, run);
    const journal = this.#journal(run);
    journal.append(start);
    return journal;
  }

  callsOf(name: string): RunCalls {
    return this.#existing(name).calls;
  }

  reopen(name: string, { isShared = false }: { readonly isShared?: boolean } = {}): RunJournal {
    this.#throwIfClosed();
    const run = this.#existing(name);
    if (!isShared) run.endedAt = null;
    return this.#journal(run);
  }

  runs(): readonly RunSummary[] {
    return [...this.#runs.values()].sort((one, other) => one.startedAt - other.startedAt).map(runSummary);
  }

  run(name: string): RunSummary | undefined {
    const exact = this.#runs.get(name);
    if (exact !== undefined) return runSummary(exact);
    const [only, ...others] = [...this.#runs.values()].filter(({ start }) => start.run.startsWith(name));
    return only === undefined || others.length > 0 || name === "" ? undefined : runSummary(only);
  }

  *conversations(name: string, filter: ConversationFilter = {}): Generator<ConversationSummary> {
    const conversations = [...(this.#runs.get(name)?.conversations.values() ?? [])];
    conversations.sort((one, other) => one.folded.cell.index - other.folded.cell.index);
    for (const { folded } of conversations) {
      const summary = conversationOf(name, folded);
      const isWanted =
        (["scenario", "subject", "judge", "status"] as const).every(
          (key) => filter[key] === undefined || filter[key] === summary[key],
        ) && summary.conversation.startsWith(filter.conversation ?? "");
      if (isWanted && hasLevels(summary.variant, filter.variant)) yield summary;
    }
  }

  *events(name: string, conversation?: string | null): Generator<RunEvent> {
    const run = this.#runs.get(name);
    const events =
      typeof conversation === "string" ? run?.conversations.get(conversation)?.events : run?.events;
    // What is appended while they are read is not among them.
    for (let index = 0, count = events?.length ?? 0; index < count; index++) {
      const event = events?.[index] as RunEvent;
      const isOfRun = !("conversation" in event) || event.conversation === undefined;
      if (conversation !== null || isOfRun) yield event;
    }
  }

  *scores(name: string, options: ScoreOptions = {}): Generator<ConversationScore> {
    const conversations = [...(this.#runs.get(name)?.conversations.values() ?? [])];
    yield* memoryScores(
      conversations.map(({ folded }) => folded),
      options,
    );
  }

  results(name: string): readonly ResultRow[] {
    return resultRows(this.tallies(name));
  }

  tallies(name: string): readonly CellTally[] {
    const run = this.#runs.get(name);
    return run === undefined ? [] : talliesOf(run);
  }

  label(name: string, labels: readonly Omit<Label, "type">[]): void {
    const run = this.#existing(name);
    for (const { conversation } of labels)
      if (!run.conversations.has(conversation)) throw noConversation(name, conversation);
    const journal = this.#journal(run);
    for (const label of labels) journal.append({ type: "label", ...label, at: label.when });
  }

  labels(name: string): readonly Label[] {
    return lastLabels(this.#runs.get(name)?.events ?? []);
  }

  tag(name: string, tags: readonly string[]): void {
    this.#existing(name).tags = [...new Set(tags)];
  }

  delete(name: string): void {
    this.#existing(name);
    this.#runs.delete(name);
  }

  compact(options: { readonly callsBefore?: number } = {}): void {
    if (options.callsBefore !== undefined) this.calls.removeBefore(options.callsBefore);
  }

  size(): StoreSize {
    const runs = [...this.#runs.values()];
    const sum = (count: (run: KeptRun) => number): number =>
      runs.reduce((total, run) => total + count(run), 0);
    return {
      bytes: 0,
      runs: runs.length,
      conversations: sum(({ conversations }) => conversations.size),
      events: sum(({ events }) => events.length),
      calls: this.calls.size,
      texts: 0,
      unusedTexts: 0,
    };
  }

  close(): void {
    this.#isClosed = true;
  }

  #journal(run: KeptRun): RunJournal {
    return {
      append: (event) => {
        if (this.#isClosed || !isKept(event)) return;
        const kept = copied(event);
        run.events.push(kept);
        run.endedAt = endOfRun(kept) ?? run.endedAt;
        if (!("conversation" in kept) || kept.conversation === undefined) return;
        const { conversation } = kept;
        const known = run.conversations.get(conversation) ?? {
          folded: new Conversation(conversation),
          events: [],
        };
        run.conversations.set(conversation, known);
        known.events.push(kept);
        known.folded.apply(kept);
      },
      durable: () => (this.#isClosed ? Promise.reject(closed()) : undefined),
    };
  }

  #existing(name: string): KeptRun {
    const run = this.#runs.get(name);
    if (run === undefined) throw new StoreError("no_run", `There is no run "${name}" in the store.`);
    return run;
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw closed();
  }
}

/** What was appended cannot be changed. */
function copied<Event extends RunEvent>(event: Event): Event {
  // Copied as it is: events are data.
  return frozenCopy(event, () => {}) as Event;
}

function closed(): StoreError {
  return new StoreError("closed", "The store is closed.");
}

function talliesOf(run: KeptRun): readonly CellTally[] {
  const counts = new CellCounts();
  for (const { folded } of run.conversations.values()) counts.add(folded.cell, conversationCounts(folded));
  return counts.tallies();
}

function runSummary(run: KeptRun): RunSummary {
  const { start, startedAt, endedAt, parent, tags } = run;
  return { run: start.run, startedAt, endedAt, start, parent, tags, ...summaryOf(talliesOf(run)) };
}

function conversationOf(run: string, folded: Conversation): ConversationSummary {
  const { conversation, cell, itemHash, status, turnCount, spending } = folded;
  const { failed: failedJudgements, unreadable: unreadableJudgements } = folded.judges;
  const judged = { failedJudgements, unreadableJudgements };
  return { run, conversation, ...cellSummary(cell), itemHash, status, turnCount, ...judged, spending };
}

/** The answered calls of a store in memory. */
export class MemoryCalls implements CallStore {
  #calls = new Cassette();
  readonly #keptAt = new Map<string, number>();

  get size(): number {
    return this.#calls.size;
  }

  find(identity: string): ReturnType<CallStore["find"]> {
    return this.#calls.replyTo(identity);
  }

  get(identity: string): RecordedCall | undefined {
    return this.#calls.get(identity);
  }

  keep(call: RecordedCall): void {
    if (this.#calls.set(call)) this.#keptAt.set(call.identity, Date.now());
  }

  near(request: RecordedCall["request"], limit = 50): readonly RecordedCall[] {
    return this.#calls.near(request).slice(0, limit);
  }

  /** Removes calls that were kept before a time. */
  removeBefore(time: number): void {
    const left = new Cassette();
    for (const call of this.#calls) {
      if ((this.#keptAt.get(call.identity) ?? 0) >= time) left.set(call);
      else this.#keptAt.delete(call.identity);
    }
    this.#calls = left;
  }
}
