import {
  DEFAULT_RETRIES,
  type PassingCategory,
  type RetryPolicies,
} from "../../engine/run/calls/retry-policy.ts";
import type { RunOptions } from "../../engine/run/run-options.ts";
import type { Settings } from "./settings.ts";

/** Settings as options of a run, without scenarios, store and name. */
export function runOptionsOf(settings: Settings): Omit<RunOptions, "scenarios" | "store" | "run"> {
  const { subjects, judges, replicates, concurrency, turnLimit, seed } = settings;
  const { fresh, retryUnreadable, allowUnread, judging, reading, earlierTurns, toolSteps, timeouts } =
    settings;
  const {
    embedder,
    simulator,
    rows,
    patience,
    rubric,
    detectRefusal,
    budget,
    tools,
    caps,
    retries,
    providers,
  } = settings;
  const { dataset, skipBadRows, variant } = settings;
  return {
    subjects,
    judge: judges,
    replicates,
    concurrency,
    turnLimit,
    seed,
    fresh,
    judging,
    ...(allowUnread ? { allowUnread } : {}),
    ...(retryUnreadable ? { retryUnreadable } : {}),
    ...(reading === undefined ? {} : { reading }),
    earlierTurns,
    toolSteps,
    timeouts,
    ...(embedder === undefined ? {} : { embedder }),
    ...(simulator === undefined ? {} : { simulator }),
    ...(rows === undefined ? {} : { rows }),
    ...(dataset === undefined ? {} : { dataset }),
    ...(skipBadRows ? { skipBadRows } : {}),
    ...ifAny("variant", variant),
    ...(patience === undefined ? {} : { patienceMs: patience }),
    ...(rubric === undefined ? {} : { rubric }),
    ...(detectRefusal === undefined ? {} : { detectRefusal }),
    ...ifAny("budget", budget),
    ...ifAny("tools", tools),
    ...ifAny("caps", caps),
    ...ifAny("providers", providers),
    ...ifAny("retries", wholePolicies(retries)),
  };
}

/** Leaves out empty objects, so that the stored options of a run do not list them. */
function ifAny<Key extends string, Value extends object>(
  key: Key,
  value: Value,
): { readonly [Name in Key]?: Value } {
  // TypeScript types a computed key as any string.
  return (Object.keys(value).length === 0 ? {} : { [key]: value }) as { readonly [Name in Key]?: Value };
}

/** Completes retry policies: settings may change one number, the engine needs all of them. */
function wholePolicies(retries: Settings["retries"]): Partial<RetryPolicies> {
  return Object.fromEntries(
    Object.entries(retries).map(([category, policy]) => [
      category,
      // The shape knows no other categories.
      { ...DEFAULT_RETRIES[category as PassingCategory], ...policy },
    ]),
  );
}
