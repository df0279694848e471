import { memoize } from "../../../core/lazy.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { shownScenario } from "../../../core/scenario/shown-scenario.ts";
import { isFinished } from "../../../core/state/state.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { ConversationSummary, Store } from "../../../engine/journal/store/store.ts";
import type { FinishedTurn } from "../../../engine/journal/turn.ts";
import { openRows, type RowOptions } from "../../../engine/run/open-rows.ts";
import { Oracle, prepareCode } from "../rehearsal/prepare-code.ts";
import { seenOf, type WatchedTurn, watchedTurns } from "../rehearsal/watched-turns.ts";

/** Of larger runs it takes too long to read every conversation. */
const MOST_CONVERSATIONS = 10_000;

/** A scenario whose paths are counted. */
interface CountedPaths {
  readonly definition: ScenarioDefinition;
  readonly rows: RowOptions;
  readonly subject?: string | undefined;
}

/**
 * The paths that the conversations of some runs took, by subject: sequences of nodes and of replies that the scenario distinguishes, as a
 * rehearsal counts them. Null if there are too many conversations.
 */
export async function reachedPaths(
  store: Store,
  runs: readonly string[],
  { definition, rows, subject }: CountedPaths,
): Promise<ReadonlyMap<string, ReadonlySet<string>> | null> {
  const values = await rowValues(definition, rows);
  const watched = new Map<string, Promise<ReadonlyMap<string, WatchedTurn>>>();
  const found = new Map<string, Set<string>>();
  let read = 0;
  for (const run of runs)
    for (const summary of store.conversations(run, { scenario: definition.name })) {
      if (subject !== undefined && summary.subject !== subject) continue;
      // A conversation that was cut short or failed took no whole path; one that continues in arms takes those of its arms.
      if (!isFinished(summary.status)) continue;
      if (++read > MOST_CONVERSATIONS) return null;
      const { row, variant, conversation } = summary;
      const { finishedTurns: turns, rowValues: known } = foldConversation(store.events(run, conversation));
      const place = memoize(watched, JSON.stringify([row, variant]), () =>
        watchedAt(definition, values.get(row ?? "") ?? known ?? undefined, variant),
      );
      const path = pathOf(summary, turns, await place);
      memoize(found, summary.subject, () => new Set<string>()).add(path);
    }
  return found;
}

async function rowValues(
  definition: ScenarioDefinition,
  rows: RowOptions,
): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  // The rows of a stored run may be missing: then what depends on them is distinguished by its values.
  const dataset = await openRows(definition, rows).catch(() => null);
  if (dataset !== null) for await (const { id, values } of dataset) found.set(id, values);
  return found;
}

async function watchedAt(
  definition: ScenarioDefinition,
  row: JsonObject | undefined,
  variant: ConversationSummary["variant"],
): Promise<ReadonlyMap<string, WatchedTurn>> {
  const shown = shownScenario(definition, { row: row ?? null, variant });
  const prepared = await prepareCode(shown, new Oracle());
  try {
    return watchedTurns(prepared.definition, prepared.code);
  } finally {
    prepared.dispose();
  }
}

function pathOf(
  { arm, status }: ConversationSummary,
  turns: readonly FinishedTurn[],
  watched: ReadonlyMap<string, WatchedTurn>,
): string {
  const seen = turns.map((turn) => {
    const { node, next, user } = turn;
    return [node, next, user?.reveals, user?.done, seenOf(turn, watched.get(node))];
  });
  return JSON.stringify([arm, status, seen]);
}
