import { memoize } from "../../../core/lazy.ts";
import { copyDefinition, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Cell } from "../../../engine/journal/run-event.ts";
import { type CellGroup, cellGroups } from "../../../engine/run/cell-source.ts";
import { armPlans } from "../../../engine/run/group-runner.ts";
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
  type Role,
  type Slots,
  type Spread,
  TURNS,
} from "./amounts.ts";
import { type CachedConversation, cachedConversation, type KnownAnswers } from "./cached-conversation.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { Forecast } from "./forecast.ts";
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

/** How many rows of a scenario are simulated; of more rows, each represents its neighbours. */
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
  readonly #longest = { least: 0, expected: 0, most: 0 };
  readonly #notes = new Set<string>();
  #cachedConversations = 0;
  #looked = 0;

  constructor(options: RunOptions, parts: SumOptions) {
    const { forecast, setup } = parts;
    this.#parts = parts;
    this.#slots = forecast.slots;
    // Without outcomes, fewer replies are distinguished.
    const definitions = list(options.scenarios).map((one) =>
      copyDefinition(withRubric(one, options.rubric).definition, { outcomes: [] }),
    );
    this.#scenarios = new Map(definitions.map((one) => [one.name, one]));
    this.#strides = new Map(
      setup.factors.scenarios.map(({ name, dataset }) => [
        name,
        Math.ceil((dataset?.count ?? 1) / MOST_ROWS),
      ]),
    );
    if ([...this.#strides.values()].some((stride) => stride > 1))
      this.#notes.add(
        `Of more than ${MOST_ROWS} rows of a scenario, ${MOST_ROWS} at even distances stand for all.`,
      );
    this.#all = this.#slots.spread();
    this.#made = this.#slots.spread();
    this.#cached = this.#slots.zero();
  }

  /** Cells that differ only in the judge share the calls of subject and simulator. */
  async add({ cells, row }: CellGroup): Promise<void> {
    const { isFinished, setup } = this.#parts;
    for (const [index, cell] of cells.entries()) {
      const isFirst = index === 0;
      const plan = setup.conversation(cell, row);
      if (isFinished?.(plan) === true) continue;
      if (this.#isLookedUp(cell))
        for (const walked of await this.#walkTree(plan)) await this.#addKnown(walked, { isFirst, row });
      else this.#addRest(await this.#fromStart(cell, row), { isFirst });
    }
  }

  /** False if nothing of a conversation can be known. */
  #isLookedUp({ subject }: Cell): boolean {
    const { setup, stores, mostCached = Number.POSITIVE_INFINITY } = this.#parts;
    const model = setup.context.subjects.get(subject)?.model;
    const hasStored = stores.some((store) => !("size" in store) || store.size !== 0);
    if (!hasStored && (model === undefined || !("simulate" in model))) return false;
    if (this.#looked < mostCached) return this.#looked++ >= 0;
    this.#notes.add(
      `Stored answers were looked for in ${mostCached} conversations only: the store may have more.`,
    );
    return false;
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
    { restart, calls, state, plan }: WalkedConversation,
    { isFirst, row }: { readonly isFirst: boolean; readonly row: JsonObject | undefined },
  ): Promise<void> {
    const isFromStart = restart?.turn === 1 && plan.from === undefined && calls.length === 0;
    if (isFromStart) return this.#addRest(await this.#fromStart(plan.cell, row), { isFirst });
    const before = plan.from === undefined ? 0 : plan.from.fork.turn;
    const turns = restart === undefined ? (state.turns?.length ?? 0) : restart.turn - 1;
    const later = this.#slots.zero();
    const simulated = this.#slots.zero();
    for (const { slot, turn, isSimulated } of calls) {
      if (!isFirst && isShared(slot.role)) continue;
      const isLater = restart !== undefined && turn >= restart.turn;
      const call = { calls: 1, input: 0, output: 0 };
      if (!isSimulated) addCalls(this.#cached, slot, call);
      if (isSimulated !== isLater) addCalls(isLater ? later : simulated, slot, call);
    }
    for (const key of KEYS) {
      addAt(this.#all[key], CONVERSATIONS, 1);
      addAt(this.#all[key], TURNS, turns - before);
      addAmounts(this.#made[key], simulated);
    }
    if (restart !== undefined) {
      const simulation = await this.#simulation(plan.cell, row);
      this.#addRest(await simulation.from(restart), { isFirst, later });
    } else if (calls.length > 0 && calls.every(({ isSimulated }) => !isSimulated))
      this.#cachedConversations++;
  }

  /** Adds what is still to be done, without calls after the first missing one whose answers are stored. */
  #addRest(
    rest: SimulatedAmounts,
    { isFirst, later }: { readonly isFirst: boolean; readonly later?: Amounts },
  ): void {
    if (!rest.isExact)
      this.#notes.add(
        "Conversations branch too often to follow every reply: expected numbers are estimated from some of them, and bounds may be wider.",
      );
    for (const key of KEYS) {
      for (const at of [CONVERSATIONS, TURNS]) addAt(this.#all[key], at, rest[key][at] ?? 0);
      this.#longest[key] = Math.max(this.#longest[key], rest[key][MILLISECONDS] ?? 0);
      const left = Float64Array.from(rest[key]);
      for (const { role, at } of this.#slots.all) {
        const calls = left[at] ?? 0;
        // Conversations that take the same path share what they ask; at most, they all take different ones.
        const isMadeBefore = !isFirst && isShared(role) && key !== "most";
        const made = isMadeBefore ? 0 : Math.max(0, calls - (later?.[at] ?? 0));
        const share = calls === 0 ? 0 : made / calls;
        for (let index = at; index < at + 3; index++) left[index] = (left[index] ?? 0) * share;
      }
      addAmounts(this.#made[key], left);
    }
  }

  /** What a whole conversation takes. */
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
    return {
      all: this.#all,
      made: this.#made,
      cached: this.#cached,
      cachedConversations: this.#cachedConversations,
      longest: this.#longest,
      notes: [...this.#notes],
    };
  }
}

interface WalkedConversation extends CachedConversation {
  readonly plan: ConversationPlan;
}

function isShared(role: Role): boolean {
  return role === "subject" || role === "simulator";
}
