import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { foldTurn } from "../../core/state/advance-state.ts";
import { INITIAL_STATE, type ScenarioState } from "../../core/state/state.ts";
import { isFinishedTurn, type Turn } from "../../journal/turn.ts";
import { linkSources } from "../../run/sandbox/link-sources.ts";
import { openSandbox } from "../../run/sandbox/open-sandbox.ts";

/**
 * The state after each turn, as routing saw it; undefined for a turn that is not finished. Code that updates the state runs in a
 * sandbox, as it did in the run.
 */
export async function replayStates(
  turns: readonly Turn[],
  definition: ScenarioDefinition | undefined,
  seed: number,
): Promise<readonly (ScenarioState | undefined)[]> {
  const hasUpdates = Object.values(definition?.nodes ?? {}).some(
    ({ stateUpdate }) => stateUpdate !== undefined,
  );
  if (definition === undefined || !hasUpdates) return foldAll(turns);
  const sandbox = await openSandbox({ seed });
  try {
    const linked = await linkSources(definition, (source) => sandbox.compile(source));
    return await sandbox.evaluate(() => foldAll(turns, linked.definition));
  } finally {
    sandbox.dispose();
  }
}

function foldAll(
  turns: readonly Turn[],
  definition?: ScenarioDefinition,
): readonly (ScenarioState | undefined)[] {
  let state = INITIAL_STATE;
  return turns.map((turn) => {
    if (!isFinishedTurn(turn)) return undefined;
    ({ state } = foldTurn(state, turn, definition?.nodes[turn.node]?.stateUpdate));
    return state;
  });
}
