import { isFinished } from "../../../core/state/state.ts";
import type { CellTally } from "../../../engine/journal/fold/tally.ts";
import type { ConversationFilter, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import type { Traffic } from "../graph/drawn-graph.ts";
import { fitsFilter } from "./run-counts.ts";

/** How the conversations of a run went through one scenario. */
export interface ScenarioTraffic extends Traffic {
  readonly scenario: string;
  /** All conversations that were looked at. */
  readonly conversations: number;
  /** Of those, the ones that have not ended: their last question is not counted as a visit yet. */
  readonly underWay: number;
  /** Of those, the ones that time, money or machines ended early: how far they got is no whole path. */
  readonly cutShort: number;
  /** The whole paths of the others. */
  readonly paths: PathCounts;
}

const MOST_PATHS = 10;

/**
 * How often nodes were visited and edges followed. A visit is a question that was asked, answered or not. An edge
 * is followed if the question of its target was asked, or if it leads to `END`. So every visit of a node leaves it or stops there.
 */
export function runTraffic(
  store: Store,
  run: string,
  filter: ConversationFilter = {},
): readonly ScenarioTraffic[] {
  const { run: name } = storedRun(store, run);
  const scenarios = new Map<string, CellTally[]>();
  for (const tally of store.tallies(name)) {
    if (fitsFilter(tally, filter))
      scenarios.set(tally.scenario, [...(scenarios.get(tally.scenario) ?? []), tally]);
  }
  return [...scenarios].map(([scenario, tallies]) => scenarioTraffic(scenario, tallies));
}

function scenarioTraffic(scenario: string, tallies: readonly CellTally[]): ScenarioTraffic {
  const [visits, hops] = [new Map<string, number>(), new Map<number, number>()];
  let [conversations, underWay, finished] = [0, 0, 0];
  for (const tally of tallies) {
    conversations += tally.conversations;
    underWay += tally.open;
    for (const { status, count } of tally.statuses) if (isFinished(status)) finished += count;
    for (const [node, count] of tally.visits) increase(visits, node, count);
    for (const [edge, count] of tally.edges) increase(hops, edge, count);
  }
  const cutShort = conversations - underWay - finished;
  const paths = countPaths(
    tallies.flatMap((tally) => tally.paths),
    MOST_PATHS,
  );
  return { scenario, conversations, underWay, cutShort, visits, hops, paths };
}

function increase<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** A complete path through a scenario, and how many conversations took it. */
interface PathCount {
  /** The nodes in order. */
  readonly path: readonly string[];
  readonly count: number;
}

/** The paths of conversations, the most frequent first. */
export interface PathCounts {
  /** How many conversations were counted. */
  readonly conversations: number;
  readonly paths: readonly PathCount[];
  /** What is not among the paths; `paths` is null if there were too many different ones to count. */
  readonly others: { readonly conversations: number; readonly paths: number | null };
}

/** The most frequent paths; of equally frequent ones, in the order of their nodes. A path of null is not known. */
export function countPaths(
  all: readonly { readonly path: readonly string[] | null; readonly count: number }[],
  limit: number,
): PathCounts {
  const counts = new Map<string, number>();
  for (const { path, count } of all) if (path !== null) increase(counts, JSON.stringify(path), count);
  const conversations = all.reduce((sum, { count }) => sum + count, 0);
  const ranked = [...counts]
    .sort(([path, one], [otherPath, other]) => other - one || (path < otherPath ? -1 : 1))
    .slice(0, limit);
  const listed = ranked.reduce((sum, [, count]) => sum + count, 0);
  const isPart = all.some(({ path }) => path === null);
  return {
    conversations,
    // Keys are made of paths, above.
    paths: ranked.map(([key, count]) => ({ path: JSON.parse(key) as readonly string[], count })),
    others: { conversations: conversations - listed, paths: isPart ? null : counts.size - ranked.length },
  };
}
