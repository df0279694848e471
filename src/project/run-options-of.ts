import { DEFAULT_RETRIES, type PassingCategory, type RetryPolicies } from "../run/calls/retry-policy.ts";
import type { RunOptions } from "../run/run-options.ts";
import type { Settings } from "./settings.ts";

/** What the engine is told of settings; scenarios, the store and the name of the run come from elsewhere. */
export function runOptionsOf(settings: Settings): Omit<RunOptions, "scenarios" | "store" | "run"> {
  const { subjects, judges, replicates, concurrency, turnLimit, seed } = settings;
  const { fresh, judging, reading, earlierTurns, toolSteps, timeouts } = settings;
  const { rows, rubric, detectRefusal, budget, tools, caps, retries, providers } = settings;
  return {
    subjects,
    judge: judges,
    replicates,
    concurrency,
    turnLimit,
    seed,
    fresh,
    judging,
    ...(reading === "rules" ? {} : { reading }),
    earlierTurns,
    toolSteps,
    timeouts,
    ...(rows === undefined ? {} : { rows }),
    ...(rubric === undefined ? {} : { rubric }),
    ...(detectRefusal === undefined ? {} : { detectRefusal }),
    ...ifAny("budget", budget),
    ...ifAny("tools", tools),
    ...ifAny("caps", caps),
    ...ifAny("providers", providers),
    ...ifAny("retries", wholePolicies(retries)),
  };
}

/** An empty object says nothing, so that a run's description does not mention it. */
function ifAny<Key extends string, Value extends object>(
  key: Key,
  value: Value,
): { readonly [Name in Key]?: Value } {
  // The compiler takes a computed key for any text.
  return (Object.keys(value).length === 0 ? {} : { [key]: value }) as { readonly [Name in Key]?: Value };
}

/** The engine takes whole policies; a person may change one number of one. */
function wholePolicies(retries: Settings["retries"]): Partial<RetryPolicies> {
  return Object.fromEntries(
    Object.entries(retries).map(([category, policy]) => [
      category,
      // The shape knows no other categories.
      { ...DEFAULT_RETRIES[category as PassingCategory], ...policy },
    ]),
  );
}
