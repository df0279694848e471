import { isComposition } from "../../../core/logic/composition.ts";
import { isMeasure, nodeFilter, type Outcome } from "../../../core/outcomes/outcome-check.ts";
import type { RateDeclaration } from "../../../core/outcomes/rate.ts";
import type { Interval } from "../../../core/statistics/proportions.ts";
import { isRecord, type UnknownRecord } from "../../../core/values/json.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { definitionsOf } from "../../../engine/journal/transfer/stored-run.ts";

/** What the scenarios of a run declare about its numbers. */
export interface RunFacts {
  /** The outcomes in the order in which authors wrote them. */
  readonly outcomes: readonly string[];
  /** Those with `shown: false`, which stand in no table unless they are named. */
  readonly hidden?: ReadonlySet<string>;
  /** The rates that scenarios declare, by name, in their order. */
  readonly rates: ReadonlyMap<string, RateDeclaration>;
  readonly scenarios: ReadonlyMap<string, ScenarioFacts>;
}

/** What one scenario declares. */
interface ScenarioFacts {
  readonly metadata: UnknownRecord;
  /**
   * Outcomes that say "all turns are right", with the nodes that they look at; null for all nodes. A life table follows these turns.
   */
  readonly sequences: ReadonlyMap<string, readonly string[] | null>;
  /** Outcomes that say "some turn is wrong", likewise. */
  readonly losses: ReadonlyMap<string, readonly string[] | null>;
  /** The least value of outcomes that count turns, and the greatest if each node is asked once. */
  readonly ranges: ReadonlyMap<string, Interval>;
  /** Of outcomes with a direction: true if more is better, false if less is. */
  readonly good: ReadonlyMap<string, boolean>;
}

/** Reads the definitions of one or more runs; of two scenarios with one name, the later run's counts. */
export function runFacts(store: Store, runs: readonly string[]): RunFacts {
  const outcomes = new Set<string>();
  const seen = new Set<string>();
  const rates = new Map<string, RateDeclaration>();
  const scenarios = new Map<string, ScenarioFacts>();
  for (const run of runs)
    for (const { scenario, definition } of definitionsOf(store, run)) {
      const data: unknown = JSON.parse(definition);
      if (!isRecord(data)) continue;
      const own = Array.isArray(data.outcomes)
        ? (data.outcomes.filter(isRecord) as unknown as Outcome[])
        : [];
      for (const { name, shown } of own) {
        outcomes.add(String(name));
        if (shown !== false) seen.add(String(name));
      }
      // Declarations were validated when the scenario was defined.
      const declared = (isRecord(data.rates) ? data.rates : {}) as Readonly<Record<string, RateDeclaration>>;
      for (const [name, rate] of Object.entries(declared)) if (!rates.has(name)) rates.set(name, rate);
      scenarios.set(scenario, {
        metadata: isRecord(data.metadata) ? data.metadata : {},
        sequences: found(own, sequenceNodes),
        losses: found(own, lossNodes),
        ranges: found(own, (check) =>
          rangeOf(check, Object.keys(isRecord(data.nodes) ? data.nodes : {}).length),
        ),
        good: new Map(own.flatMap(({ name, good }) => (good === undefined ? [] : [[name, good] as const]))),
      });
    }
  return {
    outcomes: [...outcomes],
    hidden: new Set([...outcomes].filter((name) => !seen.has(name))),
    rates,
    scenarios,
  };
}

/** What a function finds in the checks of outcomes. */
function found<Fact>(
  outcomes: readonly Outcome[],
  of: (check: Outcome["check"]) => Fact | undefined,
): ReadonlyMap<string, Fact> {
  return new Map(
    outcomes.flatMap(({ name, check }) => {
      const fact = of(check);
      return fact === undefined ? [] : [[name, fact] as const];
    }),
  );
}

/** What a number of turns lies between, if each of its nodes is asked once. */
function rangeOf(check: Outcome["check"], nodes: number): Interval | undefined {
  if (typeof check === "string" || typeof check === "function" || !isMeasure(check)) return undefined;
  const filter = check.node;
  const turns = typeof filter === "string" ? 1 : (filter?.length ?? nodes);
  switch (check.type) {
    case "persistence":
      return { low: 0, high: 1 };
    case "first_match_index":
      return { low: -1, high: turns - 1 };
    case "number_of_flips":
      return { low: 0, high: turns - 1 };
    case "count_turns":
    case "longest_run":
    case "turn_of_flip":
      return { low: 0, high: turns };
    default:
      return undefined;
  }
}

/** The nodes of the check "not all turns are right", alone or together with checks of other kinds. */
function lossNodes(check: unknown): readonly string[] | null | undefined {
  if (!isRecord(check)) return undefined;
  if (check.type === "not") return sequenceNodes(check.condition);
  if (check.type === "turn_check") return verdictNodes(check, { scope: "any_turn", expected: false });
  if (check.type !== "all_of" || !Array.isArray(check.conditions)) return undefined;
  const [nodes, ...others] = check.conditions.map(lossNodes).filter((one) => one !== undefined);
  return others.length === 0 ? nodes : undefined;
}

/** The nodes of the check "all turns are right", alone or together with a check of the whole conversation. */
function sequenceNodes(check: unknown): readonly string[] | null | undefined {
  if (!isRecord(check)) return undefined;
  // Data of a definition that was validated when it was defined.
  const known = check as unknown as Extract<Outcome["check"], { readonly type: string }>;
  if (isComposition(known)) {
    if (known.type !== "all_of") return undefined;
    const parts = known.conditions as readonly unknown[];
    const turns = parts.map(sequenceNodes).filter((nodes) => nodes !== undefined);
    const others = parts.filter((part) => isRecord(part) && part.type === "result_check");
    return turns.length === 1 && others.length === parts.length - 1 ? turns[0] : undefined;
  }
  return verdictNodes(check, { scope: "all_turns", expected: true });
}

/** The nodes of a check of verdicts, if it has this scope and expects this. */
function verdictNodes(
  check: UnknownRecord,
  wanted: { readonly scope: "all_turns" | "any_turn"; readonly expected: boolean },
): readonly string[] | null | undefined {
  const known = check as unknown as Extract<Outcome["check"], { readonly type: string }>;
  if (known.type !== "turn_check" || known.scope.type !== wanted.scope) return undefined;
  if (known.field !== "verify_result" || known.expected !== wanted.expected) return undefined;
  // Short forms write the usual comparison out.
  if (known.verifyWith !== undefined && known.verifyWith.type !== "boolean_match") return undefined;
  const filter = nodeFilter(known.scope);
  if (filter === undefined) return null;
  return typeof filter === "string" ? [filter] : filter;
}
