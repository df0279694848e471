import { memoize } from "../../core/lazy.ts";
import { canonicalJson } from "../../core/values/json.ts";
import { foldCalls } from "../../journal/fold/calls.ts";
import { foldConversation } from "../../journal/fold/conversation.ts";
import type { Cell } from "../../journal/run-event.ts";
import type { Store } from "../../journal/store/store.ts";
import { answeredCall, storedRun } from "../../journal/transfer/stored-run.ts";
import type { FinishedTurn, TurnLabels } from "../../journal/turn.ts";
import type { CallRequest } from "../../models/cassette/recorded-call.ts";
import type { ModelRequest } from "../../models/model.ts";
import type { WatchedTurn } from "../rehearsal/watched-turns.ts";
import type { Role } from "./amounts.ts";
import { estimateRequest, estimateTokens } from "./estimate-tokens.ts";

/** Replies of an earlier run that nothing tells apart, and how many there were. */
export interface EarlierReply {
  readonly reply: string;
  readonly labels: TurnLabels;
  readonly count: number;
}

/** What a model counts, as a multiple of our estimate. */
export interface TokenScale {
  readonly input: number;
  readonly output: number;
  /** The mean output of a call. */
  readonly meanOutput: number;
}

/** So many conversations of a run are read, evenly spread. */
const MOST_CONVERSATIONS = 1_000;
/** So many calls of each model are compared with our estimate. */
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

/** What an earlier run says about replies, judges and models. */
export class EarlierReplies {
  readonly run: string;
  /** How many conversations were read. */
  conversations = 0;
  readonly #turns = new Map<string, SeenTurn[]>();
  readonly #models = new Map<string, SeenModel>();

  private constructor(run: string) {
    this.run = run;
  }

  /** Reads a run; of a large one, some of its conversations. */
  static read(store: Store, name: string): EarlierReplies {
    const { run, start, arms = 0 } = storedRun(store, name);
    const earlier = new EarlierReplies(run);
    const step = Math.max(1, Math.ceil((start.conversations + arms) / MOST_CONVERSATIONS));
    let position = 0;
    for (const { conversation } of store.conversations(run))
      if (position++ % step === 0) earlier.#add(store, conversation);
    return earlier;
  }

  #add(store: Store, conversation: string): void {
    this.conversations++;
    const events = [...store.events(this.run, conversation)];
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
          : answeredCall(store, this.run, identity);
      if (recorded === undefined || end.usage === undefined) continue;
      seen.compared++;
      seen.input += end.usage.inputTokens;
      seen.output += end.usage.outputTokens;
      seen.estimatedInput += estimateRequest(requestOf(recorded.request));
      seen.estimatedOutput += estimateTokens(recorded.reply.text);
    }
    const visits = new Map<string, number>();
    for (const turn of finishedTurns) {
      const visit = (visits.get(turn.node) ?? 0) + 1;
      visits.set(turn.node, visit);
      const seen = { subject: cell.subject, visit, turn, calls: calls.get(turn.turn) ?? 1 };
      memoize(this.#turns, placeKey(cell, turn.node), (): SeenTurn[] => []).push(seen);
    }
  }

  /** The replies at a visit of a node: those of the same subject, where it was asked; of any visit, if there are few. */
  replies(
    cell: Cell,
    { node, visit }: { readonly node: string; readonly visit: number },
    watched: WatchedTurn,
  ): readonly EarlierReply[] {
    const seen = this.#at(cell, node);
    const same = seen.filter((one) => one.visit === visit);
    const found = new Map<string, { reply: string; labels: TurnLabels; count: number }>();
    for (const { turn } of same.length >= ENOUGH ? same : seen) {
      const known = memoize(found, signatureOf(turn, watched), () => ({
        reply: turn.reply,
        labels: labelsOf(turn),
        count: 0,
      }));
      known.count++;
    }
    return [...found.values()];
  }

  replyTokens(cell: Cell, node: string): number | undefined {
    return this.#mean(cell, node, ({ turn }) => estimateTokens(turn.reply));
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
    for (const seen of this.#at(cell, node)) mean.add(value(seen));
    return mean.value;
  }

  #at(cell: Cell, node: string): readonly SeenTurn[] {
    const all = this.#turns.get(placeKey(cell, node)) ?? [];
    const own = all.filter(({ subject }) => subject === cell.subject);
    return own.length > 0 ? own : all;
  }
}

function placeKey({ scenario }: Pick<Cell, "scenario">, node: string): string {
  return JSON.stringify([scenario, node]);
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

/** A turn as if others had read its reply. */
function labelsOf({ parsed, verifyResult, notVerified, refused, rubric }: FinishedTurn): TurnLabels {
  return {
    parsed,
    ...(notVerified === true ? {} : { verifyResult }),
    ...(refused === null ? {} : { refused }),
    rubric,
  };
}

/** What something looks at of a turn: replies that differ in nothing else lead to the same. */
function signatureOf(turn: FinishedTurn, { refused, fields, traits }: WatchedTurn): string {
  const picked = (values: object, names: Iterable<string>): unknown =>
    [...names].map((name) => (values as Readonly<Record<string, unknown>>)[name] ?? null);
  return canonicalJson([
    turn.verifyResult,
    turn.notVerified ?? false,
    refused ? (turn.refused ?? null) : null,
    picked(turn.parsed, fields.keys()),
    picked(turn.rubric, traits.keys()),
  ]);
}
