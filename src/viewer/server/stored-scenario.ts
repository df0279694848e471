import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { parseScenario } from "../../core/scenario/parse-scenario.ts";
import { DefinitionError } from "../../core/schema/format-issue.ts";
import type { Store } from "../../journal/store/store.ts";
import { definitionsOf } from "../../journal/transfer/stored-run.ts";

const MOST = 500;
const parsed = new WeakMap<Store, Map<string, ScenarioDefinition | null>>();

/** A scenario of a run, read once; undefined if it is not there, or has functions that cannot stand alone. */
export function storedScenario(store: Store, run: string, scenario: string): ScenarioDefinition | undefined {
  const known = parsed.get(store) ?? new Map<string, ScenarioDefinition | null>();
  parsed.set(store, known);
  const key = JSON.stringify([run, scenario]);
  const before = known.get(key);
  if (before !== undefined) return before ?? undefined;
  if (known.size >= MOST) known.clear();
  for (const event of definitionsOf(store, run)) {
    if (event.scenario !== scenario) continue;
    known.set(key, parse(event.definition));
    return known.get(key) ?? undefined;
  }
  return undefined;
}

function parse(definition: string): ScenarioDefinition | null {
  try {
    return parseScenario(JSON.parse(definition));
  } catch (error) {
    if (error instanceof DefinitionError) return null;
    throw error;
  }
}
