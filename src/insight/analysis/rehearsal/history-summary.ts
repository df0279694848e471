import { compileComparison, shorthandCheck } from "../../../core/checks/shorthand.ts";
import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import { evaluateComposition, leavesOf } from "../../../core/logic/composition.ts";
import { allTrue, anyTrue, type Truth } from "../../../core/logic/kleene.ts";
import { isMeasure } from "../../../core/outcomes/measure.ts";
import type {
  Measure,
  MeasureCheck,
  NodeFilter,
  Outcome,
  OutcomeLeaf,
  ResultCheck,
  SingleTurn,
  TurnCheck,
  TurnFilter,
} from "../../../core/outcomes/outcome-check.ts";
import {
  compareRead,
  compileTurnField,
  compileTurnNumber,
  isAttempt,
  UNREADABLE,
} from "../../../core/outcomes/outcome-fields.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { TurnRecord } from "../../../core/state/state.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import { fixedComparison } from "./comparisons.ts";
import type { DefinitionCode } from "./prepare-code.ts";

/**
 * What an outcome or a text still needs to know of the turns that are over. Conversations with the same summaries have the same values,
 * whatever else they contain.
 */
export interface Summary {
  readonly start: JsonValue;
  /** The summary after one more turn; `index` counts from 0. */
  next(before: JsonValue, turn: TurnRecord, index: number): JsonValue;
}

/** The summaries that the outcomes of a definition need, and the texts that read turns by their number. */
export function historySummaries(definition: ScenarioDefinition, code: DefinitionCode): readonly Summary[] {
  const summaries = definition.outcomes
    .filter(({ name }) => !code.opaqueOutcomes.has(name))
    .flatMap((outcome) => outcomeSummaries(outcome, definition));
  return [...summaries, ...textSummaries(definition)];
}

function outcomeSummaries({ check }: Outcome, definition: ScenarioDefinition): readonly Summary[] {
  if (typeof check !== "object") return [everything];
  // Texts of an outcome may read any turn; few outcomes have such texts.
  if (needsOfParts(check).turns.length > 0) return [everything];
  if (isMeasure(check)) return [measureSummary(check, definition)];
  return leavesOf(check).flatMap((leaf) => leafSummaries(leaf, definition));
}

function leafSummaries(leaf: OutcomeLeaf, definition: ScenarioDefinition): readonly Summary[] {
  switch (leaf.type) {
    case "turn_check":
      return [turnCheckSummary(leaf, definition)];
    case "result_check":
      return resultSummaries(leaf, definition);
    case "cross_turn_check":
      return [
        singleTurn(leaf.sourceTurn, valueAt(leaf.sourceField)),
        singleTurn(leaf.targetTurn, valueAt(leaf.targetField)),
      ];
    case "measure_check":
      return measureCheckSummaries(leaf, definition);
  }
}

type Atom = (turn: TurnRecord) => JsonValue;

function turnCheckSummary(check: TurnCheck, definition: ScenarioDefinition): Summary {
  const { scope, field } = check;
  const test = truthAt(check, definition);
  if (scope.type !== "any_turn" && scope.type !== "all_turns") return singleTurn(scope, test);
  const isIn = inNodes(scope.node);
  const skips = scope.type === "all_turns" && field === "verify_result";
  const join = scope.type === "any_turn" ? anyTrue : allTrue;
  return {
    start: "none",
    next: (before, turn) => {
      if (!isIn(turn) || (skips && turn.notVerified === true)) return before;
      return before === "none" ? test(turn) : join([before as Truth, test(turn)]);
    },
  };
}

function truthAt(
  check: Pick<TurnCheck, "field" | "verifyWith" | "expected">,
  definition: ScenarioDefinition,
): (turn: TurnRecord) => Truth {
  const read = compileTurnField(check.field);
  const comparison = fixedComparison(check, definition);
  if (read === null || comparison === undefined) return () => null;
  const compiled = compileComparison(comparison.check);
  return (turn) => compareRead(compiled, read(turn), comparison.expected);
}

function valueAt(field: string): Atom {
  const read = compileTurnField(field);
  return (turn) => {
    const value = read?.(turn) ?? null;
    return value === UNREADABLE ? "unreadable" : [value as JsonValue];
  };
}

function inNodes(filter: NodeFilter | undefined | null): (turn: TurnRecord) => boolean {
  if (filter === undefined || filter === null) return () => true;
  const nodes = typeof filter === "string" ? [filter] : filter;
  return ({ node }) => nodes.includes(node);
}

/** What is read of the turn at one position, once there is such a turn. */
function singleTurn(scope: SingleTurn, atom: Atom): Summary {
  if (scope.type === "last_attempt") {
    const isIn = inNodes(scope.node);
    return { start: null, next: (before, turn) => (isIn(turn) && isAttempt(turn) ? [atom(turn)] : before) };
  }
  const index = scope.type === "first_turn" ? 0 : scope.type === "last_turn" ? -1 : scope.index;
  if (index >= 0)
    return {
      start: 0,
      next: (before, turn, at) => (at < index ? at + 1 : at === index ? [atom(turn)] : before),
    };
  return {
    start: [],
    next: (before, turn) => [...(before as readonly JsonValue[]), atom(turn)].slice(index),
  };
}

const everything: Summary = {
  start: [],
  next: (before, { node, verifyResult, score, notVerified, parsed = {}, rubric = {}, refused, user }) => [
    ...(before as readonly JsonValue[]),
    // Parts of turns are data.
    [
      node,
      verifyResult,
      score ?? null,
      notVerified ?? null,
      parsed,
      rubric,
      refused ?? null,
      user ?? null,
    ] as JsonValue,
  ],
};

function resultSummaries(check: ResultCheck, definition: ScenarioDefinition): readonly Summary[] {
  const { field } = check;
  if (field === "turn_count") return [turnCount(fixedComparison(check, definition))];
  if (field !== "path") return [];
  const { expected } = check;
  if (check.verifyWith !== undefined || !Array.isArray(expected))
    return [{ start: [], next: (before, { node }) => [...(before as readonly JsonValue[]), node] }];
  // How many nodes of the expected path were visited so far; -1 if another node was.
  return [
    {
      start: 0,
      next: (before, { node }, index) => (before === index && expected[index] === node ? index + 1 : -1),
    },
  ];
}

function turnCount(comparison: ReturnType<typeof fixedComparison>): Summary {
  const most = comparison === undefined ? null : greatestCompared(comparison);
  return { start: 0, next: (_, __, index) => (most === null ? index + 1 : Math.min(index + 1, most + 1)) };
}

/** The greatest whole number that a comparison distinguishes from greater ones; null if that is not known. */
export function greatestCompared({
  check,
  expected,
}: NonNullable<ReturnType<typeof fixedComparison>>): number | null {
  switch (check.type) {
    case "numeric_exact":
    case "numeric_minimum":
    case "numeric_maximum":
      return typeof expected === "number" ? Math.max(0, Math.ceil(expected)) : null;
    case "numeric_range": {
      const bounds = [check.min, check.max].flatMap((bound) => bound ?? []);
      return bounds.every((bound) => typeof bound === "number")
        ? Math.max(0, ...bounds.map(Math.ceil))
        : null;
    }
    case "is_null":
      return 0;
    default:
      return null;
  }
}

/** A count that is only compared with a number need not be known beyond it. */
function measureCheckSummaries(
  { measure, expected }: MeasureCheck,
  definition: ScenarioDefinition,
): readonly Summary[] {
  if (typeof expected !== "number")
    return [measureSummary(measure, definition), measureSummary(expected, definition)];
  const summary = measureSummary(measure, definition);
  if (measure.type !== "count_turns") return [summary];
  const most = Math.max(0, Math.ceil(expected)) + 1;
  const next: Summary["next"] = (before, turn, index) =>
    (summary.next(before, turn, index) as readonly number[]).map((count) => Math.min(count, most));
  return [{ start: summary.start, next }];
}

function measureSummary(measure: Measure, definition: ScenarioDefinition): Summary {
  const isIn = inNodes(measure.node);
  const isVerified = (turn: TurnRecord): boolean => isIn(turn) && turn.notVerified !== true;
  switch (measure.type) {
    case "count_turns": {
      const matches = matching(measure, definition);
      return folded([0, 0], isIn, ([proven, open], turn) => {
        const match = matches(turn);
        return [proven + Number(match === true), open + Number(match !== false)];
      });
    }
    case "first_match_index": {
      const matches = matching(measure, definition);
      return {
        // The number of turns, the first match, and the first and last turn that may be one.
        start: [0, -1, -1, -1],
        next: (before, turn, index) => {
          const [, proven, first, last] = before as readonly [number, number, number, number];
          // Nothing after a match counts.
          if (proven !== -1) return [-1, proven, first, last];
          const match = isIn(turn) ? matches(turn) : false;
          if (match === true) return [-1, index, first, last];
          return match === null
            ? [index + 1, -1, first === -1 ? index : first, index]
            : [index + 1, -1, first, last];
        },
      };
    }
    case "longest_run": {
      const { verifyResult, where } = measure;
      const filter =
        verifyResult === undefined && where === undefined ? { ...measure, verifyResult: true } : measure;
      const matches = matching(filter, definition);
      return folded([0, 0, 0, 0], isIn, ([best, run, openBest, openRun], turn) => {
        const match = matches(turn);
        const runs = [match === true ? run + 1 : 0, match !== false ? openRun + 1 : 0] as const;
        return [Math.max(best, runs[0]), runs[0], Math.max(openBest, runs[1]), runs[1]];
      });
    }
    case "turn_of_flip":
      // How many leading passes are proven, how many are possible, and whether each may still grow.
      return folded([0, 0, 1, 1], isVerified, ([proven, possible, grows, mayGrow], { verifyResult }) => {
        const stillGrows = grows === 1 && verifyResult === true;
        const stillMay = mayGrow === 1 && verifyResult !== false;
        return [
          proven + Number(stillGrows),
          possible + Number(stillMay),
          Number(stillGrows),
          Number(stillMay),
        ];
      });
    case "number_of_flips":
      return flipsSummary(isVerified);
    case "persistence":
      return persistenceSummary(isVerified);
    default:
      return numbersSummary(measure, isIn);
  }
}

/** A summary that is a few numbers, over the turns that count. */
function folded<const Start extends readonly number[]>(
  start: Start,
  isIn: (turn: TurnRecord) => boolean,
  next: (before: { readonly [Key in keyof Start]: number }, turn: TurnRecord) => readonly number[],
): Summary {
  return {
    start,
    // Made by `next` above, which keeps their number.
    next: (before, turn) =>
      isIn(turn) ? next(before as unknown as { readonly [Key in keyof Start]: number }, turn) : before,
  };
}

function matching(
  { verifyResult, where = {} }: TurnFilter,
  definition: ScenarioDefinition,
): (turn: TurnRecord) => Truth {
  const tests = Object.entries(where).map(([field, value]) => {
    const leaves = shorthandCheck<(turn: TurnRecord) => Truth>(value, (verifyWith, expected) =>
      truthAt({ field, verifyWith, expected }, definition),
    );
    return (turn: TurnRecord) => evaluateComposition(leaves, (leaf) => leaf(turn));
  });
  return (turn) => {
    const verdict = turn.notVerified === true ? false : turn.verifyResult;
    const isWanted =
      typeof verifyResult !== "boolean"
        ? true
        : verdict === null
          ? null
          : turn.notVerified !== true && verdict === verifyResult;
    return allTrue([isWanted, ...tests.map((test) => test(turn))]);
  };
}

/** The fewest and the most changes, for either verdict of the last turn: null where that verdict cannot be. */
function flipsSummary(isVerified: (turn: TurnRecord) => boolean): Summary {
  type Range = readonly [fewest: number, most: number] | null;
  const joined = (same: Range, other: Range): Range => {
    const changed = other === null ? null : ([other[0] + 1, other[1] + 1] as const);
    if (same === null || changed === null) return same ?? changed;
    return [Math.min(same[0], changed[0]), Math.max(same[1], changed[1])];
  };
  return {
    start: "none",
    next: (before, turn) => {
      if (!isVerified(turn)) return before;
      const [whenTrue, whenFalse] =
        before === "none"
          ? ([
              [0, 0],
              [0, 0],
            ] as const)
          : (before as unknown as readonly [Range, Range]);
      const next =
        before === "none"
          ? [whenTrue, whenFalse]
          : [joined(whenTrue, whenFalse), joined(whenFalse, whenTrue)];
      const { verifyResult } = turn;
      return [verifyResult === false ? null : next[0], verifyResult === true ? null : next[1]] as JsonValue;
    },
  };
}

function persistenceSummary(isVerified: (turn: TurnRecord) => boolean): Summary {
  return {
    // The first verdict, the one it changed to, and of the turns since: all, the same, the unreadable ones.
    start: "none",
    next: (before, turn) => {
      if (!isVerified(turn)) return before;
      const { verifyResult } = turn;
      if (before === "none") return [verifyResult];
      const [first, ...rest] = before as readonly [Truth, ...JsonValue[]];
      if (first === null || (rest.length > 0 && rest[0] === null)) return before;
      if (rest.length === 0) return verifyResult === first ? before : [first, verifyResult, 0, 0, 0];
      const [changed, all, same, open] = rest as unknown as readonly [Truth, number, number, number];
      return [
        first,
        changed,
        all + 1,
        same + Number(verifyResult === changed),
        open + Number(verifyResult === null),
      ];
    },
  };
}

function numbersSummary(
  { type, field }: Extract<Measure, { readonly field: string }>,
  isIn: (turn: TurnRecord) => boolean,
): Summary {
  const numberOf = compileTurnNumber(field);
  return {
    // How many numbers there are, what they come to, and whether one could not be read.
    start: [0, 0, false],
    next: (before, turn) => {
      if (!isIn(turn)) return before;
      const number = numberOf(turn);
      if (number === undefined) return before;
      const [count, sum, isOpen] = before as unknown as readonly [number, number, boolean];
      if (type === "last_over_turns") return [1, number ?? 0, number === null];
      if (number === null) return [count, sum, true];
      const total = type === "mean_over_turns" ? sum + number : count === 0 ? number : Math.min(sum, number);
      // Of the smallest number, how many there were does not matter.
      return [type === "mean_over_turns" ? count + 1 : 1, total, isOpen];
    },
  };
}

/** Texts that read turns by their number see those turns. */
function textSummaries({ nodes, edges, systemPrompt }: ScenarioDefinition): readonly Summary[] {
  const needs = [
    needsOfParts(...Object.values(nodes), systemPrompt),
    ...edges.map(({ when }) => needsOfParts(typeof when === "object" ? when : undefined)),
  ].flatMap(({ turns }) => turns);
  return needs.flatMap(({ node, index, part, name }) => {
    if (node !== undefined && node !== null) return [];
    if (index === null || index === undefined || part === "everything") return [everything];
    const field = part === "verdict" ? "verify_result" : name === "" ? part : `${part}.${name}`;
    return [singleTurn({ type: "turn_at", index }, valueAt(field))];
  });
}
