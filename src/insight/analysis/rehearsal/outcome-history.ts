import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import { leavesOf } from "../../../core/logic/composition.ts";
import type {
  Measure,
  NodeFilter,
  OutcomeCheck,
  OutcomeLeaf,
  SingleTurn,
} from "../../../core/outcomes/outcome-check.ts";
import { isMeasure } from "../../../core/outcomes/outcome-check.ts";
import {
  compileTurnField,
  compileTurnNumber,
  isAttempt,
  UNREADABLE,
} from "../../../core/outcomes/outcome-fields.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { TurnRecord } from "../../../core/state/state.ts";
import { canonicalJson, type JsonValue } from "../../../core/values/json.ts";
import type { DefinitionCode } from "./prepare-code.ts";

/** What an outcome or a text reads of the turns that are over. Conversations with the same histories have the same values. */
export interface History {
  /** What is kept of the turns: all in order, all in any order, the different ones, or only some at the beginning or the end. */
  readonly keep: "list" | "bag" | "set" | { readonly first: number } | { readonly last: number };
  /** What is read of a turn; undefined if it does not count. */
  readonly read: (turn: TurnRecord) => string | undefined;
}

/** A history with one more turn. */
export function withTurn(
  { keep, read }: History,
  before: readonly string[],
  turn: TurnRecord,
): readonly string[] {
  const value = read(turn);
  if (value === undefined || (keep === "set" && before.includes(value))) return before;
  if (keep === "set" || keep === "bag") return [...before, value].sort();
  if (keep === "list") return [...before, value];
  if ("last" in keep) return [...before, value].slice(-keep.last);
  return before.length < keep.first ? [...before, value] : before;
}

/** The histories that the outcomes of a definition need, and the texts that read turns by their number. */
export function outcomeHistories(
  { outcomes, nodes, edges, systemPrompt }: ScenarioDefinition,
  code: DefinitionCode,
): readonly History[] {
  const needs = [
    needsOfParts(...Object.values(nodes), systemPrompt),
    ...edges.map(({ when }) => needsOfParts(typeof when === "object" ? when : undefined)),
  ].flatMap(({ turns }) => turns);
  return [
    ...outcomes
      .filter(({ name }) => !code.opaqueOutcomes.has(name))
      .flatMap(({ check }) => historiesOf(check)),
    ...needs.flatMap(({ node, index = null }): readonly History[] =>
      node === undefined || node === null ? [{ keep: keepAt(index), read: everything }] : [],
    ),
  ];
}

function keepAt(index: number | null): History["keep"] {
  return index === null ? "list" : index < 0 ? { last: -index } : { first: index + 1 };
}

function historiesOf(check: OutcomeCheck): readonly History[] {
  // Code may read any turn, as may texts of an outcome.
  if (typeof check !== "object" || needsOfParts(check).turns.length > 0)
    return [{ keep: "list", read: everything }];
  return isMeasure(check) ? [ofMeasure(check)] : leavesOf(check).flatMap(ofLeaf);
}

function ofLeaf(leaf: OutcomeLeaf): readonly History[] {
  switch (leaf.type) {
    case "turn_check": {
      const { scope, field } = leaf;
      if (scope.type !== "any_turn" && scope.type !== "all_turns") return [ofTurn(scope, field)];
      return [{ keep: "set", read: inNodes(scope.node, fieldOf(field)) }];
    }
    case "cross_turn_check":
      return [ofTurn(leaf.sourceTurn, leaf.sourceField), ofTurn(leaf.targetTurn, leaf.targetField)];
    case "result_check":
      if (leaf.field === "turn_count") return [{ keep: "list", read: () => "" }];
      return leaf.field === "path" ? [{ keep: "list", read: ({ node }) => node }] : [];
    case "measure_check":
      return [
        ofMeasure(leaf.measure),
        ...(typeof leaf.expected === "number" ? [] : [ofMeasure(leaf.expected)]),
      ];
  }
}

function ofTurn(scope: SingleTurn, field: string): History {
  const read = fieldOf(field);
  switch (scope.type) {
    case "first_turn":
      return { keep: { first: 1 }, read };
    case "last_turn":
      return { keep: { last: 1 }, read };
    case "last_attempt":
      return {
        keep: { last: 1 },
        read: inNodes(scope.node, (turn) => (isAttempt(turn) ? read(turn) : undefined)),
      };
    case "turn_at":
      return { keep: keepAt(scope.index), read };
  }
}

function ofMeasure(measure: Measure): History {
  const { node } = measure;
  switch (measure.type) {
    case "count_turns":
    case "longest_run":
    case "first_match_index": {
      const reads = ["verify_result", ...Object.keys(measure.where ?? {})].map(fieldOf);
      const read = (turn: TurnRecord): string => reads.map((one) => one(turn)).join();
      if (measure.type !== "first_match_index")
        return { keep: measure.type === "count_turns" ? "bag" : "list", read: inNodes(node, read) };
      const counted = inNodes(node, read);
      return { keep: "list", read: (turn) => counted(turn) ?? "" };
    }
    case "min_over_turns":
    case "mean_over_turns":
    case "last_over_turns": {
      const number = compileTurnNumber(measure.field);
      const read = (turn: TurnRecord): string | undefined => {
        const value = number(turn);
        return value === undefined ? undefined : String(value);
      };
      const keep = { min_over_turns: "set", mean_over_turns: "bag", last_over_turns: { last: 1 } } as const;
      return { keep: keep[measure.type], read: inNodes(node, read) };
    }
    default: {
      const verdict = ({ notVerified, verifyResult }: TurnRecord): string | undefined =>
        notVerified === true ? undefined : String(verifyResult);
      return { keep: "list", read: inNodes(node, verdict) };
    }
  }
}

function inNodes(filter: NodeFilter | undefined | null, read: History["read"]): History["read"] {
  if (filter === undefined || filter === null) return read;
  const nodes = new Set([filter].flat());
  return (turn) => (nodes.has(turn.node) ? read(turn) : undefined);
}

function fieldOf(field: string): (turn: TurnRecord) => string {
  const read = compileTurnField(field);
  return (turn) => {
    const value = read?.(turn) ?? null;
    if (field === "verify_result" && turn.notVerified === true) return "not verified";
    // What turns have is data.
    return value === UNREADABLE ? "unreadable" : canonicalJson(value as JsonValue);
  };
}

function everything({
  node,
  verifyResult,
  score,
  notVerified,
  parsed,
  rubric,
  refused,
  user,
}: TurnRecord): string {
  const parts = [node, verifyResult, score, notVerified, parsed, rubric, refused, user];
  return JSON.stringify(parts.map((part) => part ?? null));
}
