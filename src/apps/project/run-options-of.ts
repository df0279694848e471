import {
  DEFAULT_RETRIES,
  type PassingCategory,
  type RetryPolicies,
} from "../../engine/run/calls/retry-policy.ts";
import type { RunOptions } from "../../engine/run/run-options.ts";
import type { Settings } from "./settings.ts";

/** Settings as options of a run, without scenarios, store and name. */
export function runOptionsOf(settings: Settings): Omit<RunOptions, "scenarios" | "store" | "run"> {
  const {
    scenarios: _scenarios,
    only: _only,
    tags: _tags,
    store: _store,
    failUnder: _failUnder,
    minDecided: _minDecided,
    failOnErrors: _failOnErrors,
    junit: _junit,
    judges: judge,
    patience: patienceMs,
    retries,
    ...options
  } = settings;
  const all = { ...options, judge, patienceMs, retries: wholePolicies(retries) };
  // What is off or empty is left out, so that the stored options of a run do not list it.
  const isGiven = ([key, value]: [string, unknown]): boolean =>
    value !== undefined &&
    !(OFF.has(key) && value === false) &&
    !(EMPTY.has(key) && Object.keys(value as object).length === 0);
  // The names and types are those of the options; only whole entries are left out.
  return Object.fromEntries(Object.entries(all).filter(isGiven)) as ReturnType<typeof runOptionsOf>;
}

const OFF: ReadonlySet<string> = new Set(["allowUnread", "retryUnreadable", "skipBadRows"]);
const EMPTY: ReadonlySet<string> = new Set(["variant", "budget", "tools", "caps", "providers", "retries"]);

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
