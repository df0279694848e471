import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { parseScenario } from "../../core/scenario/parse-scenario.ts";
import { DefinitionError } from "../../core/schema/format-issue.ts";
import type { RunEvent, ScenarioDefine } from "../run-event.ts";
import type { Store } from "../store/store.ts";

/** The events that define the scenarios of a run; they come before the first conversation. */
export function* definitionsOf(store: Store, run: string): Generator<ScenarioDefine & Pick<RunEvent, "at">> {
  for (const event of store.events(run)) {
    if ("conversation" in event && event.conversation !== undefined) return;
    if (event.type === "scenario-define") yield event;
  }
}

/**
 * The scenarios that a run was held with, by name. One that holds functions which cannot stand alone may be missing: what is
 * here is for reading and drawing, not for holding conversations.
 */
export function storedDefinitions(store: Store, run: string): ReadonlyMap<string, ScenarioDefinition> {
  const definitions = new Map<string, ScenarioDefinition>();
  for (const { scenario, definition } of definitionsOf(store, run)) {
    try {
      definitions.set(scenario, parseScenario(JSON.parse(definition)));
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
    }
  }
  return definitions;
}
