import { DEFAULTS, SELF_JUDGE } from "../../../core/defaults.ts";
import { memoize } from "../../../core/lazy.ts";
import type { Retried, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { systemClock } from "../../../engine/run/calls/clock.ts";
import type { Prices } from "../../../engine/run/calls/prices.ts";
import { earlierRun, startedWith } from "../../../engine/run/earlier-run.ts";
import { list, type RunOptions, validateOptions } from "../../../engine/run/run-options.ts";
import { pricesFor, type RunSetup, setUpRun } from "../../../engine/run/set-up-run.ts";
import {
  type AmountSpread,
  CONVERSATIONS,
  MILLISECONDS,
  type Role,
  type Slot,
  Slots,
  type Spread,
  spreadAt,
  TURNS,
} from "./amounts.ts";
import { DEFAULT_ASSUMPTIONS, type PlanAssumptions } from "./assumptions.ts";
import type { KnownStore } from "./cached-conversation.ts";
import { EarlierReplies } from "./earlier-replies.ts";
import { Forecast } from "./forecast.ts";
import { type IsFinished, type PlannedSums, plannedSums } from "./planned-sums.ts";

/** What one model will be asked for in one role. */
export interface PlannedModel {
  readonly role: Role;
  readonly model: string;
  /** Calls that will be made. */
  readonly calls: Spread;
  /** Calls whose answers the store has: they are not made. Exact. */
  readonly cached: number;
  readonly inputTokens: Spread;
  readonly outputTokens: Spread;
  /** In USD; null if its price is not known. */
  readonly cost: Spread | null;
}

/** The sums of a run, in one number each. */
export interface PlannedTotal {
  readonly turns: number;
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
}

/** What a run will take. */
export interface RunPlan {
  /** With the arms of forks. */
  readonly conversations: Spread;
  readonly turns: Spread;
  /** Calls that will be made. */
  readonly calls: Spread;
  readonly cached: {
    /** Calls whose answers the store has. */
    readonly calls: number;
    /** Conversations that need no call at all. */
    readonly conversations: number;
  };
  /** Input and output together. */
  readonly tokens: Spread;
  /** In USD; without what has no known price. */
  readonly cost: Spread;
  /** Models whose price is not known: their cost is left out. */
  readonly unpriced: readonly string[];
  readonly models: readonly PlannedModel[];
  /** True if each subject's own model reads what rules leave. */
  readonly judgesItself: boolean;
  /** About how long it takes, in milliseconds, with the limits of concurrency and rate that are set. */
  readonly milliseconds: Spread;
  /** What was assumed where nothing else is known. */
  readonly assumptions: PlanAssumptions;
  /** The earlier runs that say more; null if there are none. */
  readonly from: { readonly runs: readonly string[]; readonly conversations: number } | null;
  /** What is expected if every verified reply is right, and if every one is wrong; null if it is known how likely that is. */
  readonly extremes: { readonly right: PlannedTotal; readonly wrong: PlannedTotal } | null;
  /** What the numbers leave out or stand for, in sentences. */
  readonly notes: readonly string[];
}

/** How a run is planned. */
export interface PlanOptions {
  /** What is assumed of replies; it goes before what an earlier run says. */
  readonly assumptions?: Partial<PlanAssumptions>;
  /**
   * An earlier run in the store, for how replies are, how long, and what models count (default: the latest runs of the same scenarios
   * and subjects, if there are some; null: none).
   */
  readonly from?: string | null;
  /** A run in the store that is resumed, and what is done again in it: what is finished is not planned. */
  readonly resumes?: Retried & { readonly run: string };
  /** False to leave out what is expected if all replies are right, or wrong (default true). */
  readonly extremes?: boolean;
  /** At most so many conversations are looked for in the store; beyond that, the number of cached calls is a lower bound (default: no limit). */
  readonly mostCached?: number;
}

/**
 * Says what a run with these options will take, without a call: conversations, turns, calls, tokens, money and time, and what the store
 * has already. No key is needed.
 *
 * @example
 * const { calls, cost } = await planRun({ scenarios, subjects: "openai/gpt-5-mini", replicates: 5 });
 */
export async function planRun(asked: RunOptions, plan: PlanOptions = {}): Promise<RunPlan> {
  validateOptions(asked);
  const begun = resumedRun(asked.store, plan.resumes);
  const options: RunOptions = { ...begun?.options, ...asked };
  // Tools are not started for a plan.
  const { tools, store, ...rest } = options;
  const hasTools = tools !== undefined && Object.keys(tools).length > 0;
  const setup = await setUpRun(rest, { ...HOOKS, isResumed: begun !== undefined });
  try {
    const { context } = setup;
    const slots = new Slots(modelsByRole(setup));
    const given = plan.assumptions ?? {};
    const earlier = store === undefined ? undefined : earlierIn(store, setup, options, plan.from);
    const ownCalls = begun === undefined ? undefined : store?.callsOf(begun.run);
    const own: readonly KnownStore[] =
      ownCalls === undefined ? [] : [{ find: (identity) => ownCalls.find(identity), isOwn: true }];
    const others = options.fresh === true ? [] : storesOf(store, options.useCalls);
    const stores = hasTools ? [] : [...own, ...others];
    const prices = await pricesFor(rest, context);
    const planned = async (stated: Partial<PlanAssumptions>): Promise<RunPlan> => {
      const assumptions = { ...DEFAULT_ASSUMPTIONS, ...stated };
      const forecast = new Forecast({ run: context, slots, assumptions, given: stated, hasTools, earlier });
      const { mostCached } = plan;
      const isFinished = begun?.isFinished;
      const sums = await plannedSums(options, { setup, forecast, stores, mostCached, isFinished });
      return summary(sums, { run: context, options, slots, prices, forecast, earlier, hasTools });
    };
    const found = await planned(given);
    const isKnown = given.right !== undefined || earlier !== undefined;
    if (plan.extremes === false || isKnown || found.turns.least === found.turns.most) return found;
    const [right, wrong] = [await planned({ ...given, right: 1 }), await planned({ ...given, right: 0 })];
    return { ...found, extremes: { right: totalOf(right), wrong: totalOf(wrong) } };
  } finally {
    await setup.close();
  }
}

const HOOKS = {
  clock: systemClock,
  keyless: true,
  emit: () => {},
  durable: () => undefined,
  fail: (error: unknown) => {
    throw error;
  },
} as const;

/** What a run that is resumed was started with, and which of its conversations stay as they are. */
function resumedRun(
  store: Store | undefined,
  resumes: PlanOptions["resumes"],
):
  | { readonly run: string; readonly options: Partial<RunOptions>; readonly isFinished: IsFinished }
  | undefined {
  if (resumes === undefined || store === undefined) return undefined;
  const { retryErrors = false, retryUnreadable = false } = resumes;
  const { run, start } = storedRun(store, resumes.run);
  const earlier = earlierRun(store, run, { retryErrors, retryUnreadable });
  return {
    run,
    options: startedWith(start),
    isFinished: (plan) => earlier.isFinished(plan),
  };
}

function earlierIn(
  store: Store,
  { context }: RunSetup,
  { scenarios }: RunOptions,
  from: string | null | undefined,
): EarlierReplies | undefined {
  if (from === null) return undefined;
  if (from !== undefined) return EarlierReplies.read(store, [from]);
  return EarlierReplies.find(store, list(scenarios), [...context.subjects.keys()]);
}

function totalOf({ turns, calls, tokens, cost }: RunPlan): PlannedTotal {
  return { turns: turns.expected, calls: calls.expected, tokens: tokens.expected, cost: cost.expected };
}

function storesOf(
  store: Store | undefined,
  useCalls: readonly string[] = [],
): Parameters<typeof plannedSums>[1]["stores"] {
  if (store === undefined) return [];
  return [store.calls, ...useCalls.map((name) => store.callsOf(storedRun(store, name).run))];
}

function modelsByRole({ context }: RunSetup): ConstructorParameters<typeof Slots>[0] {
  const { subjects, judges, overrides, simulator, simulators, embedder } = context;
  return {
    subject: [...subjects.values(), ...overrides.subjects.values()].map(({ model }) => model),
    judge: [...judges.values(), ...overrides.judges.values()].flatMap(({ models }) => models),
    simulator: [...(simulator === null ? [] : [simulator]), ...simulators.values()],
    embedder: embedder === null ? [] : [embedder],
  };
}

interface Summed {
  readonly run: RunSetup["context"];
  readonly options: RunOptions;
  readonly slots: Slots;
  readonly prices: Prices;
  readonly forecast: Forecast;
  readonly earlier: EarlierReplies | undefined;
  readonly hasTools: boolean;
}

function summary(
  sums: PlannedSums,
  { run, options, slots, prices, forecast, earlier, hasTools }: Summed,
): RunPlan {
  const { made, all, cached } = sums;
  const models = slots.all.map((slot): PlannedModel => {
    const { role, model, at } = slot;
    const calls = spreadAt(made, at);
    return {
      role,
      model: model.name,
      calls,
      cached: cached[at] ?? 0,
      inputTokens: spreadAt(made, at + 1),
      outputTokens: spreadAt(made, at + 2),
      cost: prices.isKnown(model) ? costOf(prices, slot, made) : null,
    };
  });
  const asked = models.filter(({ calls, cached: known }) => calls.most > 0 || known > 0);
  const unpriced = [...new Set(asked.filter(({ cost }) => cost === null).map(({ model }) => model))];
  return {
    conversations: spreadAt(all, CONVERSATIONS),
    turns: spreadAt(all, TURNS),
    calls: total(asked.map(({ calls }) => calls)),
    cached: {
      calls: asked.reduce((sum, model) => sum + model.cached, 0),
      conversations: sums.cachedConversations,
    },
    tokens: total(asked.flatMap(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])),
    cost: total(asked.flatMap(({ cost }) => cost ?? [])),
    unpriced,
    models: asked,
    judgesItself: run.judges.has(SELF_JUDGE) && asked.some(({ role }) => role === "judge"),
    milliseconds: timeOf(sums, options, forecast),
    assumptions: forecast.assumptions,
    from: earlier === undefined ? null : { runs: earlier.runs, conversations: earlier.conversations },
    extremes: null,
    notes: [...sums.notes, ...(hasTools ? [TOOLS_NOTE] : [])],
  };
}

const TOOLS_NOTE =
  "Tools are not started for a plan: their texts, and what the store has of turns with tools, are not counted.";

function total(spreads: readonly Spread[]): Spread {
  const sum = (key: keyof Spread): number => spreads.reduce((all, spread) => all + spread[key], 0);
  return { least: sum("least"), expected: sum("expected"), most: sum("most") };
}

/** The price of a mean call times the number of calls: some prices depend on the size of a call. */
function costOf(prices: Prices, { model, at }: Slot, made: AmountSpread): Spread {
  const cost = (key: keyof AmountSpread): number => {
    const [calls = 0, input = 0, output = 0] = made[key].subarray(at, at + 3);
    if (calls === 0) return 0;
    return calls * (prices.cost(model, { inputTokens: input / calls, outputTokens: output / calls }) ?? 0);
  };
  return { least: cost("least"), expected: cost("expected"), most: cost("most") };
}

/** Conversations run side by side, as many as the run allows; an account may allow fewer calls at a time, or in a second. */
function timeOf(
  { made, all, longest }: PlannedSums,
  { concurrency = DEFAULTS.concurrency, caps = {} }: RunOptions,
  forecast: Forecast,
): Spread {
  const time = (key: keyof Spread): number => {
    const [conversations, serial] = [all[key][CONVERSATIONS] ?? 0, made[key][MILLISECONDS] ?? 0];
    const workers = Math.max(1, Math.min(concurrency, conversations));
    const accounts = new Map<string, { calls: number; busy: number }>();
    for (const slot of forecast.slots.all) {
      const [calls = 0, , output = 0] = made[key].subarray(slot.at, slot.at + 3);
      const account = memoize(accounts, slot.model.account, () => ({ calls: 0, busy: 0 }));
      account.calls += calls;
      account.busy += calls === 0 ? 0 : calls * forecast.latency(slot, output / calls);
    }
    const limited = [...accounts].map(([account, { calls, busy }]) => {
      const { maxConcurrency, requestsPerSecond } = caps[account] ?? caps[account.split(" ")[0] ?? ""] ?? {};
      const byRate = requestsPerSecond === undefined ? 0 : (1000 * calls) / requestsPerSecond;
      return Math.max(byRate, maxConcurrency === undefined ? 0 : busy / maxConcurrency);
    });
    return Math.max(serial / workers, longest[key], ...limited);
  };
  return { least: time("least"), expected: time("expected"), most: time("most") };
}
