import { isMeasure } from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { nameHint } from "../../../core/schema/nearest-name.ts";
import { parseThreshold, type Threshold } from "../../../insight/report/data/thresholds.ts";
import type { Output } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";

/** The thresholds of outcomes. Settings are validated, so a threshold that cannot be read is not expected. */
export function thresholdsOf({ failUnder }: Pick<Settings, "failUnder">): readonly Threshold[] {
  return Object.entries(failUnder).map(([outcome, limit]) => {
    const threshold = parseThreshold(`${outcome}=${limit}`);
    if (typeof threshold === "string") throw new ProjectError([threshold]);
    return threshold;
  });
}

/**
 * The thresholds that apply to a run. A threshold for an unknown outcome is refused before the first call. A threshold whose scenarios
 * are not among the chosen ones, but among all, is left out, with a message.
 */
export async function usableThresholds(
  settings: Pick<Settings, "failUnder">,
  {
    chosen,
    all,
  }: {
    readonly chosen: readonly ScenarioDefinition[];
    readonly all: () => Promise<readonly ScenarioDefinition[]>;
  },
  messages: Output,
): Promise<readonly Threshold[]> {
  const thresholds = thresholdsOf(settings);
  refuseImpossible(thresholds, chosen);
  const present = outcomeNames(chosen);
  const missing = thresholds.filter(({ outcome }) => !present.has(outcome));
  if (missing.length === 0) return thresholds;
  const known = outcomeNames(await all());
  const problems = missing
    .filter(({ outcome }) => !known.has(outcome))
    .map(
      ({ outcome }) =>
        `A threshold is set for the outcome "${outcome}", which no scenario has. ${nameHint(outcome, known)}`,
    );
  if (problems.length > 0) throw new ProjectError(problems);
  for (const { outcome } of missing)
    messages.write(
      `The threshold of ${outcome} is left out: none of the chosen scenarios has this outcome.\n`,
    );
  return thresholds.filter((threshold) => !missing.includes(threshold));
}

/** A rate is between 0 and 1: a threshold of 90 can never be reached, one below 0 never missed. */
function refuseImpossible(thresholds: readonly Threshold[], scenarios: readonly ScenarioDefinition[]): void {
  const checks = scenarios.flatMap(({ outcomes }) => outcomes);
  const problems = thresholds.flatMap(({ outcome, minimum }) => {
    const own = checks.filter(({ name }) => name === outcome);
    const isRate = own.length > 0 && own.every(({ check }) => typeof check === "object" && !isMeasure(check));
    return isRate && (minimum < 0 || minimum > 1)
      ? [`The threshold ${outcome}=${minimum} must be a rate from 0 to 1, such as 0.9 or 90 %.`]
      : [];
  });
  if (problems.length > 0) throw new ProjectError(problems);
}

/** The names of all outcomes and declared rates. */
export function outcomeNames(scenarios: readonly ScenarioDefinition[]): ReadonlySet<string> {
  return new Set(
    scenarios.flatMap(({ outcomes, rates = {} }) => [
      ...outcomes.map(({ name }) => name),
      ...Object.keys(rates),
    ]),
  );
}
