import type { Check } from "../../core/checks/check.ts";
import { type ShorthandValue, shorthandCheck } from "../../core/checks/shorthand.ts";
import { isComposition, leavesOf } from "../../core/logic/composition.ts";
import {
  isMeasure,
  type Measure,
  type NodeFilter,
  nodeFilter,
  type OutcomeCheck,
  type OutcomeLeaf,
  type TurnScope,
} from "../../core/outcomes/outcome-check.ts";
import type { JsonValue } from "../../core/values/json.ts";

/** A field that an outcome reads, and what it is compared with; nothing if the value itself matters. */
interface FieldRead {
  /** `verify_result`, `parsed.city`. */
  readonly field: string;
  readonly compared?: readonly { readonly verifyWith?: Check; readonly expected?: JsonValue }[];
}

/** Which turns matter: all in order, all in any order, the different ones, or only some at the beginning or the end. */
export type KeptTurns = "list" | "bag" | "set" | { readonly first: number } | { readonly last: number };

/** One thing that an outcome reads of the turns. */
export interface TurnsRead {
  /** What is read of each turn; none if turns are only counted; null for everything, as code may. */
  readonly fields: readonly FieldRead[] | null;
  readonly keep: KeptTurns;
  /** Only turns at these nodes. */
  readonly nodes?: NodeFilter | undefined;
  /** Only turns that were verified: at a node with a template, and not left out by its gate; or just not left out. */
  readonly only?: "attempts" | "not left out";
  /** True if the turns at other nodes are counted, too. */
  readonly countsOthers?: true;
  /** True if turns without a number there are left out. */
  readonly isNumber?: true;
}

/** What an outcome reads of a conversation. */
interface OutcomeReads {
  readonly turns: readonly TurnsRead[];
  /** Of the conversation as a whole: `status`, `accumulated.n`. */
  readonly result: readonly string[];
}

/** What an outcome reads; its texts are looked at elsewhere. */
export function outcomeReads(check: OutcomeCheck): OutcomeReads {
  if (typeof check !== "object") return { turns: [{ fields: null, keep: "list" }], result: [] };
  const leaves = isComposition(check) || !isMeasure(check) ? leavesOf(check) : [];
  return {
    turns: isMeasure(check) ? [measureRead(check)] : leaves.flatMap(leafReads),
    result: leaves.flatMap((leaf) => (leaf.type === "result_check" ? [leaf.field] : [])),
  };
}

/** The names of everything that an outcome reads. */
export function fieldsRead(check: OutcomeCheck): readonly string[] {
  const { turns, result } = outcomeReads(check);
  return [...turns.flatMap(({ fields }) => fields ?? []).map(({ field }) => field), ...result];
}

/** Keeps the turns that a position, from the end if it is negative, may mean; null means any. */
export function keptAt(index: number | null): KeptTurns {
  return index === null ? "list" : index < 0 ? { last: -index } : { first: index + 1 };
}

function leafReads(leaf: OutcomeLeaf): readonly TurnsRead[] {
  switch (leaf.type) {
    case "turn_check":
      return [scopeRead(leaf.scope, { field: leaf.field, compared: [leaf] })];
    case "cross_turn_check":
      return [
        scopeRead(leaf.sourceTurn, { field: leaf.sourceField }),
        scopeRead(leaf.targetTurn, { field: leaf.targetField }),
      ];
    case "result_check":
      if (leaf.field === "turn_count") return [{ fields: [], keep: "list" }];
      return leaf.field === "path" ? [{ fields: [{ field: "node_id" }], keep: "list" }] : [];
    case "measure_check":
      return [leaf.measure, leaf.expected].flatMap((one) =>
        typeof one === "number" ? [] : measureRead(one),
      );
  }
}

function scopeRead(scope: TurnScope, field: FieldRead): TurnsRead {
  const read = { fields: [field], nodes: nodeFilter(scope) };
  switch (scope.type) {
    case "first_turn":
      return { ...read, keep: { first: 1 } };
    case "last_turn":
      return { ...read, keep: { last: 1 } };
    case "last_attempt":
      return { ...read, keep: { last: 1 }, only: "attempts" };
    case "turn_at":
      return { ...read, keep: keptAt(scope.index) };
    default:
      return { ...read, keep: "set" };
  }
}

const VERDICT: FieldRead = { field: "verify_result" };

function measureRead(measure: Measure): TurnsRead {
  const nodes = measure.node;
  switch (measure.type) {
    case "count_turns":
    case "first_match_index":
    case "longest_run": {
      const { verifyResult, where = {}, type } = measure;
      const compared = Object.entries(where).map(([field, value]) => ({
        field,
        compared: comparedWith(value),
      }));
      const isPlainRun = type === "longest_run" && compared.length === 0;
      return {
        fields: [...(verifyResult !== undefined || isPlainRun ? [VERDICT] : []), ...compared],
        keep: type === "count_turns" ? "bag" : "list",
        nodes,
        ...(type === "first_match_index" ? { countsOthers: true } : {}),
      };
    }
    case "min_over_turns":
    case "mean_over_turns":
    case "last_over_turns": {
      const keep = { min_over_turns: "set", mean_over_turns: "bag", last_over_turns: { last: 1 } } as const;
      return { fields: [{ field: measure.field }], keep: keep[measure.type], nodes, isNumber: true };
    }
    default:
      return { fields: [VERDICT], keep: "list", nodes, only: "not left out" };
  }
}

function comparedWith(value: ShorthandValue): NonNullable<FieldRead["compared"]> {
  type Compared = NonNullable<FieldRead["compared"]>[number];
  return leavesOf(shorthandCheck<Compared>(value, (verifyWith, expected) => ({ verifyWith, expected })));
}
