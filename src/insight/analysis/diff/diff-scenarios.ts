import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { itemHasher, openRows } from "../../../engine/run/open-rows.ts";
import { type DefinitionDiff, diffDefinitions } from "./diff-definitions.ts";
import { type KeptConversations, keptConversations } from "./kept-conversations.ts";

/** One side of a comparison. */
export interface ComparedSide {
  readonly scenarios: readonly ScenarioDefinition[];
  /** The stored run that they come from: of the store, only its conversations are looked at. */
  readonly run?: string;
  /** True if the side is one scenario of several: further scenarios of the other side are ignored. */
  readonly isOne?: boolean;
}

/** Rows of two versions, by their ids. A stored run need not have all rows: none is then added after it, or removed in it. */
export interface RowsDiff {
  /** Those in which something has changed that the scenario uses. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Two versions of a scenario, compared. */
export interface ScenarioDiff extends DefinitionDiff {
  readonly rows: RowsDiff;
  /** What becomes of the conversations in the store; null if it has none of the earlier version. */
  readonly stored: KeptConversations | null;
  /** Why stored conversations could not be looked at. */
  readonly problem?: string;
}

/** Two versions of scenarios, compared. */
export interface ScenariosDiff {
  readonly isSame: boolean;
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** The scenarios that both sides have and that differ. */
  readonly scenarios: readonly ScenarioDiff[];
  /** How many are the same on both sides. */
  readonly unchanged: number;
}

/**
 * Compares two versions of scenarios by their names. With a store, its conversations of the earlier version are walked through the
 * later one.
 */
export async function diffScenarios(
  before: ComparedSide,
  after: ComparedSide,
  store?: Store,
): Promise<ScenariosDiff> {
  const pairs = pairsOf(before, after);
  const scenarios: ScenarioDiff[] = [];
  for (const [was, is] of pairs) {
    const isOther = was.hash !== is.hash || was.name !== is.name || !sameRates(was, is);
    const rows = await diffRows({ ...before, definition: was }, { ...after, definition: is }, store);
    const hasRows = Object.values(rows).some((ids) => ids.length > 0);
    if (!isOther && !hasRows) continue;
    const found = diffDefinitions(was, is);
    if (found.changes.length > 0 || found.renamedFrom !== undefined)
      scenarios.push({ ...found, rows, ...(await keptIn(store, { was, is, run: before.run })) });
    else if (hasRows) scenarios.push({ ...found, rows, stored: null });
  }
  const paired = new Set(pairs.flat());
  const others = (side: ComparedSide): readonly string[] =>
    side.scenarios.filter((one) => !paired.has(one)).map(({ name }) => name);
  const removed = after.isOne ? [] : others(before);
  const added = before.isOne ? [] : others(after);
  return {
    isSame: scenarios.length === 0 && removed.length === 0 && added.length === 0,
    removed,
    added,
    scenarios,
    unchanged: pairs.length - scenarios.length,
  };
}

interface RowsSide {
  readonly definition: ScenarioDefinition;
  readonly run?: string;
}

const SAME_ROWS: RowsDiff = Object.freeze({ changed: [], removed: [], added: [] });

async function diffRows(before: RowsSide, after: RowsSide, store: Store | undefined): Promise<RowsDiff> {
  const isOther = before.definition.hash !== after.definition.hash;
  // Hashes of runs are those of the columns that their version used.
  if (before.run !== undefined && after.run !== undefined && isOther) return SAME_ROWS;
  const itemHash = itemHasher((after.run === undefined ? before : after).definition);
  const [was, is] = [await rowsOf(before, itemHash, store), await rowsOf(after, itemHash, store)];
  if (was === null || is === null) return SAME_ROWS;
  const without = (rows: typeof was, other: typeof was): readonly string[] =>
    [...rows.keys()].filter((row) => !other.has(row));
  return {
    changed: [...was].flatMap(([row, hash]) => (is.has(row) && is.get(row) !== hash ? [row] : [])),
    removed: after.run === undefined ? without(was, is) : [],
    added: before.run === undefined ? without(is, was) : [],
  };
}

/** The hash of each row by its id; null if the rows cannot be read. */
async function rowsOf(
  { definition, run }: RowsSide,
  itemHash: (row: JsonObject) => string,
  store: Store | undefined,
): Promise<ReadonlyMap<string, string> | null> {
  const found = new Map<string, string>();
  if (run !== undefined) {
    for (const { row, itemHash: hash } of store?.conversations(run, { scenario: definition.name }) ?? [])
      if (row !== null && hash !== null) found.set(row, hash);
    return found;
  }
  try {
    for await (const { id, values } of (await openRows(definition, {})) ?? [])
      found.set(id, itemHash(values));
    return found;
  } catch (error) {
    // `check` says what is wrong with rows.
    if (!(error instanceof RunError)) throw error;
    return null;
  }
}

/** Rates are no part of the hash. */
function sameRates(was: ScenarioDefinition, is: ScenarioDefinition): boolean {
  return (
    JSON.stringify([was.rates, was.description, was.metadata]) ===
    JSON.stringify([is.rates, is.description, is.metadata])
  );
}

/** Pairs of scenarios with the same name; two single scenarios are a pair whatever their names are. */
function pairsOf(
  before: ComparedSide,
  after: ComparedSide,
): readonly (readonly [ScenarioDefinition, ScenarioDefinition])[] {
  const [was] = before.scenarios;
  const [is] = after.scenarios;
  if (was !== undefined && is !== undefined && before.scenarios.length === 1 && after.scenarios.length === 1)
    return [[was, is]];
  const byName = new Map(after.scenarios.map((one) => [one.name, one]));
  return before.scenarios.flatMap((one) => {
    const other = byName.get(one.name);
    return other === undefined ? [] : [[one, other] as const];
  });
}

async function keptIn(
  store: Store | undefined,
  {
    was,
    is,
    run,
  }: { readonly was: ScenarioDefinition; readonly is: ScenarioDefinition; readonly run: string | undefined },
): Promise<Pick<ScenarioDiff, "stored" | "problem">> {
  if (store === undefined) return { stored: null };
  try {
    return { stored: await keptConversations(store, { before: was, after: is }, { run }) };
  } catch (error) {
    // Rows that cannot be read, or source strings that cannot be run.
    if (!(error instanceof RunError)) throw error;
    return { stored: null, problem: error.problems.join("\n") };
  }
}
