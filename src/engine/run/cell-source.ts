import { drawnVariant, type Variant } from "../../core/scenario/variants.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { Dataset, DatasetRow } from "../datasets/dataset.ts";
import { hasLevels } from "../journal/cell.ts";
import type { Cell } from "../journal/run-event.ts";
import type { GivenConversation } from "./run-options.ts";

/** What the cells of one scenario are combined from. */
export interface ScenarioFactors {
  readonly name: string;
  /** Missing if the scenario uses no row: it is run once. */
  readonly dataset?: Dataset;
  /** The combinations of levels; missing without variants. */
  readonly variants?: readonly Variant[];
  /** True if each conversation gets one of them. */
  readonly draws?: boolean;
}

/** What the cells of a run are combined from. */
export interface Factors {
  readonly scenarios: readonly ScenarioFactors[];
  readonly subjects: readonly string[];
  readonly judges: readonly string[];
  readonly replicates: number;
  /** Of the run; variants are drawn with it. */
  readonly seed: number;
  /** Only conversations with these levels. */
  readonly wanted?: Variant;
  /** Of those, the ones of a shard. */
  readonly shard?: { has(cell: Cell): boolean };
}

/** Cells that differ only in the judge: they share their replies. */
export interface CellGroup {
  readonly cells: readonly Cell[];
  /** The values of their row. */
  readonly row?: JsonObject;
  /** The replies of conversations that exist already. */
  readonly record?: GivenConversation["record"];
}

/** How many conversations a run has. */
export async function countCells(factors: Factors): Promise<number> {
  const { scenarios, subjects, judges, replicates, wanted } = factors;
  const places = subjects.length * judges.length * replicates;
  let count = 0;
  for (const scenario of scenarios) {
    if (scenario.draws && wanted !== undefined) count += await countDrawn(factors, scenario);
    else count += rowsOf(scenario) * variantsOf(scenario, wanted).length * places;
  }
  return count;
}

/** Which variant a conversation gets is known when it is drawn. */
async function countDrawn(factors: Factors, scenario: ScenarioFactors): Promise<number> {
  let count = 0;
  for await (const { cells } of cellGroups({ ...factors, scenarios: [scenario] })) count += cells.length;
  return count;
}

function rowsOf({ dataset }: ScenarioFactors): number {
  return dataset?.count ?? 1;
}

const NO_VARIANTS: readonly undefined[] = [undefined];

/** The variants that each row is run with. One that is drawn for each conversation counts once. */
function variantsOf(
  { variants, draws }: ScenarioFactors,
  wanted: Variant | undefined,
): readonly (Variant | undefined)[] {
  if (variants === undefined) return wanted === undefined ? NO_VARIANTS : [];
  return draws === true ? NO_VARIANTS : variants.filter((variant) => hasLevels(variant, wanted));
}

/**
 * The cells of a run in the order they are started: the first replicate of everything before the second of anything, so that a
 * run that stops early is balanced. `index` is the position in the results, where replicates stand side by side. Rows are read as
 * they are needed, once for each replicate. With `meant`, only cells of these subjects.
 */
export async function* cellGroups(factors: Factors, meant?: ReadonlySet<string>): AsyncGenerator<CellGroup> {
  for (let replicate = 1; replicate <= factors.replicates; replicate++) {
    // How many rows × variants stand before those of the scenario.
    let before = 0;
    for (const scenario of factors.scenarios) {
      const place = { scenario, replicate, before, meant };
      if (scenario.dataset === undefined) yield* groupsOf(factors, place, undefined);
      else for await (const row of scenario.dataset) yield* groupsOf(factors, place, row);
      before += rowsOf(scenario) * variantsOf(scenario, factors.wanted).length;
    }
  }
}

function* groupsOf(
  { subjects, judges, replicates, seed, wanted, shard }: Factors,
  {
    scenario,
    replicate,
    before,
    meant,
  }: {
    readonly scenario: ScenarioFactors;
    readonly replicate: number;
    readonly before: number;
    readonly meant: ReadonlySet<string> | undefined;
  },
  row: DatasetRow | undefined,
): Generator<CellGroup> {
  const variants = variantsOf(scenario, wanted);
  for (const [position, fixed] of variants.entries()) {
    const variant =
      scenario.draws === true
        ? drawnVariant(
            scenario.variants ?? [],
            JSON.stringify([seed, scenario.name, row?.id ?? null, replicate]),
          )
        : fixed;
    if (!hasLevels(variant ?? null, wanted)) continue;
    const unit = before + (row?.index ?? 0) * variants.length + position;
    for (const [subjectIndex, subject] of subjects.entries()) {
      if (meant?.has(subject) === false) continue;
      const place = unit * subjects.length + subjectIndex;
      const cells = judges.map((judge, judgeIndex) => ({
        index: (place * judges.length + judgeIndex) * replicates + replicate - 1,
        scenario: scenario.name,
        ...(row === undefined ? {} : { row: row.id, rowIndex: row.index }),
        ...(variant === undefined ? {} : { variant }),
        subject,
        judge,
        replicate,
      }));
      if (shard?.has(cells[0] as Cell) === false) continue;
      yield row === undefined ? { cells } : { cells, row: row.values };
    }
  }
}

/** The cells of conversations that exist already, in their order; those that differ only in the judge come together. */
export async function* givenGroups(
  conversations: AsyncIterable<GivenConversation> | Iterable<GivenConversation>,
  { judges, scenarios }: Factors,
): AsyncGenerator<CellGroup> {
  // Records come in any order, so that all rows must be at hand.
  const rows = new Map<string, ReadonlyMap<string, DatasetRow>>();
  for (const { name, dataset } of scenarios) {
    if (dataset === undefined) continue;
    const found = new Map<string, DatasetRow>();
    for await (const row of dataset) found.set(row.id, row);
    rows.set(name, found);
  }
  let before = 0;
  for await (const { cell, record } of conversations) {
    const row = cell.row === undefined ? undefined : rows.get(cell.scenario)?.get(cell.row);
    const place = row === undefined ? cell : { ...cell, rowIndex: row.index };
    const cells = judges.map((judge, index) => ({ index: before + index, ...place, judge }));
    yield { cells, record, ...(row === undefined ? {} : { row: row.values }) };
    before += judges.length;
  }
}
