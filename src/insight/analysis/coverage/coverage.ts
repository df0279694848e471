import { DEFAULTS } from "../../../core/defaults.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { lazy } from "../../../core/lazy.ts";
import { END, END_IN_FILES, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { variantCells } from "../../../core/scenario/variants.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import type { CellTally } from "../../../engine/journal/fold/tally.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { storedDefinitions, storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { openRows, type RowOptions } from "../../../engine/run/open-rows.ts";
import type { Rehearsal, Witness } from "../rehearsal/rehearsal.ts";
import { rehearse } from "../rehearsal/rehearse.ts";
import { reachedPaths } from "./reached-paths.ts";

/** What is covered. */
export const COVERED = ["nodes", "edges", "outcomes", "routes", "paths"] as const;

/** The name of something that can be covered. */
export type CoveredKind = (typeof COVERED)[number];

/** How much was reached of what can be reached. Counts of paths may be larger than numbers. */
export interface CoveredShare {
  readonly reached: bigint;
  /** Null if it is not known how much there is. */
  readonly possible: bigint | null;
}

/**
 * How much was reached, by kind. `outcomes` are values of outcomes, `routes` are sequences of nodes, `paths` are sequences of replies
 * that the scenario distinguishes, as `rehearse` counts them.
 */
export type CoveredShares = Readonly<Record<CoveredKind, CoveredShare>>;

/** Something that can be reached and was not. */
export interface NotReached {
  readonly kind: Exclude<CoveredKind, "routes" | "paths">;
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
  /** False to leave out how many paths were reached: that reads every conversation (default true). */
  readonly paths?: boolean;
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
    paths: countsPaths = true,
    ...rows
  } = options;
  const names = runs.map((run) => storedRun(store, run).run);
  const found = new Map<
    string,
    { tallies: CellTally[]; definition: ScenarioDefinition | undefined; turnLimit: number }
  >();
  for (const run of names) {
    const stored = lazy(() => storedDefinitions(store, run));
    const { turnLimit } = storedRun(store, run).start.configuration;
    for (const tally of store.tallies(run)) {
      if (wanted !== undefined && tally.scenario !== wanted) continue;
      if (subject !== undefined && tally.subject !== subject) continue;
      const known = found.get(tally.scenario) ?? { tallies: [], definition: undefined, turnLimit: 0 };
      known.tallies.push(tally);
      known.definition = definitions?.get(tally.scenario) ?? stored().get(tally.scenario) ?? known.definition;
      known.turnLimit = Math.max(
        known.turnLimit,
        typeof turnLimit === "number" ? turnLimit : DEFAULTS.turnLimit,
      );
      found.set(tally.scenario, known);
    }
  }
  const scenarios: ScenarioCoverage[] = [];
  for (const [scenario, { tallies, definition, turnLimit }] of found) {
    if (definition === undefined) continue;
    const rehearsed = await rehearsalOf(definition, { ...rows, turnLimit, maxStates, list: 0 });
    const never = all
      ? await neverRun(store, names, { definition, tallies, rows })
      : { rows: NOTHING, variants: NOTHING };
    const paths = countsPaths ? await reachedPaths(store, names, { definition, rows, subject }) : null;
    scenarios.push(scenarioCoverage({ scenario, tallies, definition, paths, ...rehearsed, ...never }));
  }
  return { runs: names, scenarios, all: summed(scenarios.map(({ all }) => all)) };
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
  readonly paths: bigint | null;
}

function possibleOf(definition: ScenarioDefinition, rehearsal: Rehearsal | null): Possible {
  if (rehearsal === null)
    return {
      nodes: new Map(definition.nodeIds.map((id) => [id, null])),
      edges: new Map(definition.edges.map((_, edge) => [String(edge), null])),
      outcomes: new Map(),
      routes: null,
      paths: null,
    };
  const { nodes, edges, outcomes, paths } = rehearsal;
  return {
    nodes: new Map(
      nodes.flatMap(({ id, isReached, witness }) => (isReached === "no" ? [] : [[id, witness]])),
    ),
    edges: new Map(
      edges.flatMap(({ edge, isTaken, witness }) => (isTaken === "no" ? [] : [[String(edge), witness]])),
    ),
    // What could not be read, or does not apply, is no value that a run must have.
    outcomes: new Map(
      outcomes.flatMap(({ name, values }) =>
        values.flatMap(({ value, witness }) =>
          typeof value === "string" ? [] : [[`${name}=${value}`, witness]],
        ),
      ),
    ),
    routes: paths.routes,
    paths: paths.count,
  };
}

/** What some conversations reached, by the names of its parts. */
interface Reached {
  readonly nodes: Set<string>;
  readonly edges: Set<string>;
  readonly outcomes: Set<string>;
  readonly routes: Set<string>;
  /** Null if they were not counted. */
  readonly paths: ReadonlySet<string> | null;
}

function reachedBy(tallies: readonly CellTally[], taken: ReachedPaths): Reached {
  const subjects = [...new Set(tallies.map(({ subject }) => subject))];
  const reached: Reached = {
    nodes: new Set(),
    edges: new Set(),
    outcomes: new Set(),
    routes: new Set(),
    paths: taken === null ? null : new Set(subjects.flatMap((subject) => [...(taken.get(subject) ?? [])])),
  };
  for (const { visits, edges, outcomes, paths } of tallies) {
    for (const [node, count] of visits) if (count > 0) reached.nodes.add(node);
    for (const [edge, count] of edges) if (count > 0) reached.edges.add(String(edge));
    for (const { name, value, count } of outcomes)
      if (count > 0 && typeof value !== "string") reached.outcomes.add(`${name}=${value}`);
    for (const { path, count } of paths)
      if (count > 0 && path !== null) reached.routes.add(JSON.stringify(path));
  }
  return reached;
}

type ReachedPaths = Awaited<ReturnType<typeof reachedPaths>>;

function scenarioCoverage({
  scenario,
  tallies,
  definition,
  paths,
  rehearsal,
  problem,
  rows,
  variants,
}: {
  readonly scenario: string;
  readonly tallies: readonly CellTally[];
  readonly definition: ScenarioDefinition;
  readonly paths: ReachedPaths;
  readonly rehearsal: Rehearsal | null;
  readonly problem?: string;
  readonly rows: NeverRun;
  readonly variants: NeverRun;
}): ScenarioCoverage {
  const possible = possibleOf(definition, rehearsal);
  const all = reachedBy(tallies, paths);
  const subjects = [...new Set(tallies.map((tally) => tally.subject))].sort();
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
    scenario,
    all: sharesOf(possible, all),
    subjects: Object.fromEntries(
      subjects.map((subject) => [
        subject,
        sharesOf(
          possible,
          reachedBy(
            tallies.filter((tally) => tally.subject === subject),
            paths,
          ),
        ),
      ]),
    ),
    notReached,
    rows,
    variants,
    ...(problem === undefined ? {} : { problem }),
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
  const counted = (found: number, all: bigint | null): CoveredShare => ({
    reached: BigInt(found),
    possible: all === null ? null : greater(all, BigInt(found)),
  });
  return {
    nodes: share(possible.nodes, reached.nodes),
    edges: share(possible.edges, reached.edges),
    outcomes: share(possible.outcomes, reached.outcomes),
    routes: counted(reached.routes.size, possible.routes),
    // At least one path belongs to each route.
    paths: counted(
      reached.paths?.size ?? reached.routes.size,
      reached.paths === null ? null : possible.paths,
    ),
  };
}

function greater(one: bigint, other: bigint): bigint {
  return one < other ? other : one;
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

async function neverRun(
  store: Store,
  runs: readonly string[],
  {
    definition,
    tallies,
    rows,
  }: {
    readonly definition: ScenarioDefinition;
    readonly tallies: readonly CellTally[];
    readonly rows: RowOptions;
  },
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
