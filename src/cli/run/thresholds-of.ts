import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { nearestOf } from "../../core/schema/nearest-name.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";
import { parseThreshold, type Threshold } from "../../report/data/thresholds.ts";
import type { Output } from "../../terminal/terminal.ts";

/** What outcomes must reach; a threshold that cannot be read was found when the settings were. */
export function thresholdsOf({ failUnder }: Pick<Settings, "failUnder">): readonly Threshold[] {
  return Object.entries(failUnder).map(([outcome, limit]) => {
    const threshold = parseThreshold(`${outcome}=${limit}`);
    if (typeof threshold === "string") throw new ProjectError([threshold]);
    return threshold;
  });
}

/** The scenarios of a run, and all that there would be without its filters. */
export interface ScenarioChoice {
  readonly chosen: readonly ScenarioDefinition[];
  readonly all: () => Promise<readonly ScenarioDefinition[]>;
}

/**
 * The thresholds that a run can be held to. One for an outcome that no scenario has is refused before anything is paid for; one whose
 * scenarios are not chosen this time is left out, which is said.
 */
export async function usableThresholds(
  settings: Pick<Settings, "failUnder">,
  { chosen, all }: ScenarioChoice,
  messages: Output,
): Promise<readonly Threshold[]> {
  const thresholds = thresholdsOf(settings);
  const present = outcomeNames(chosen);
  const missing = thresholds.filter(({ outcome }) => !present.has(outcome));
  if (missing.length === 0) return thresholds;
  const known = outcomeNames(await all());
  const unknown = missing.filter(({ outcome }) => !known.has(outcome));
  if (unknown.length > 0)
    throw new ProjectError(unknown.map(({ outcome }) => unknownOutcome(outcome, known)));
  for (const { outcome } of missing)
    messages.write(
      `The threshold of ${outcome} is left out: none of the chosen scenarios has this outcome.\n`,
    );
  return thresholds.filter((threshold) => !missing.includes(threshold));
}

function outcomeNames(scenarios: readonly ScenarioDefinition[]): ReadonlySet<string> {
  return new Set(scenarios.flatMap(({ outcomes }) => outcomes.map(({ name }) => name)));
}

function unknownOutcome(outcome: string, known: ReadonlySet<string>): string {
  const { nearest } = nearestOf(outcome, known);
  const there = known.size === 0 ? "They have none." : `There are ${[...known].join(", ")}.`;
  const hint = nearest === undefined ? there : `Did you mean "${nearest}"?`;
  return `A threshold is set for the outcome "${outcome}", which no scenario has. ${hint}`;
}
