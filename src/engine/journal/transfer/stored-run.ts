import type { DatasetSource } from "../../../core/scenario/dataset.ts";
import { copyDefinition, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import { DefinitionError } from "../../../core/schema/format-issue.ts";
import { isRecord, ownValue } from "../../../core/values/json.ts";
import { Cassette } from "../../models/cassette/cassette.ts";
import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import { RunError } from "../failure.ts";
import { type Conversation, foldConversation } from "../fold/conversation.ts";
import { callIdentity, definitionsIn } from "../fold/run.ts";
import type { RunEvent, RunStart, ScenarioDefine } from "../run-event.ts";
import type { RunSummary, Store } from "../store/store.ts";

/** The run of this name; throws `RunError` if there is none. */
export function storedRun(store: Store, name: string): RunSummary {
  const summary = store.run(name);
  if (summary === undefined) throw new RunError([`There is no run "${name}" in the store.`]);
  return summary;
}

/** The events of a conversation, and what they come to. */
export interface StoredConversation {
  readonly events: readonly RunEvent[];
  readonly folded: Conversation;
}

/**
 * The conversations that an arm of a fork continues, the first of them first, and the arm itself. Each is taken once: in a forged store,
 * parents may lead in a circle.
 */
export function withForkParents(
  store: Store,
  run: string,
  conversation: string,
): readonly StoredConversation[] {
  const found = new Map<string, StoredConversation>();
  for (let name: string | undefined = conversation; name !== undefined && !found.has(name); ) {
    const events = [...store.events(run, name)];
    const folded = foldConversation(events);
    found.set(name, { events, folded });
    name = folded.fork?.parent;
  }
  return [...found.values()].reverse();
}

/** The events that define the scenarios of a run; they come before the first conversation. */
export function definitionsOf(store: Store, run: string): Iterable<ScenarioDefine & Pick<RunEvent, "at">> {
  return definitionsIn(store.events(run, null));
}

/**
 * The scenarios of a run, by name, for reading and drawing. One with functions that cannot stand alone may be missing.
 */
export function storedDefinitions(store: Store, run: string): ReadonlyMap<string, ScenarioDefinition> {
  const { start } = storedRun(store, run);
  const definitions = new Map<string, ScenarioDefinition>();
  for (const event of definitionsOf(store, run)) {
    const definition = storedDefinition(event, start);
    if (definition !== undefined) definitions.set(event.scenario, definition);
  }
  return definitions;
}

/** One scenario of a run. Its dataset is that of the run: the path of a file is from where the run was started. */
export function storedDefinition(
  { scenario, definition: text }: ScenarioDefine,
  { configuration: { datasets } }: RunStart,
): ScenarioDefinition | undefined {
  try {
    const definition = parseScenario(JSON.parse(text));
    const source = isRecord(datasets) ? ownValue(datasets, scenario) : undefined;
    if (!isRecord(source) || typeof source.file !== "string") return definition;
    // Written by a run from the same options.
    return copyDefinition(definition, { dataset: source as DatasetSource });
  } catch (error) {
    if (error instanceof DefinitionError) return undefined;
    throw error;
  }
}

/**
 * All answered calls of a run as a cassette, which can stand in for its models. Answers that were never kept are not in it:
 * those of simulated models, which need none, and those that were cut off.
 */
export function cassetteFromRun(store: Store, name: string): Cassette {
  const cassette = new Cassette();
  const { run } = storedRun(store, name);
  for (const event of store.events(run)) {
    const identity = callIdentity(event);
    const call = identity === undefined ? undefined : answeredCall(store, run, identity);
    if (call !== undefined) cassette.set(call);
  }
  return cassette;
}

/** A call of a run with its answer: one that came with the run, or else one of the project. */
export function answeredCall(store: Store, run: string, identity: string): RecordedCall | undefined {
  return store.callsOf(run).get(identity) ?? store.calls.get(identity);
}
