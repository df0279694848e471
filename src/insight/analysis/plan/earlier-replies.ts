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
  readonly subject: string;
  readonly visit: number;
  readonly turn: FinishedTurn;
  readonly calls: number;
}

class Mean {
  sum = 0;
  count = 0;

  add(value: number): void {
    this.sum += value;
    this.count++;
  }

  get value(): number | undefined {
    return this.count === 0 ? undefined : this.sum / this.count;
  }
}

interface SeenModel {
  readonly latency: Mean;
  estimatedInput: number;
  estimatedOutput: number;
  input: number;
  output: number;
  compared: number;
  requests: number;
  calls: number;
}

/** The turns at a node, of one subject if it was asked there. */
interface SeenPlace {
  readonly turns: readonly SeenTurn[];
  readonly byVisit: ReadonlyMap<number, readonly SeenTurn[]>;
}

/** What all turns of a subject say, whatever was asked. */
interface SeenSubject {
  readonly right: Mean;
  readonly unreadable: Mean;
  readonly replyTokens: Mean;
}

/** What earlier runs say about replies, judges and models. */
export class EarlierReplies {
  readonly runs: readonly string[];
  /** How many conversations were read. */
  conversations = 0;
  readonly #isSame: (scenario: string, run: RunStart) => boolean;
  readonly #turns = new Map<string, SeenTurn[]>();
  readonly #places = new Map<string, SeenPlace>();
  readonly #subjects = new Map<string, SeenSubject>();
  readonly #models = new Map<string, SeenModel>();

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
    for (const call of foldCalls(events)) {
      const { turn, purpose, model, identity, end } = call;
      if (purpose === "tool" || end === undefined || end.failure !== undefined) continue;
      if (purpose === "subject") calls.set(turn, (calls.get(turn) ?? 0) + 1);
      const role: Role = call.call.includes(".embed.") ? "embedder" : purpose;
      const seen = memoize(this.#models, `${role} ${model}`, newModel);
      if (!end.cached) seen.latency.add(end.latencyMs);
      // The last number counts the calls of a request: the second repairs the first.
      if (call.call.endsWith(".1")) seen.requests++;
      seen.calls++;
      const recorded =
        identity === undefined || end.usage === undefined || seen.compared >= MOST_CALLS
          ? undefined
          : answeredCall(store, run, identity);
      if (recorded === undefined || end.usage === undefined) continue;
      seen.compared++;
      seen.input += end.usage.inputTokens;
      seen.output += end.usage.outputTokens;
      seen.estimatedInput += estimateRequest(requestOf(recorded.request));
      seen.estimatedOutput += estimateTokens(recorded.reply.text);
    }
    const visits = new Map<string, number>();
    const subject = memoize(this.#subjects, cell.subject, newSubject);
    const isSame = this.#isSame(cell.scenario, start);
    for (const turn of finishedTurns) {
      subject.replyTokens.add(estimateTokens(turn.reply));
      if (turn.verifyResult !== null) subject.right.add(Number(turn.verifyResult));
      if (turn.verifyResult !== null || Object.keys(turn.parsed).length > 0)
        subject.unreadable.add(Number(turn.verifyResult === null && turn.notVerified !== true));
      if (!isSame) continue;
      const visit = (visits.get(turn.node) ?? 0) + 1;
      visits.set(turn.node, visit);
      const seen = { subject: cell.subject, visit, turn, calls: calls.get(turn.turn) ?? 1 };
      memoize(this.#turns, placeKey(cell, turn.node), (): SeenTurn[] => []).push(seen);
    }
  }

  /** The replies at a visit of a node: those of the same subject, where it was asked; of any visit, if there are few. */
  replies(cell: Cell, { node, visit }: NodeVisit, watched: WatchedTurn): readonly EarlierReply[] {
    const { turns, byVisit } = this.#at(cell, node);
    const same = byVisit.get(visit) ?? [];
    const found = new Map<string, { reply: string; labels: TurnLabels; count: number }>();
    for (const { turn } of same.length >= ENOUGH ? same : turns) {
      const known = memoize(found, seenOf(turn, watched), () => ({
        reply: turn.reply,
        labels: labelsOf(turn),
        count: 0,
      }));
      known.count++;
    }
    return [...found.values()];
  }

  /** The share of a subject's verified replies that were right, wherever it was asked, and of those that could not be read. */
  shares({ subject }: Cell): { readonly right?: number; readonly unreadable?: number } {
    const seen = this.#subjects.get(subject);
    if (seen === undefined || seen.right.count < ENOUGH) return {};
    return { right: seen.right.value ?? 0, unreadable: seen.unreadable.value ?? 0 };
  }

  replyTokens(cell: Cell, node: string): number | undefined {
    return (
      this.#mean(cell, node, ({ turn }) => estimateTokens(turn.reply)) ??
      this.#subjects.get(cell.subject)?.replyTokens.value
    );
  }

  callsPerTurn(cell: Cell, node: string): number | undefined {
    return this.#mean(cell, node, ({ calls }) => calls);
  }

  unread(cell: Cell, node: string): number | undefined {
    return this.#mean(cell, node, ({ turn }) => {
      const isLeft = (turn.unreadByRules?.length ?? 0) > 0;
      return isLeft || (turn.verifyResult === null && turn.notVerified !== true) ? 1 : 0;
    });
  }

  repairs(judge: string): number | undefined {
    const seen = this.#models.get(`judge ${judge}`);
    return seen === undefined || seen.requests === 0 ? undefined : seen.calls / seen.requests;
  }

  latency(role: Role, model: string): number | undefined {
    return this.#models.get(`${role} ${model}`)?.latency.value;
  }

  scale(role: Role, model: string): TokenScale | undefined {
    const seen = this.#models.get(`${role} ${model}`);
    if (seen === undefined || seen.compared === 0) return undefined;
    const { input, output, estimatedInput, estimatedOutput, compared } = seen;
    return {
      input: estimatedInput === 0 ? 1 : input / estimatedInput,
      output: estimatedOutput === 0 ? 1 : output / estimatedOutput,
      meanOutput: output / compared,
    };
  }

  #mean(cell: Cell, node: string, value: (seen: SeenTurn) => number): number | undefined {
    const mean = new Mean();
    for (const seen of this.#at(cell, node).turns) mean.add(value(seen));
    return mean.value;
  }

  #at(cell: Cell, node: string): SeenPlace {
    const key = placeKey(cell, node);
    return memoize(this.#places, JSON.stringify([key, cell.subject]), () => {
      const all = this.#turns.get(key) ?? [];
      const own = all.filter(({ subject }) => subject === cell.subject);
      const turns = own.length > 0 ? own : all;
      return { turns, byVisit: Map.groupBy(turns, ({ visit }) => visit) };
    });
  }
}

function placeKey({ scenario }: Pick<Cell, "scenario">, node: string): string {
  return JSON.stringify([scenario, node]);
}

function newSubject(): SeenSubject {
  return { right: new Mean(), unreadable: new Mean(), replyTokens: new Mean() };
}

function newModel(): SeenModel {
  const nothing = { estimatedInput: 0, estimatedOutput: 0, input: 0, output: 0 };
  return { latency: new Mean(), ...nothing, compared: 0, requests: 0, calls: 0 };
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
