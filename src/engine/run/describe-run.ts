import { DEFAULTS } from "../../core/defaults.ts";
import type { Clock } from "../../core/environment.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { scenarioToRead } from "../../core/scenario/scenario-to-json.ts";
import { sha256 } from "../../core/values/hash.ts";
import { canonicalJson, type JsonObject } from "../../core/values/json.ts";
import type { RunStart, ScenarioDefine } from "../journal/run-event.ts";
import type { Factors } from "./cell-source.ts";
import type { ResolvedModels } from "./resolve-models.ts";
import { list, type RunOptions } from "./run-options.ts";

/** The first event of a run: everything that shapes its results, as data. */
export function runStart(
  options: RunOptions,
  {
    factors,
    models,
    clock,
    seed,
    conversations,
    whole,
    isRecorded,
    origin,
  }: {
    readonly factors: Factors;
    readonly models: ResolvedModels;
    readonly clock: Clock;
    readonly seed: number;
    readonly conversations: number;
    /** Of a shard, the hash of all conversations. */
    readonly whole?: string | undefined;
    /** True if the conversations exist already. */
    readonly isRecorded: boolean;
    readonly origin?: JsonObject | undefined;
  },
): RunStart {
  const {
    turnLimit = DEFAULTS.turnLimit,
    timeouts,
    budget,
    judging,
    reading,
    detectRefusal,
    rubric,
    variant,
    tools,
    toolSteps,
    shard,
  } = options;
  const identities = [...models.subjects.values()].map(({ name, model }) => [name, model.identity] as const);
  // What is undefined is left out of JSON, and a rubric is data once its functions are text.
  const configuration = JSON.parse(
    canonicalJson({
      turnLimit,
      timeouts,
      budget,
      judging,
      reading,
      detectRefusal,
      rubric,
      datasets: datasetsOf(factors),
      variant,
      shard:
        shard === undefined || whole === undefined ? undefined : { index: shard.index, of: shard.of, whole },
      tools: tools === undefined ? undefined : Object.keys(tools),
      toolSteps,
      recorded: isRecorded ? true : undefined,
      embedder: models.embedder?.identity,
      simulator: models.simulator?.identity,
      subjects: Object.fromEntries(identities),
      judges: Object.fromEntries(
        [...models.judges.values()].map(({ name, models: members }) => [
          name,
          members.map(({ identity }) => identity),
        ]),
      ),
    }),
  ) as JsonObject;
  const datasets = factors.scenarios.flatMap(({ name, dataset }) =>
    dataset === undefined ? [] : [[name, dataset.hash] as const],
  );
  const body = {
    seed,
    conversations,
    scenarios: Object.fromEntries(list(options.scenarios).map(({ name, hash }) => [name, hash])),
    ...(datasets.length === 0 ? {} : { datasets: Object.fromEntries(datasets) }),
    subjects: factors.subjects,
    judges: factors.judges,
    replicates: factors.replicates,
    configuration,
    ...(origin === undefined ? {} : { origin }),
  };
  const run = options.run ?? sha256(`${clock.now()} ${canonicalJson(body)}`).slice(0, 12);
  return { type: "run-start", run, ...body };
}

/** Where the rows of each scenario come from, and which of them are used. */
function datasetsOf({ scenarios }: Factors): JsonObject | undefined {
  const found = scenarios.flatMap(({ name, dataset }) => {
    if (dataset === undefined) return [];
    const { rows, ...source } = dataset.source;
    return [[name, rows === undefined ? source : { ...source, rows: "inline" }] as const];
  });
  // Options of datasets are data.
  return found.length === 0 ? undefined : (Object.fromEntries(found) as unknown as JsonObject);
}

/** The event that keeps a scenario in the journal. */
export function scenarioDefine(definition: ScenarioDefinition): ScenarioDefine {
  const { name, hash } = definition;
  return {
    type: "scenario-define",
    scenario: name,
    hash,
    definition: JSON.stringify(scenarioToRead(definition)),
  };
}
