import type { Cell, ConversationSettings, RunEventBody, RunStart, Warning } from "../journal/run-event.ts";
import { Budget } from "../limit/budget.ts";
import type { Clock } from "../limit/clock.ts";
import { Limits } from "../limit/limits.ts";
import { contentHash } from "../model/content-hash.ts";
import type { ScenarioDefinition } from "../scenario/definition.ts";
import { openToolServers } from "../tool/tool-servers.ts";
import { canonicalJson } from "../value/canonical-json.ts";
import { redactSecrets } from "../value/redact-secrets.ts";
import { remember } from "../value/remember.ts";
import { SeededChance } from "../value/seeded-chance.ts";
import { CallCache } from "./call-cache.ts";
import { Caller } from "./caller.ts";
import type { Factors } from "./cells.ts";
import type { ConversationPlan } from "./conversation-context.ts";
import { runStart } from "./describe-run.ts";
import { looksAtRefusal } from "./looks-at-refusal.ts";
import { type PreparedScenario, prepareScenario } from "./prepare-scenario.ts";
import { type ResolvedModels, resolveModels } from "./resolve-models.ts";
import type { RunContext } from "./run-context.ts";
import { RunError } from "./run-error.ts";
import { list, type RunOptions } from "./run-options.ts";
import { allModels, pricesFor } from "./run-prices.ts";
import { Workspaces } from "./workspaces.ts";

/** A run that is ready to begin. */
export interface RunSetup {
  readonly context: RunContext;
  readonly factors: Factors;
  readonly start: RunStart;
  readonly warnings: readonly Warning[];
  conversation(cell: Cell): ConversationPlan;
  close(): Promise<void>;
}

/** What comes from outside. */
export interface RunSurroundings {
  readonly clock: Clock;
  readonly emit: (event: RunEventBody) => void;
  /** See `RunJournal`. */
  readonly durable: () => Promise<void> | undefined;
  readonly fail: (error: unknown) => void;
}

const DEFAULT_CALL_TIMEOUT_MS = 180_000;

/** Finds models, prepares scenarios and opens what conversations share. Everything that is wrong is told here, before the first call. */
export async function setUpRun(options: RunOptions, surroundings: RunSurroundings): Promise<RunSetup> {
  const { clock, emit, durable, fail } = surroundings;
  const {
    seed = 0,
    timeouts = {},
    budget = {},
    tools,
    store,
    replay,
    toolSteps = 10,
    earlierTurns = 3,
  } = options;
  const scenarios = list(options.scenarios);
  refuseSameNames(scenarios.map(({ name }) => name));
  const models = await resolveModels(options);
  const prices = await pricesFor(options, models);
  const servers =
    tools === undefined
      ? null
      : openToolServers(tools, { redact: redactSecrets, ...given("environment", options.environment) });
  const workspaces = new Workspaces(options.workspace);
  const prepared = await prepareAll(options, seed);
  const caller = new Caller({
    limits: new Limits({
      clock,
      random: (key) => new SeededChance(`${seed} ${key}`).next(),
      retries: options.retries,
      caps: { person: { maxConcurrency: 1 }, ...options.caps },
    }),
    budget: new Budget(budget),
    prices,
    clock,
    cache:
      store === undefined || replay !== undefined
        ? null
        : new CallCache(store.calls, { isFresh: options.fresh ?? false }),
    callTimeoutMs: timeouts.callMs === undefined ? DEFAULT_CALL_TIMEOUT_MS : timeouts.callMs,
    emit,
  });
  const context: RunContext = {
    ...models,
    caller,
    clock,
    seed,
    timeouts,
    earlierTurns,
    tools: servers,
    toolSteps,
    workspace: (conversation) => workspaces.folder(conversation),
    emit,
    durable,
    fail,
  };
  const factors: Factors = {
    scenarios: scenarios.map(({ name }) => name),
    ...(options.rows === undefined ? {} : { rows: options.rows.length }),
    subjects: [...models.subjects.keys()],
    judges: [...models.judges.keys()],
    replicates: options.replicates ?? 1,
  };
  const settingsOf = new Map<string, ConversationSettings>();
  const start = runStart(options, { factors, models, clock, seed });
  return {
    context,
    factors,
    start,
    warnings: [...prepared.values()].flatMap(({ warnings }) =>
      warnings.map((message) => ({ type: "warning", code: "rubric", message }) as const),
    ),
    conversation: (cell) => {
      const { scenario, row } = cell;
      // Cells are made of what was resolved and prepared.
      const definition = (prepared.get(scenario) as PreparedScenario).definition(row);
      const { subject, judge } = cell;
      const settings = remember(settingsOf, JSON.stringify([scenario, subject, judge]), () =>
        conversationSettings(options, { cell, models, definition }),
      );
      return { conversation: conversationId(cell), cell, definition, settings };
    },
    async close() {
      for (const { dispose } of prepared.values()) dispose();
      await Promise.all([servers?.close(), workspaces.close(), ...closing(models)]);
    },
  };
}

function conversationSettings(
  options: RunOptions,
  {
    cell,
    models,
    definition,
  }: { readonly cell: Cell; readonly models: ResolvedModels; readonly definition: ScenarioDefinition },
): ConversationSettings {
  const { turnLimit = 20, judging = "together" } = options;
  const systemPrompt = models.subjects.get(cell.subject)?.systemPrompt;
  return {
    turnLimit,
    judging,
    judged: (models.judges.get(cell.judge)?.models.length ?? 0) > 0,
    detectRefusal: options.detectRefusal ?? looksAtRefusal(definition),
    ...(options.reading === "judge" ? { reading: "judge" } : {}),
    ...(systemPrompt === undefined ? {} : { instructions: systemPrompt }),
  };
}

/** The same whenever the same run is made again, and fit for a file name. */
function conversationId({ scenario, row, subject, judge, replicate }: Cell): string {
  return contentHash(canonicalJson([scenario, row ?? null, subject, judge, replicate])).slice(0, 16);
}

async function prepareAll(options: RunOptions, seed: number): Promise<ReadonlyMap<string, PreparedScenario>> {
  const { rubric, rows } = options;
  const settled = await Promise.allSettled(
    list(options.scenarios).map(
      async (definition) =>
        [definition.name, await prepareScenario(definition, { rubric, rows, seed })] as const,
    ),
  );
  const prepared = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failures = settled.flatMap((result) =>
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

function closing(models: ResolvedModels): readonly (Promise<void> | undefined)[] {
  return allModels(models).map((model) => model.close?.());
}

function refuseSameNames(names: readonly string[]): void {
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0)
    throw new RunError(
      [...new Set(twice)].map(
        (name) => `Two scenarios are called "${name}". Results are told apart by name.`,
      ),
    );
}

function given<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}
