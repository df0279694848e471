import { memoize } from "../../../core/lazy.ts";
import { copyDefinition, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Cell } from "../../../engine/journal/run-event.ts";
import { type CellGroup, cellGroups } from "../../../engine/run/cell-source.ts";
import { armPlans } from "../../../engine/run/fork-plans.ts";
import { boundScenario, withRubric } from "../../../engine/run/prepare-scenario.ts";
import type { ConversationPlan } from "../../../engine/run/run-context.ts";
import { list, type RunOptions } from "../../../engine/run/run-options.ts";
import type { RunSetup } from "../../../engine/run/set-up-run.ts";
import {
  type AmountSpread,
  type Amounts,
  addAmounts,
  addAt,
  addCalls,
  CONVERSATIONS,
  KEYS,
  MILLISECONDS,
  type Slots,
  type Spread,
  spreadOf,
  TURNS,
} from "./amounts.ts";
import { type CachedConversation, cachedConversation, type KnownAnswers } from "./cached-conversation.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { Forecast } from "./forecast.ts";
import { RowSizes } from "./row-sizes.ts";
import { ScenarioSimulation, type SimulatedAmounts } from "./simulate-scenario.ts";

/** Sums over all conversations of a run. */
export interface PlannedSums {
  /** Conversations and turns, cached or not. */
  readonly all: AmountSpread;
  /** What is still to be done: calls that no stored answer saves. */
  readonly made: AmountSpread;
  /** Calls whose answers are stored, by slot. */
  readonly cached: Amounts;
  readonly cachedConversations: number;
  /** How long the longest conversation takes, in milliseconds. */
  readonly longest: Spread;
  readonly notes: readonly string[];
}

/** Says of a conversation whether nothing is left to do in it. */
export type IsFinished = (plan: ConversationPlan) => boolean;

/** What sums are computed from. */
interface SumOptions {
  /** In a run that is resumed. */
  readonly isFinished?: IsFinished | undefined;
  readonly setup: RunSetup;
  readonly forecast: Forecast;
  readonly stores: KnownAnswers["stores"];
  /** How many conversations are looked up in the store. */
  readonly mostCached?: number | undefined;
}

/** How many rows of a scenario are walked; of more rows, each represents its neighbours. */
const MOST_ROWS = 50;

/** Sums what every conversation of a run will take, from where stored answers end. */
export async function plannedSums(options: RunOptions, parts: SumOptions): Promise<PlannedSums> {
  const sums = new RunSums(options, parts);
  try {
    for await (const group of cellGroups(parts.setup.factors)) await sums.add(group);
    return sums.result();
  } finally {
    sums.close();
  }
}

class RunSums {
  readonly #parts: SumOptions;
  readonly #slots: Slots;
  readonly #scenarios: ReadonlyMap<string, ScenarioDefinition>;
  /** How many rows one row represents. */
  readonly #strides: ReadonlyMap<string, number>;
  readonly #simulations = new Map<string, Promise<ScenarioSimulation>>();
  readonly #opened: ScenarioSimulation[] = [];
  readonly #starts = new Map<string, Promise<SimulatedAmounts>>();
  readonly #all: AmountSpread;
  readonly #made: AmountSpread;
  readonly #cached: Amounts;
  /** Of scenarios with more rows than are walked. */
  readonly #sizes: ReadonlyMap<string, RowSizes>;
  /** The size of the row that a result was computed for. */
  readonly #sizeOf = new Map<SimulatedAmounts, number>();
  readonly #longest = { least: 0, expected: 0, most: 0 };
  readonly #notes = new Set<string>();
  #cachedConversations = 0;
  #looked = 0;

  constructor(options: RunOptions, parts: SumOptions) {
    this.#parts = parts;
    const { slots } = parts.forecast;
    this.#slots = slots;
    // Without outcomes, there are fewer different states.
    const definitions = list(options.scenarios).map((one) =>
      copyDefinition(withRubric(one, options.rubric).definition, { outcomes: [] }),
    );
    this.#scenarios = new Map(definitions.map((one) => [one.name, one]));
    const { scenarios } = parts.setup.factors;
    this.#strides = new Map(
      scenarios.map(({ name, dataset }) => [name, Math.ceil((dataset?.count ?? 1) / MOST_ROWS)]),
    );
    this.#sizes = new Map(
      definitions.flatMap((one) =>
        (this.#strides.get(one.name) ?? 1) > 1 ? [[one.name, new RowSizes(one)] as const] : [],
      ),
    );
    this.#all = spreadOf(slots);
    this.#made = spreadOf(slots);
    this.#cached = slots.zero();
  }

  /** Cells that differ only in the judge share the calls of subject and simulator. */
  async add({ cells, row }: CellGroup): Promise<void> {
    const { isFinished, setup } = this.#parts;
    for (const [index, cell] of cells.entries()) {
      if (isFinished?.(setup.conversation(cell, row)) === true) continue;
      const known = await this.#walk(cell, row);
      if (known === undefined) this.#addRest(await this.#whole(cell, row, index), { index });
      else await this.#addKnown(known, { index, row });
    }
  }

  /** Undefined if nothing of the conversation can be known. */
  async #walk(cell: Cell, row: JsonObject | undefined): Promise<readonly WalkedConversation[] | undefined> {
    const { setup, stores, mostCached = Number.POSITIVE_INFINITY } = this.#parts;
    const subject = setup.context.subjects.get(cell.subject);
    const isSimulated = subject !== undefined && "simulate" in subject.model;
    const hasStored = stores.some((store) => !("size" in store) || store.size !== 0);
    if (!hasStored && !isSimulated) return undefined;
    if (this.#looked >= mostCached) {
      this.#notes.add(
        `Stored answers were looked for in ${mostCached} conversations only: the store may have more.`,
      );
      return undefined;
    }
    this.#looked++;
    return this.#walkTree(setup.conversation(cell, row));
  }

  async #walkTree(plan: ConversationPlan): Promise<readonly WalkedConversation[]> {
    const { setup, stores } = this.#parts;
    const walked = await cachedConversation(setup.context, plan, { slots: this.#slots, stores });
    const found: WalkedConversation[] = [{ ...walked, plan }];
    for (const arm of armPlans(plan, walked.state, setup.start.conversations))
      found.push(...(await this.#walkTree(arm)));
    return found;
  }

  async #addKnown(
    conversations: readonly WalkedConversation[],
    { index, row }: { readonly index: number; readonly row: JsonObject | undefined },
  ): Promise<void> {
    for (const { restart, calls, state, plan } of conversations) {
      const before = plan.from === undefined ? 0 : plan.from.fork.turn;
      const isFromStart = restart?.turn === 1 && plan.from === undefined && calls.length === 0;
      const turns = restart === undefined ? (state.turns?.length ?? 0) - before : restart.turn - 1 - before;
      const later = this.#slots.zero();
      const simulated = this.#slots.zero();
      for (const { slot, turn, isSimulated } of calls) {
        if (index > 0 && isShared(slot.role)) continue;
        const isLater = restart !== undefined && turn >= restart.turn;
        const call = { calls: 1, input: 0, output: 0 };
        if (isSimulated && !isLater) addCalls(simulated, slot, call);
        if (!isSimulated) addCalls(this.#cached, slot, call);
        if (!isSimulated && isLater) addCalls(later, slot, call);
      }
      for (const key of KEYS) {
        addAt(this.#all[key], CONVERSATIONS, isFromStart ? 0 : 1);
        addAt(this.#all[key], TURNS, turns);
        addAmounts(this.#made[key], simulated);
      }
      if (restart === undefined) {
        if (calls.length > 0 && calls.every(({ isSimulated }) => !isSimulated)) this.#cachedConversations++;
        continue;
      }
      const rest = isFromStart
        ? await this.#fromStart(plan.cell, row)
        : await (await this.#simulation(plan.cell, row)).from(restart);
      this.#addRest(rest, { index, later });
    }
  }

  /** Adds what is still to be done, without calls after the first missing one whose answers are stored. */
  #addRest(
    rest: SimulatedAmounts,
    { index, later }: { readonly index: number; readonly later?: Amounts },
  ): void {
    if (!rest.isExact)
      this.#notes.add(
        "Conversations branch too often to follow every reply: expected numbers are estimated from some of them, and bounds may be wider.",
      );
    const own = index > 0 ? withoutShared(rest, this.#slots) : rest;
    for (const key of KEYS) {
      for (const at of [CONVERSATIONS, TURNS]) addAt(this.#all[key], at, rest[key][at] ?? 0);
      addAmounts(
        this.#made[key],
        later === undefined ? own[key] : withoutCalls(own[key], later, this.#slots),
      );
      this.#longest[key] = Math.max(this.#longest[key], rest[key][MILLISECONDS] ?? 0);
    }
  }

  /** What a whole conversation takes. Notes by how much its row is longer than the row that represents it. */
  async #whole(cell: Cell, row: JsonObject | undefined, index: number): Promise<SimulatedAmounts> {
    const result = await this.#fromStart(cell, row);
    const sizes = this.#sizes.get(cell.scenario);
    if (row === undefined || sizes === undefined) return result;
    const size = sizes.of(row);
    const { scenario, variant, subject, judge } = cell;
    const group = JSON.stringify([scenario, variant, subject, judge]);
    const known = this.#sizeOf.get(result);
    if (known === undefined) {
      this.#sizeOf.set(result, size);
      sizes.addWalked(group, size, index > 0 ? withoutShared(result, this.#slots) : result);
    } else sizes.addRepresented(group, size - known);
    return result;
  }

  #fromStart(cell: Cell, row: JsonObject | undefined): Promise<SimulatedAmounts> {
    const { subject, judge } = cell;
    return memoize(this.#starts, JSON.stringify([...this.#place(cell), subject, judge]), async () => {
      const simulation = await this.#simulation(cell, row);
      const { settings } = this.#parts.setup.conversation(cell, row);
      return simulation.fromStart({ cell, settings });
    });
  }

  #simulation(cell: Cell, row: JsonObject | undefined): Promise<ScenarioSimulation> {
    return memoize(this.#simulations, JSON.stringify(this.#place(cell)), async () => {
      // Cells name scenarios of the run.
      const definition = this.#scenarios.get(cell.scenario) as ScenarioDefinition;
      const bound = boundScenario(definition, row, cell.variant);
      const simulation = await ScenarioSimulation.open(bound, this.#parts.forecast);
      this.#opened.push(simulation);
      for (const place of simulation.unknown)
        this.#notes.add(
          `It is not known what ${place} in scenario "${cell.scenario}" does: each way is taken as equally likely.`,
        );
      return simulation;
    });
  }

  /** Conversations at the same place have the same simulation. */
  #place({ scenario, rowIndex = 0, variant }: Cell): readonly unknown[] {
    const stride = this.#strides.get(scenario) ?? 1;
    return [scenario, Math.floor(rowIndex / stride), variant ?? null];
  }

  close(): void {
    for (const simulation of this.#opened) simulation.close();
  }

  result(): PlannedSums {
    const { forecast } = this.#parts;
    const { embedder } = forecast.run;
    if (embedder !== null)
      for (const truth of forecast.truths) {
        const slot = this.#slots.of("embedder", embedder);
        const call = forecast.call(slot, { input: estimateTokens(truth), output: 0 });
        for (const key of KEYS) addCalls(this.#made[key], slot, call);
      }
    for (const sizes of this.#sizes.values()) sizes.correct(this.#made, this.#slots);
    const rows = this.#sizes.size > 0;
    return {
      all: this.#all,
      made: this.#made,
      cached: this.#cached,
      cachedConversations: this.#cachedConversations,
      longest: this.#longest,
      notes: [
        ...this.#notes,
        ...(rows
          ? [
              `Of more than ${MOST_ROWS} rows of a scenario, ${MOST_ROWS} stand for all; tokens are corrected by the lengths of the others.`,
            ]
          : []),
      ],
    };
  }
}

interface WalkedConversation extends CachedConversation {
  readonly plan: ConversationPlan;
}

function isShared(role: string): boolean {
  return role === "subject" || role === "simulator";
}

/** Conversations that take the same path share what they ask; at most, they all take different ones. */
function withoutShared({ least, expected, most }: AmountSpread, slots: Slots): AmountSpread {
  const own = (amounts: Amounts): Amounts => {
    const copy = Float64Array.from(amounts);
    for (const { role, at } of slots.all) if (isShared(role)) copy.fill(0, at, at + 3);
    return copy;
  };
  return { least: own(least), expected: own(expected), most };
}

function withoutCalls(amounts: Amounts, known: Amounts, slots: Slots): Amounts {
  const left = Float64Array.from(amounts);
  for (const { at } of slots.all) {
    const calls = left[at] ?? 0;
    const share = calls === 0 ? 0 : Math.max(0, calls - (known[at] ?? 0)) / calls;
    for (let index = at; index < at + 3; index++) left[index] = (left[index] ?? 0) * share;
  }
  return left;
}
