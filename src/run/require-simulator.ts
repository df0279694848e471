import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import { RunError } from "../journal/failure.ts";
import { list, type RunOptions } from "./run-options.ts";

/** Throws `RunError` if a scenario has a simulated user, and the run has no model that plays it. */
export function requireSimulator({ scenarios, simulator }: RunOptions): void {
  const problems = list(scenarios).flatMap((definition) =>
    simulatorProblems(definition, simulator !== undefined),
  );
  if (problems.length > 0) throw new RunError(problems);
}

/** Which users of a scenario have no simulator, in a sentence. */
export function simulatorProblems(
  { name, nodes }: ScenarioDefinition,
  hasSimulator: boolean,
): readonly string[] {
  if (hasSimulator) return [];
  const ids = Object.entries(nodes).flatMap(([id, { user }]) =>
    user !== undefined && user.simulator === undefined ? [id] : [],
  );
  if (ids.length === 0) return [];
  return [
    `Scenario "${name}" has a simulated user at ${ids.map((id) => JSON.stringify(id)).join(", ")}. Name a model that plays it, such as --simulator openai/gpt-5-mini (in code: \`simulator\`); sim/user plays it without a model.`,
  ];
}
