import { DEFAULTS } from "../../../core/defaults.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { lazy } from "../../../core/lazy.ts";
import { END, END_IN_FILES, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { variantCells } from "../../../core/scenario/variants.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import type { CellTally } from "../../../engine/journal/fold/tally.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { storedDefinitions, storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { openRows, type RowOptions } from "../../../engine/run/open-rows.ts";
import type { Rehearsal, Witness } from "../rehearsal/rehearsal.ts";
import { rehearse } from "../rehearsal/rehearse.ts";

/** What is covered. */
export const COVERED = ["nodes", "edges", "outcomes", "routes"] as const;

/** The name of something that can be covered. */
export type CoveredKind = (typeof COVERED)[number];

/** How much was reached of what can be reached. Counts of routes may be larger than numbers. */
export interface CoveredShare {
  readonly reached: bigint;
  /** Null if it is not known how much there is. */
  readonly possible: bigint | null;
}

/** How much was reached, by kind. `outcomes` are values of outcomes, `routes` are sequences of nodes. */
export type CoveredShares = Readonly<Record<CoveredKind, CoveredShare>>;

/** Something that can be reached and was not. */
export interface NotReached {
  readonly kind: Exclude<CoveredKind, "routes">;
  /** As `--witness` takes it: `push`, `ask->push`, `held_firm=false`. */
  readonly name: string;
  /** Of an edge: its position in the scenario. */
  readonly edge?: number;
  /** A conversation that would reach it; null if none is known. */
  readonly witness: Witness | null;
}

/** Rows or variants that were never run. */
export interface NeverRun {
  readonly count: number;
  /** The first of them, by name. */
  readonly names: readonly string[];
}

/** What conversations reached of one scenario. */
export interface ScenarioCoverage {
  readonly scenario: string;
  readonly all: CoveredShares;
  readonly subjects: Readonly<Record<string, CoveredShares>>;
  /** By all subjects together. */
  readonly notReached: readonly NotReached[];
  readonly rows: NeverRun;
  readonly variants: NeverRun;
  /** Why the scenario could not be rehearsed: then everything in it counts as something that can be reached. */
  readonly problem?: string;
}

/** What one or several runs reached of what can be reached. */
export interface Coverage {
  readonly runs: readonly string[];
  readonly scenarios: readonly ScenarioCoverage[];
  /** Of all scenarios together. */
  readonly all: CoveredShares;
}

/** Options of `coverage`. */
export interface CoverageOptions extends RowOptions {
  /** Only these scenarios. */
  readonly scenario?: string;
  readonly subject?: string;
  /** Definitions by name, in place of those in the store. */
  readonly definitions?: ReadonlyMap<string, ScenarioDefinition>;
  /** Of each rehearsal. */
  readonly maxStates?: number;
  /** False to leave out which rows and variants were never run: that looks at every conversation (default true). */
  readonly neverRun?: boolean;
}

/** Says what runs reached of what can be reached; several runs are taken together. */
export async function coverage(
  store: Store,
  runs: readonly string[],
  options: CoverageOptions = {},
): Promise<Coverage> {
  const {
    scenario: wanted,
    subject,
    maxStates = 5_000,
    definitions,
    neverRun: all = true,
    ...rows
  } = options;
  const names = runs.map((run) => storedRun(store, run).run);
  const found = new Map<string, CoveredScenario>();
  for (const run of names) {
    const stored = lazy(() => storedDefinitions(store, run));
    const { turnLimit: limit } = storedRun(store, run).start.configuration;
    const turnLimit = typeof limit === "number" ? limit : DEFAULTS.turnLimit;
    for (const tally of store.tallies(run)) {
      const { scenario } = tally;
      if (wanted !== undefined && scenario !== wanted) continue;
      if (subject !== undefined && tally.subject !== subject) continue;
      const known = found.get(scenario);
      const definition = definitions?.get(scenario) ?? stored().get(scenario) ?? known?.definition;
      if (definition === undefined) continue;
      const tallies = [...(known?.tallies ?? []), tally];
      found.set(scenario, { definition, tallies, turnLimit: Math.max(turnLimit, known?.turnLimit ?? 0) });
    }
  }
  const scenarios: ScenarioCoverage[] = [];
  for (const one of found.values()) {
    const { definition, turnLimit } = one;
    const rehearsed = await rehearsalOf(definition, { ...rows, turnLimit, maxStates, list: 0 });
    const never = all ? await neverRun(store, names, { ...one, rows }) : NEVER_RUN;
    scenarios.push(scenarioCoverage(one, { ...rehearsed, ...never }));
  }
  return { runs: names, scenarios, all: summed(scenarios.map((one) => one.all)) };
}

/** A scenario of some runs, with what is counted of its conversations. */
interface CoveredScenario {
  readonly definition: ScenarioDefinition;
  readonly tallies: readonly CellTally[];
  readonly turnLimit: number;
}

async function rehearsalOf(
  definition: ScenarioDefinition,
  options: Parameters<typeof rehearse>[1],
): Promise<{ readonly rehearsal: Rehearsal | null; readonly problem?: string }> {
  try {
    return { rehearsal: await rehearse(definition, options) };
  } catch (error) {
    // The rows of a stored run may be gone, for instance.
    return { rehearsal: null, problem: errorMessage(error) };
  }
}

/** What can be reached, by the names of its parts. */
interface Possible {
  readonly nodes: ReadonlyMap<string, Witness | null>;
  readonly edges: ReadonlyMap<string, Witness | null>;
  readonly outcomes: ReadonlyMap<string, Witness | null>;
  readonly routes: bigint | null;
}

function possibleOf({ nodeIds, edges: all }: ScenarioDefinition, rehearsal: Rehearsal | null): Possible {
  if (rehearsal === null)
    return {
      nodes: new Map(nodeIds.map((id) => [id, null])),
      edges: new Map(all.map((_, edge) => [String(edge), null])),
      outcomes: new Map(),
      routes: null,
    };
  const { nodes, edges, outcomes, paths } = rehearsal;
  // What could not be read, or does not apply, is no value that a run must have.
  const values = outcomes.flatMap((one) => one.values.map((value) => ({ ...value, name: one.name })));
  return {
    nodes: new Map(nodes.filter((one) => one.isReached !== "no").map((one) => [one.id, one.witness])),
    edges: new Map(edges.filter((one) => one.isTaken !== "no").map((one) => [String(one.edge), one.witness])),
    outcomes: new Map(
      values
        .filter(({ value }) => typeof value !== "string")
        .map(({ name, value, witness }) => [`${name}=${value}`, witness]),
    ),
    routes: paths.routes,
  };
}

/** What some conversations reached, by the names of its parts. */
type Reached = Readonly<Record<CoveredKind, ReadonlySet<string>>>;

function reachedBy(tallies: readonly CellTally[]): Reached {
  const counted = <Count extends { readonly count: number }>(
    listOf: (tally: CellTally) => readonly Count[],
    name: (counted: Count) => string | undefined,
  ): ReadonlySet<string> =>
    new Set(tallies.flatMap(listOf).flatMap((one) => (one.count > 0 ? (name(one) ?? []) : [])));
  const entries = <Key>(
    counts: Iterable<readonly [Key, number]>,
  ): readonly { name: string; count: number }[] =>
    [...counts].map(([key, count]) => ({ name: String(key), count }));
  return {
    nodes: counted(
      ({ visits }) => entries(visits),
      ({ name }) => name,
    ),
    edges: counted(
      ({ edges }) => entries(edges),
      ({ name }) => name,
    ),
    outcomes: counted(
      ({ outcomes }) => outcomes,
      ({ name, value }) => (typeof value === "string" ? undefined : `${name}=${value}`),
    ),
    routes: counted(
      ({ paths }) => paths,
      ({ path }) => (path === null ? undefined : JSON.stringify(path)),
    ),
  };
}

function scenarioCoverage(
  { definition, tallies }: CoveredScenario,
  {
    rehearsal,
    ...rest
  }: { readonly rehearsal: Rehearsal | null } & Pick<ScenarioCoverage, "problem" | "rows" | "variants">,
): ScenarioCoverage {
  const possible = possibleOf(definition, rehearsal);
  const all = reachedBy(tallies);
  const bySubject = Map.groupBy(tallies, ({ subject }) => subject);
  const notReached = (["nodes", "edges", "outcomes"] as const).flatMap((kind) =>
    [...possible[kind]]
      .filter(([name]) => !all[kind].has(name))
      .map(([name, witness]) => ({
        kind,
        ...(kind === "edges" ? { name: edgeName(definition, Number(name)), edge: Number(name) } : { name }),
        witness,
      })),
  );
  return {
    scenario: definition.name,
    all: sharesOf(possible, all),
    subjects: Object.fromEntries(
      [...bySubject.keys()]
        .sort()
        .map((subject) => [subject, sharesOf(possible, reachedBy(bySubject.get(subject) ?? []))]),
    ),
    notReached,
    ...rest,
  };
}

function edgeName({ edges }: ScenarioDefinition, edge: number): string {
  const { source = "", target = "" } = edges[edge] ?? {};
  return `${source}->${target === END ? END_IN_FILES : target}`;
}

/** What a run reached although no rehearsal found it can be reached, too. */
function sharesOf(possible: Possible, reached: Reached): CoveredShares {
  const share = (known: ReadonlyMap<string, unknown>, found: ReadonlySet<string>): CoveredShare => {
    const others = [...found].filter((name) => !known.has(name)).length;
    return { reached: BigInt(found.size), possible: BigInt(known.size + others) };
  };
  const routes = BigInt(reached.routes.size);
  return {
    nodes: share(possible.nodes, reached.nodes),
    edges: share(possible.edges, reached.edges),
    outcomes: share(possible.outcomes, reached.outcomes),
    routes: {
      reached: routes,
      possible: possible.routes === null || possible.routes > routes ? possible.routes : routes,
    },
  };
}

function summed(all: readonly CoveredShares[]): CoveredShares {
  const sum = (kind: CoveredKind): CoveredShare =>
    all.reduce<CoveredShare>(
      (total, shares) => ({
        reached: total.reached + shares[kind].reached,
        possible:
          total.possible === null || shares[kind].possible === null
            ? null
            : total.possible + shares[kind].possible,
      }),
      { reached: 0n, possible: 0n },
    );
  // All kinds are in the list.
  return Object.fromEntries(COVERED.map((kind) => [kind, sum(kind)])) as unknown as CoveredShares;
}

const NAMED = 20;
const NOTHING: NeverRun = Object.freeze({ count: 0, names: Object.freeze([]) });
const NEVER_RUN = Object.freeze({ rows: NOTHING, variants: NOTHING });

async function neverRun(
  store: Store,
  runs: readonly string[],
  { definition, tallies, rows }: CoveredScenario & { readonly rows: RowOptions },
): Promise<{ readonly rows: NeverRun; readonly variants: NeverRun }> {
  const done = new Set(tallies.map(({ variant }) => canonicalJson(variant ?? {})));
  const { variants } = definition;
  const cells = variants === undefined || variants.assign === "one" ? [] : variantCells(variants);
  const missing = cells.filter((cell) => !done.has(canonicalJson(cell)));
  const levels = missing.map((cell) =>
    Object.entries(cell)
      .map(([factor, level]) => `${factor}=${level}`)
      .join(", "),
  );
  return {
    rows: await rowsNeverRun(store, runs, { definition, rows }),
    variants: { count: missing.length, names: levels.slice(0, NAMED) },
  };
}

async function rowsNeverRun(
  store: Store,
  runs: readonly string[],
  { definition, rows }: { readonly definition: ScenarioDefinition; readonly rows: RowOptions },
): Promise<NeverRun> {
  const dataset = await openRows(definition, rows).catch(() => null);
  if (dataset === null) return NOTHING;
  const done = new Set<string>();
  for (const run of runs)
    for (const { row } of store.conversations(run, { scenario: definition.name }))
      if (row !== null) done.add(row);
  let count = 0;
  const names: string[] = [];
  for await (const { id } of dataset) {
    if (done.has(id)) continue;
    count++;
    if (names.length < NAMED) names.push(id);
  }
  return { count, names };
}

/** The least share that must be reached. */
export interface CoverageThreshold {
  readonly kind: CoveredKind;
  /** From 0 to 1. */
  readonly minimum: number;
}

/** Reads `edges=0.9` or `edges=90%`, or says in a sentence what is wrong with it. */
export function parseCoverageThreshold(text: string): CoverageThreshold | string {
  const quoted = JSON.stringify(text);
  const {
    kind = "",
    digits,
    percent,
  } = /^(?<kind>\w+)\s*=\s*(?<digits>\d+(?:\.\d+)?|\.\d+)\s*(?<percent>%)?$/.exec(text.trim())?.groups ?? {};
  if (digits === undefined) return `The threshold ${quoted} must be written like edges=0.9 or edges=90%.`;
  const found = COVERED.find((one) => one === kind);
  if (found === undefined) {
    const { nearest } = nearestOf(kind, COVERED);
    const hint = nearest === undefined ? `There are ${COVERED.join(", ")}.` : `Did you mean "${nearest}"?`;
    return `Coverage has no ${JSON.stringify(kind)}. ${hint}`;
  }
  const minimum = Number(percent === undefined ? digits : `${digits}e-2`);
  return minimum <= 1 ? { kind: found, minimum } : `The threshold ${quoted} must lie between 0 and 1.`;
}

/** Whether a threshold is reached; what is not known never passes. */
export interface CoverageResult extends CoverageThreshold {
  readonly passed: boolean;
  /** Null if it is not known how much can be reached. */
  readonly actual: number | null;
}

/** Compares coverage with thresholds, over all scenarios together. */
export function checkCoverage(
  { all }: Coverage,
  thresholds: readonly CoverageThreshold[],
): readonly CoverageResult[] {
  return thresholds.map(({ kind, minimum }) => {
    const { reached, possible } = all[kind];
    const actual = possible === null ? null : possible === 0n ? 1 : ratio(reached, possible);
    return { kind, minimum, actual, passed: actual !== null && actual >= minimum };
  });
}

const PRECISION = 1_000_000_000n;

/** Counts may be larger than numbers, their ratio is not. */
function ratio(part: bigint, whole: bigint): number {
  return part === whole ? 1 : Number((part * PRECISION) / whole) / Number(PRECISION);
}
