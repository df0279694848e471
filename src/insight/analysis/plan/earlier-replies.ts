import { memoize } from "../../../core/lazy.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { foldCalls } from "../../../engine/journal/fold/calls.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { Cell, RunStart } from "../../../engine/journal/run-event.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { answeredCall, storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import type { FinishedTurn, TurnLabels } from "../../../engine/journal/turn.ts";
import type { CallRequest } from "../../../engine/models/cassette/recorded-call.ts";
import type { ModelRequest } from "../../../engine/models/model.ts";
import { seenOf, type WatchedTurn } from "../rehearsal/watched-turns.ts";
import type { Role } from "./amounts.ts";
import { estimateRequest, estimateTokens } from "./estimate-tokens.ts";

/** Replies of an earlier run that nothing distinguishes, and how many there were. */
export interface EarlierReply {
  readonly reply: string;
  readonly labels: TurnLabels;
  readonly count: number;
}

/** What a model counts, as a multiple of our estimate. */
interface TokenScale {
  readonly input: number;
  readonly output: number;
  /** The mean output of a call. */
  readonly meanOutput: number;
}

/** A visit of a node, counted from 1. */
export interface NodeVisit {
  readonly node: string;
  readonly visit: number;
}

/** How many runs are read. */
const MOST_RUNS = 5;
/** How many conversations are read, evenly spread. */
const MOST_CONVERSATIONS = 1_000;
/** How many calls of each model are compared with our estimate. */
const MOST_CALLS = 200;
/** Fewer replies at a visit say less than those of all visits. */
const ENOUGH = 5;

interface SeenTurn {
  readonly visit: number;
  readonly turn: FinishedTurn;
}

interface Mean {
  sum: number;
  count: number;
}

/** What earlier runs say about replies, judges and models. */
export class EarlierReplies {
  readonly runs: readonly string[];
  /** How many conversations were read. */
  conversations = 0;
  readonly #isSame: (scenario: string, run: RunStart) => boolean;
  /** By place: a node of a scenario, or a subject there. */
  readonly #turns = new Map<string, SeenTurn[]>();
  /** By what was measured, and of whom or where. */
  readonly #means = new Map<string, Mean>();

  private constructor(runs: readonly string[], isSame: (scenario: string, run: RunStart) => boolean) {
    this.runs = runs;
    this.#isSame = isSame;
  }

  /** Reads runs that the user has named: a reply at a node counts for the node of the same name. */
  static read(store: Store, names: readonly string[]): EarlierReplies {
    const runs = names.map((name) => storedRun(store, name));
    return EarlierReplies.#of(store, runs, () => true);
  }

  /**
   * Reads the latest runs of these scenarios with these subjects, and of what is missing the latest run of each subject. Undefined
   * if there are none.
   */
  static find(
    store: Store,
    scenarios: readonly Pick<ScenarioDefinition, "name" | "hash">[],
    subjects: readonly string[],
  ): EarlierReplies | undefined {
    const hashes = new Map(scenarios.map(({ name, hash }) => [name, hash]));
    const isSame = (scenario: string, { scenarios: known }: RunStart): boolean =>
      Object.hasOwn(known, scenario) && known[scenario] === hashes.get(scenario);
    const missing = new Set(hashes.keys());
    const unknown = new Set(subjects);
    const runs: RunSummary[] = [];
    const latest = store
      .runs()
      .filter(({ parent, statuses }) => parent === null && (statuses.completed ?? 0) > 0)
      .sort((left, right) => right.startedAt - left.startedAt);
    for (const run of latest) {
      const { start } = run;
      if (!start.subjects.some((subject) => subjects.includes(subject))) continue;
      const added = [...missing].filter((scenario) => isSame(scenario, start));
      if (added.length === 0 && !start.subjects.some((subject) => unknown.has(subject))) continue;
      for (const scenario of added) missing.delete(scenario);
      for (const subject of start.subjects) unknown.delete(subject);
      runs.push(run);
      if (runs.length >= MOST_RUNS || (missing.size === 0 && unknown.size === 0)) break;
    }
    return runs.length === 0 ? undefined : EarlierReplies.#of(store, runs, isSame);
  }

  /** Of large runs, some conversations are read. */
  static #of(
    store: Store,
    runs: readonly RunSummary[],
    isSame: (scenario: string, run: RunStart) => boolean,
  ): EarlierReplies {
    const earlier = new EarlierReplies(
      runs.map(({ run }) => run),
      isSame,
    );
    for (const { run, start, arms = 0 } of runs) {
      const most = MOST_CONVERSATIONS / runs.length;
      const step = Math.max(1, Math.ceil((start.conversations + arms) / most));
      let position = 0;
      for (const { conversation } of store.conversations(run))
        if (position++ % step === 0) earlier.#add(store, { run, start, conversation });
    }
    return earlier;
  }

  #add(
    store: Store,
    {
      run,
      start,
      conversation,
    }: { readonly run: string; readonly start: RunStart; readonly conversation: string },
  ): void {
    this.conversations++;
    const events = [...store.events(run, conversation)];
    const { cell, finishedTurns } = foldConversation(events);
    const calls = new Map<number, number>();
    for (const { turn, purpose, model, identity, end, call } of foldCalls(events)) {
      if (purpose === "tool" || end === undefined || end.failure !== undefined) continue;
      if (purpose === "subject") calls.set(turn, (calls.get(turn) ?? 0) + 1);
      const asked = `${call.includes(".embed.") ? "embedder" : purpose} ${model}`;
      if (!end.cached) this.#measure("latency", asked, end.latencyMs);
      // The last number counts the calls of a request: the second repairs the first.
      this.#measure("first calls", asked, call.endsWith(".1") ? 1 : 0);
      const { usage } = end;
      const compared = this.#means.get(`input ${asked}`)?.count ?? 0;
      if (identity === undefined || usage === undefined || compared >= MOST_CALLS) continue;
      const recorded = answeredCall(store, run, identity);
      if (recorded === undefined) continue;
      this.#measure("input", asked, usage.inputTokens);
      this.#measure("output", asked, usage.outputTokens);
      this.#measure("estimated input", asked, estimateRequest(requestOf(recorded.request)));
      this.#measure("estimated output", asked, estimateTokens(recorded.reply.text));
    }
    const { subject, scenario } = cell;
    const isSame = this.#isSame(scenario, start);
    const visits = new Map<string, number>();
    for (const turn of finishedTurns) {
      const { node, verifyResult, notVerified, reply, unreadByRules = [] } = turn;
      const isUnreadable = verifyResult === null && notVerified !== true;
      const replyTokens = estimateTokens(reply);
      this.#measure("reply", subject, replyTokens);
      if (verifyResult !== null) this.#measure("right", subject, Number(verifyResult));
      if (verifyResult !== null || Object.keys(turn.parsed).length > 0)
        this.#measure("unreadable", subject, Number(isUnreadable));
      if (!isSame) continue;
      const visit = (visits.get(node) ?? 0) + 1;
      visits.set(node, visit);
      for (const place of [placeKey(scenario, node), placeKey(scenario, node, subject)]) {
        memoize(this.#turns, place, (): SeenTurn[] => []).push({ visit, turn });
        this.#measure("reply", place, replyTokens);
        this.#measure("calls", place, calls.get(turn.turn) ?? 1);
        this.#measure("unread", place, Number(isUnreadable || unreadByRules.length > 0));
      }
    }
  }

  /** The replies at a visit of a node: those of the same subject, where it was asked; of any visit, if there are few. */
  replies(
    { scenario, subject }: Cell,
    { node, visit }: NodeVisit,
    watched: WatchedTurn,
  ): readonly EarlierReply[] {
    const turns =
      this.#turns.get(placeKey(scenario, node, subject)) ?? this.#turns.get(placeKey(scenario, node)) ?? [];
    const same = turns.filter((seen) => seen.visit === visit);
    const found = new Map<string, { reply: string; labels: TurnLabels; count: number }>();
    for (const { turn } of same.length >= ENOUGH ? same : turns) {
      const { reply } = turn;
      memoize(found, seenOf(turn, watched), () => ({ reply, labels: labelsOf(turn), count: 0 })).count++;
    }
    return [...found.values()];
  }

  /** The share of a subject's verified replies that were right, wherever it was asked, and of those that could not be read. */
  shares({ subject }: Cell): { readonly right?: number; readonly unreadable?: number } {
    if ((this.#means.get(`right ${subject}`)?.count ?? 0) < ENOUGH) return {};
    return {
      right: this.#mean("right", subject) ?? 0,
      unreadable: this.#mean("unreadable", subject) ?? 0,
    };
  }

  replyTokens(cell: Cell, node: string): number | undefined {
    return this.#at("reply", cell, node) ?? this.#mean("reply", cell.subject);
  }

  callsPerTurn(cell: Cell, node: string): number | undefined {
    return this.#at("calls", cell, node);
  }

  unread(cell: Cell, node: string): number | undefined {
    return this.#at("unread", cell, node);
  }

  /** How many calls a request takes. */
  repairs(judge: string): number | undefined {
    const first = this.#mean("first calls", `judge ${judge}`) ?? 0;
    return first === 0 ? undefined : 1 / first;
  }

  latency(role: Role, model: string): number | undefined {
    return this.#mean("latency", `${role} ${model}`);
  }

  scale(role: Role, model: string): TokenScale | undefined {
    const asked = `${role} ${model}`;
    const [input, output] = [this.#mean("input", asked), this.#mean("output", asked)];
    if (input === undefined || output === undefined) return undefined;
    const of = (measured: number, estimated = 0): number => (estimated === 0 ? 1 : measured / estimated);
    return {
      input: of(input, this.#mean("estimated input", asked)),
      output: of(output, this.#mean("estimated output", asked)),
      meanOutput: output,
    };
  }

  #measure(what: string, where: string, value: number): void {
    const mean = memoize(this.#means, `${what} ${where}`, () => ({ sum: 0, count: 0 }));
    mean.sum += value;
    mean.count++;
  }

  #mean(what: string, where: string): number | undefined {
    const mean = this.#means.get(`${what} ${where}`);
    return mean === undefined ? undefined : mean.sum / mean.count;
  }

  /** At a node: of the same subject, where it was asked. */
  #at(what: string, { scenario, subject }: Cell, node: string): number | undefined {
    return this.#mean(what, placeKey(scenario, node, subject)) ?? this.#mean(what, placeKey(scenario, node));
  }
}

function placeKey(scenario: string, node: string, subject: string | null = null): string {
  return JSON.stringify([scenario, node, subject]);
}

function requestOf({ instructions, messages, tools, schema }: CallRequest): ModelRequest {
  return {
    messages,
    ...(instructions === null ? {} : { instructions }),
    ...(tools === null ? {} : { tools }),
    ...(schema === null ? {} : { schema }),
  };
}

/** What was read of a turn, in the form of labels. */
function labelsOf({ parsed, verifyResult, notVerified, refused, rubric }: FinishedTurn): TurnLabels {
  return {
    parsed,
    ...(notVerified === true ? {} : { verifyResult }),
    ...(refused === null ? {} : { refused }),
    rubric,
  };
}
