import { DEFAULTS } from "../core/defaults.ts";
import type { Clock } from "../core/environment.ts";
import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import { scenarioToRead } from "../core/scenario/scenario-to-json.ts";
import { canonicalJson, type JsonObject } from "../core/values/json.ts";
import type { Cell, RunStart, ScenarioDefine } from "../journal/run-event.ts";
import { contentHash } from "../models/content-hash.ts";
import { readingOf } from "./require-judge.ts";
import type { ResolvedModels } from "./resolve-models.ts";
import { type GivenConversation, list, type RunOptions, type SealRun } from "./run-options.ts";

/** The first event of a run: everything that shapes its results, as data. */
export function runStart(
  options: RunOptions,
  {
    factors,
    models,
    clock,
    seed,
    given,
    origin,
    seal,
  }: {
    readonly factors: Factors;
    readonly models: ResolvedModels;
    readonly clock: Clock;
    readonly seed: number;
    /** How many conversations exist already; undefined if they are combined from the factors. */
    readonly given?: number | undefined;
    readonly origin?: JsonObject | undefined;
    readonly seal?: SealRun | undefined;
  },
): RunStart {
  const {
    turnLimit = DEFAULTS.turnLimit,
    timeouts,
    budget,
    judging,
    detectRefusal,
    rubric,
    rows,
    tools,
    toolSteps,
  } = options;
  const reading = readingOf(options);
  const identities = [...models.subjects.values()].map(({ name, model }) => [name, model.identity] as const);
  // What is undefined is left out of JSON, and a rubric is data once its functions are text.
  const configuration = JSON.parse(
    canonicalJson({
      turnLimit,
      timeouts,
      budget,
      judging,
      // Left out if only rules read, as earlier versions did.
      reading: reading === "rules" ? undefined : reading,
      detectRefusal,
      rubric,
      rows: rows === undefined ? undefined : contentHash(canonicalJson(rows)),
      tools: tools === undefined ? undefined : Object.keys(tools),
      toolSteps,
      recorded: given === undefined ? undefined : true,
      embedder: models.embedder?.identity,
      subjects: Object.fromEntries(identities),
      judges: Object.fromEntries(
        [...models.judges.values()].map(({ name, models: members }) => [
          name,
          members.map(({ identity }) => identity),
        ]),
      ),
    }),
  ) as JsonObject;
  const body = {
    seed,
    conversations: given === undefined ? countCells(factors) : given * factors.judges.length,
    scenarios: Object.fromEntries(list(options.scenarios).map(({ name, hash }) => [name, hash])),
    subjects: factors.subjects,
    judges: factors.judges,
    replicates: factors.replicates,
    configuration,
    ...(origin === undefined ? {} : { origin }),
  };
  const run = options.run ?? contentHash(`${clock.now()} ${canonicalJson(body)}`).slice(0, 12);
  const start: RunStart = { type: "run-start", run, ...body };
  const sealed = seal?.(start);
  return sealed === undefined ? start : { ...start, seal: sealed };
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

/** What the cells of a run are combined from. */
export interface Factors {
  readonly scenarios: readonly string[];
  /** The ids of the dataset's rows; undefined without a dataset. */
  readonly rows?: readonly string[];
  /** The scenarios that use no value of a row: they are run once, not once for each row. */
  readonly rowless?: ReadonlySet<string>;
  readonly subjects: readonly string[];
  readonly judges: readonly string[];
  readonly replicates: number;
}

/** The cells of conversations that exist already, in their order; those that differ only in the judge come together. */
export async function* givenGroups(
  conversations: AsyncIterable<GivenConversation> | Iterable<GivenConversation>,
  { judges, rows, rowless }: Factors,
): AsyncGenerator<{ readonly cells: readonly Cell[]; readonly record: GivenConversation["record"] }> {
  const positions = new Map(rows?.map((id, rowIndex) => [id, rowIndex]));
  let before = 0;
  for await (const { cell, record } of conversations) {
    const { row, scenario } = cell;
    const rowIndex = row === undefined || rowless?.has(scenario) ? undefined : positions.get(row);
    const place = rowIndex === undefined ? cell : { ...cell, rowIndex };
    yield { cells: judges.map((judge, index) => ({ index: before + index, ...place, judge })), record };
    before += judges.length;
  }
}

/** How many conversations a run has. */
export function countCells(factors: Factors): number {
  const { scenarios, subjects, judges, replicates } = factors;
  const rows = scenarios.reduce((sum, scenario) => sum + (rowsOf(scenario, factors)?.length ?? 1), 0);
  return rows * subjects.length * judges.length * replicates;
}

/** The rows that a scenario is run with; undefined if it uses none. */
function rowsOf(scenario: string, { rows, rowless }: Factors): readonly string[] | undefined {
  return rowless?.has(scenario) ? undefined : rows;
}

/**
 * The cells of a run in the order they are started: the first replicate of everything before the second of anything, so that a
 * run that stops early is balanced. Cells that differ only in the judge come together, because they share their replies.
 * `index` is the position in the results, where replicates stand side by side.
 */
export function* cellGroups(factors: Factors): Generator<readonly Cell[]> {
  const { scenarios, subjects, judges, replicates } = factors;
  for (let replicate = 1; replicate <= replicates; replicate++) {
    let before = 0;
    for (const scenario of scenarios) {
      const rows = rowsOf(scenario, factors);
      for (let rowIndex = 0; rowIndex < (rows?.length ?? 1); rowIndex++, before++) {
        const row = rows?.[rowIndex];
        for (const [subjectIndex, subject] of subjects.entries()) {
          const place = before * subjects.length + subjectIndex;
          yield judges.map((judge, judgeIndex) => ({
            index: (place * judges.length + judgeIndex) * replicates + replicate - 1,
            scenario,
            ...(row === undefined ? {} : { row, rowIndex }),
            subject,
            judge,
            replicate,
          }));
        }
      }
    }
  }
}
