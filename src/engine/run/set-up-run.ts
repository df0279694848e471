import { DEFAULTS } from "../../core/defaults.ts";
import type { Clock } from "../../core/environment.ts";
import { lazy, memoize } from "../../core/lazy.ts";
import { Rng } from "../../core/rng.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { rowName } from "../../core/scenario/row-name.ts";
import { factorsOf, type Variant, variantCells } from "../../core/scenario/variants.ts";
import { nearestOf } from "../../core/schema/nearest-name.ts";
import { sha256 } from "../../core/values/hash.ts";
import { canonicalJson, type JsonObject, withoutUndefined } from "../../core/values/json.ts";
import { maskSecretsIn } from "../../system/secrets/mask-secrets.ts";
import { redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { RunError } from "../journal/failure.ts";
import { JudgeTally } from "../journal/judge-health.ts";
import type { Cell, ConversationSettings, RunEventBody, RunStart, Warning } from "../journal/run-event.ts";
import type { Store } from "../journal/store/store.ts";
import { storedRun } from "../journal/transfer/stored-run.ts";
import { openToolServers } from "../models/tools/tool-servers.ts";
import { Budget, type CallBudget } from "./calls/budget.ts";
import { type AnyModel, type BorrowedCalls, CallCache } from "./calls/call-cache.ts";
import { Caller } from "./calls/caller.ts";
import { Limits } from "./calls/limits.ts";
import { loadPrices, type Prices, requirePrices } from "./calls/prices.ts";
import { countCells, type Factors, type ScenarioFactors } from "./cell-source.ts";
import { runStart } from "./describe-run.ts";
import { judgeOf } from "./judge-reply.ts";
import { ofLatestRow, rowValues } from "./open-rows.ts";
import { type PreparedScenario, prepareScenario } from "./prepare-scenario.ts";
import {
  refuseDrafts,
  refuseSameNames,
  requireEmbedder,
  requireJudge,
  requireSimulator,
  unreadText,
} from "./required-models.ts";
import { type ResolvedModels, resolveModels, subjectOrJudgeOfRun } from "./resolve-models.ts";
import type { ConversationPlan, RunContext } from "./run-context.ts";
import { list, type RunInternals, type RunOptions } from "./run-options.ts";
import { shardCells } from "./shard-cells.ts";
import { looksAtRefusal } from "./step/node-plan.ts";
import { Workspaces } from "./workspaces.ts";

/** A run that is ready to start. */
export interface RunSetup {
  readonly context: RunContext;
  readonly caller: Caller;
  readonly factors: Factors;
  readonly start: RunStart;
  /** How many conversations the run has, without arms; of a shard, those of the whole run. */
  readonly conversations: number;
  readonly warnings: readonly Warning[];
  /** The hash of what a scenario uses of a row. */
  itemHash(scenario: string, row: JsonObject): string;
  /** The plan of a conversation, with the values of its row. */
  conversation(cell: Cell, row?: JsonObject): ConversationPlan;
  close(): Promise<void>;
}

/** What a run gets from its driver. */
interface RunHooks {
  readonly clock: Clock;
  readonly origin?: RunInternals["origin"];
  readonly parent?: RunInternals["parent"] | undefined;
  /** How many conversations exist already; undefined if they are combined. */
  readonly given?: number | undefined;
  /** The run as it was begun by another process: its rows come with its conversations, and are not read here. */
  readonly joined?: RunStart | undefined;
  /** What keeps the calls within limits, if other processes make calls of the run, too. */
  readonly budget?: CallBudget | undefined;
  /** True if the run was started before: what it was started with is not questioned. */
  readonly isResumed?: boolean;
  /** True if no model will be asked: then no key is needed. */
  readonly keyless?: boolean;
  readonly emit: (event: RunEventBody) => void;
  /** See `RunJournal`. */
  readonly durable: () => Promise<void> | undefined;
  readonly fail: (error: unknown) => void;
}

/** Resolves models, prepares scenarios and opens what conversations share. What is wrong with the options is reported here, before the first call. */
export async function setUpRun(options: RunOptions, hooks: RunHooks): Promise<RunSetup> {
  const { clock, emit, durable, fail } = hooks;
  const {
    seed = DEFAULTS.seed,
    timeouts = {},
    budget = {},
    tools,
    store,
    replay,
    toolSteps = DEFAULTS.toolSteps,
    earlierTurns = DEFAULTS.earlierTurns,
  } = options;
  const scenarios = list(options.scenarios);
  const models = await resolveModels(hooks.keyless ? { ...options, keyless: true } : options);
  refuseSameNames(scenarios);
  const { joined } = hooks;
  if (!hooks.isResumed) {
    refuseDrafts(options);
    requireJudge(options, models);
  }
  requireEmbedder(options);
  if (hooks.given === undefined && hooks.parent === undefined) requireSimulator(options);
  const prices = await pricesFor(options, models);
  const { environment } = options;
  const servers = tools === undefined ? null : openToolServers(tools, withoutUndefined({ environment }));
  const workspaces = new Workspaces(options.workspace);
  const prepared = await prepareAll(options, seed, joined === undefined);
  const all: Factors = {
    scenarios: scenarios.map((definition) => scenarioFactors(definition, prepared.get(definition.name))),
    subjects: [...models.subjects.keys()],
    judges: [...models.judges.keys()],
    replicates: options.replicates ?? DEFAULTS.replicates,
    seed,
    ...withoutUndefined({ wanted: options.variant }),
  };
  refuseUnknownLevels(scenarios, options.variant);
  const counted = hooks.given === undefined ? await countCells(all) : hooks.given * all.judges.length;
  const conversations = joined?.conversations ?? counted;
  if (conversations === 0)
    throw new RunError(["No conversation has these levels. Check the filter of variants."]);
  const { shard } = options;
  const part = shard === undefined || hooks.given !== undefined ? undefined : await shardCells(all, shard);
  const factors: Factors = part === undefined ? all : { ...all, shard: part };
  const settingsOf = new Map<string, ConversationSettings>();
  const valuesOf = ofLatestRow(rowValues);
  const unread = hooks.parent === undefined ? unreadText(options, models) : null;
  const start = runStart(options, {
    factors,
    models,
    clock,
    seed,
    conversations: part?.size ?? conversations,
    whole: part?.whole,
    isRecorded: hooks.given !== undefined,
    origin: hooks.origin,
  });
  const caller = new Caller({
    limits: new Limits({
      clock,
      random: (key) => new Rng(`${seed} ${key}`).next(),
      retries: options.retries,
      caps: { person: { maxConcurrency: 1 }, ...options.caps },
      patience: {
        ms: options.patienceMs ?? DEFAULTS.patienceMs,
        isChosen: options.patienceMs !== undefined,
      },
      onOutage: (report) => emit({ type: "outage", ...maskSecretsIn(report) }),
    }),
    budget: hooks.budget ?? new Budget(budget),
    prices,
    clock,
    cache:
      store === undefined || replay !== undefined
        ? null
        : new CallCache(store.calls, {
            isFresh: options.fresh ?? false,
            own: lazy(() => store.callsOf(start.run)),
            borrowed: borrowedCalls(store, options, { run: start.run, parent: hooks.parent }),
            fail,
          }),
    run: start.run,
    callTimeoutMs: timeouts.callMs === undefined ? DEFAULTS.callTimeoutMs : timeouts.callMs,
    emit,
  });
  const context: RunContext = {
    ...models,
    truthVectors: new Map(),
    caller,
    clock,
    seed,
    timeouts,
    earlierTurns,
    retriesUnreadable: options.retryUnreadable ?? false,
    judging: new JudgeTally(),
    tools: servers,
    toolSteps,
    workspace: (conversation) => workspaces.folder(conversation),
    headersOf: options.observer?.headersOf?.bind(options.observer),
    emit,
    durable,
    fail,
  };
  return {
    context,
    caller,
    factors,
    start,
    conversations,
    warnings: [
      ...(unread === null ? [] : [{ type: "warning", code: "unread", message: unread } as const]),
      ...[...prepared.values()].flatMap(({ warnings }) =>
        warnings.map((message) => ({ type: "warning", code: "rubric", message }) as const),
      ),
      ...(tools === undefined ? idleFilters(scenarios) : []),
    ],
    // Only scenarios that were prepared have rows.
    itemHash: (scenario, row) => (prepared.get(scenario) as PreparedScenario).itemHash(row),
    conversation: (cell, row) => {
      const { scenario, variant } = cell;
      // Cells name only scenarios that were prepared.
      const { sources, definition: definitionOf, itemHash } = prepared.get(scenario) as PreparedScenario;
      const definition = definitionOf(row, variant);
      const { subject, judge } = cell;
      const settings = memoize(settingsOf, JSON.stringify([scenario, subject, judge]), () =>
        conversationSettings(options, { cell, models, definition }),
      );
      const run = sources === undefined ? {} : { sources: sources(cell) };
      const values = row === undefined ? {} : { itemHash: itemHash(row), rowValues: valuesOf(row) };
      const named =
        row === undefined ? cell : { ...cell, rowName: redactSecrets(rowName(definition, cell.row, row)) };
      return { conversation: conversationId(cell), cell: named, definition, settings, ...values, ...run };
    },
    async close() {
      for (const { dispose } of prepared.values()) dispose();
      await Promise.all([
        servers?.close(),
        workspaces.close(),
        ...allModels(models).map((model) => model.close?.()),
      ]);
    },
  };
}

/** Warnings of tool filters in a run without tools. */
function idleFilters(scenarios: readonly ScenarioDefinition[]): readonly Warning[] {
  return scenarios.flatMap(({ name, nodes }) => {
    const node = Object.keys(nodes).find((id) => nodes[id]?.toolFilter !== undefined);
    const message = `In scenario "${name}", node "${node}" has a toolFilter, but the run has no tools: it removes nothing. Give the run tools (\`tools\`).`;
    return node === undefined ? [] : [{ type: "warning", code: "tools", message }];
  });
}

function scenarioFactors(
  { name, variants }: ScenarioDefinition,
  prepared: PreparedScenario | undefined,
): ScenarioFactors {
  const dataset = prepared?.dataset ?? null;
  return withoutUndefined({
    name,
    dataset: dataset ?? undefined,
    variants: variants === undefined ? undefined : variantCells(variants),
    draws: variants?.assign === "one" ? true : undefined,
  });
}

/** Throws `RunError` if no scenario has a level that is asked for. */
function refuseUnknownLevels(scenarios: readonly ScenarioDefinition[], wanted: Variant | undefined): void {
  const levels = new Map<string, Set<string>>();
  for (const { variants } of scenarios)
    for (const [factor, found] of variants === undefined ? [] : factorsOf(variants))
      for (const level of found.keys()) memoize(levels, factor, () => new Set<string>()).add(level);
  const problems = Object.entries(wanted ?? {}).flatMap(([factor, level]) => {
    const known = levels.get(factor);
    const names = [...(known ?? levels.keys())];
    const wrong = known === undefined ? factor : level;
    if (known?.has(level)) return [];
    const { nearest } = nearestOf(wrong, names);
    const hint =
      nearest === undefined ? `There are ${names.join(", ") || "none"}.` : `Did you mean "${nearest}"?`;
    return [
      `There is no ${known === undefined ? "factor" : `level of ${factor} called`} "${wrong}". ${hint}`,
    ];
  });
  if (problems.length > 0) throw new RunError(problems);
}

function conversationSettings(
  options: RunOptions,
  {
    cell,
    models,
    definition,
  }: { readonly cell: Cell; readonly models: ResolvedModels; readonly definition: ScenarioDefinition },
): ConversationSettings {
  const { turnLimit = DEFAULTS.turnLimit, judging = "together", reading = DEFAULTS.reading } = options;
  const systemPrompt = models.subjects.get(cell.subject)?.systemPrompt;
  return {
    turnLimit,
    judging,
    judged: (judgeOf(models, cell)?.models.length ?? 0) > 0,
    detectRefusal: options.detectRefusal ?? looksAtRefusal(definition),
    ...(reading === "rules" ? {} : { reading }),
    ...(systemPrompt === undefined ? {} : { instructions: systemPrompt }),
    ...(models.embedder === null ? {} : { embeds: true }),
    ...subjectPrompts(definition, models),
  };
}

/** The system prompts of the other subjects that nodes name. */
function subjectPrompts(
  { nodes }: ScenarioDefinition,
  { subjects }: ResolvedModels,
): Pick<ConversationSettings, "subjectInstructions"> {
  const found = Object.values(nodes).flatMap(({ modelOverride }) => {
    const subject =
      modelOverride?.subject === undefined ? undefined : subjectOrJudgeOfRun(modelOverride.subject, subjects);
    return subject === undefined ? [] : [[subject.name, subject.systemPrompt ?? ""] as const];
  });
  return found.length === 0 ? {} : { subjectInstructions: Object.fromEntries(found) };
}

/** The same id each time the same conversation is started, wherever its row stands in the dataset; safe as a file name. */
export function conversationId({ scenario, row, variant, arm, subject, judge, replicate }: Cell): string {
  const parts = [scenario, row ?? null, subject, judge, replicate];
  const more = variant === undefined && arm === undefined ? [] : [variant ?? null, arm ?? null];
  return sha256(canonicalJson([...parts, ...more])).slice(0, 16);
}

/** Answers that came with a run serve to regrade it; other runs use them if asked to. */
function borrowedCalls(
  store: Store,
  { useCalls = [] }: RunOptions,
  { run, parent }: { readonly run: string; readonly parent: string | undefined },
): BorrowedCalls | undefined {
  const names = new Set([...(parent === undefined ? [] : [parent]), ...useCalls]);
  const from = [...names].map((name) => store.callsOf(storedRun(store, name).run));
  return from.length === 0 ? undefined : { from, into: lazy(() => store.callsOf(run)) };
}

async function prepareAll(
  options: RunOptions,
  seed: number,
  readsRows: boolean,
): Promise<ReadonlyMap<string, PreparedScenario>> {
  const { rubric, rows, dataset, skipBadRows, onlyRows, rowLimit } = options;
  const outcomes = await Promise.allSettled(
    list(options.scenarios).map(
      async (definition) =>
        [
          definition.name,
          await prepareScenario(definition, {
            rubric,
            seed,
            readsRows,
            ...withoutUndefined({ rows, dataset, skipBadRows, onlyRows, rowLimit }),
          }),
        ] as const,
    ),
  );
  const prepared = outcomes.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failures = outcomes.flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  if (failures.length > 0) {
    for (const [, { dispose }] of prepared) dispose();
    const unexpected = failures.find((failure) => !(failure instanceof RunError));
    if (unexpected !== undefined) throw unexpected;
    throw new RunError((failures as readonly RunError[]).flatMap(({ problems }) => problems));
  }
  return new Map(prepared);
}

/** The prices of all models of a run. Throws if the run has a budget in USD that cannot be kept. */
export async function pricesFor({ budget }: RunOptions, models: ResolvedModels): Promise<Prices> {
  const all = allModels(models);
  const prices = await loadPrices(all);
  if (budget?.usd !== undefined) requirePrices(prices, all);
  return prices;
}

/** All models that a run may ask. */
export function allModels({
  subjects,
  judges,
  overrides,
  embedder,
  simulator,
  simulators,
}: ResolvedModels): readonly AnyModel[] {
  const all = [
    ...[...subjects.values(), ...overrides.subjects.values()].map(({ model }) => model),
    ...[...judges.values(), ...overrides.judges.values()].flatMap(({ models }) => models),
    ...(embedder === null ? [] : [embedder]),
    ...(simulator === null ? [] : [simulator]),
    ...simulators.values(),
  ];
  // Nodes may name a model of the run, or the same model several times.
  return [...new Set(all)];
}
