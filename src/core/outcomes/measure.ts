import { compileComparison, type ShorthandValue, shorthandCheck } from "../checks/shorthand.ts";
import { evaluateComposition } from "../logic/composition.ts";
import { allTrue, type Truth } from "../logic/kleene.ts";
import type { ConversationResult, TurnRecord } from "../state/state.ts";
import type { Measure, NodeFilter, TurnFilter } from "./outcome-check.ts";
import { compareRead, compileTurnField, compileTurnNumber, UNREADABLE_TURN } from "./outcome-fields.ts";

/** What is known of a number: a value that is proven, and the bounds between which the truth lies. */
export interface MeasuredNumber {
  /** Null where not even a least number can be proven. */
  readonly value: number | null;
  /** Equal if and only if the number is decided. */
  readonly low: number;
  readonly high: number;
  /** Indices of the turns that were looked at. */
  readonly turns: readonly number[];
  readonly reason?: string;
  /** False if there is no such number in this conversation, though everything was read. */
  readonly isDefined?: false;
}

/** Evaluates a measure over the turns of a conversation. */
export function evaluateMeasure(measure: Measure, result: ConversationResult): MeasuredNumber {
  const turns = turnsOfNode(result.turns, measure.node);
  switch (measure.type) {
    case "count_turns":
      return countTurns(turns, matches(measure, turns, result.turns));
    case "first_match_index":
      return firstMatch(turns, matches(measure, turns, result.turns));
    case "longest_run":
      return longestRun(turns, matches(runFilter(measure), turns, result.turns));
    case "persistence":
      return persistence(...verdictsAt(turns, result.turns));
    case "turn_of_flip":
      return turnOfFlip(...verdictsAt(turns, result.turns));
    case "number_of_flips":
      return numberOfFlips(...verdictsAt(turns, result.turns));
    default:
      return overTurns(
        measure.type,
        turns,
        turns.map((index) => result.turns[index] as TurnRecord).map(compileTurnNumber(measure.field)),
      );
  }
}

/** The turns that a template verifies, and their verdicts: where a gate left a turn out, its neighbours are neighbours. */
function verdictsAt(
  indices: readonly number[],
  turns: readonly TurnRecord[],
): readonly [readonly number[], readonly Truth[]] {
  const verified = indices.filter((index) => turns[index]?.notVerified !== true);
  return [verified, verified.map((index) => turns[index]?.verifyResult ?? null)];
}

/** Indices of the turns at a node, or at one of several, or of all turns. */
export function turnsOfNode(turns: readonly TurnRecord[], filter: NodeFilter | undefined | null): number[] {
  const nodes = typeof filter === "string" ? [filter] : filter;
  return turns.flatMap(({ node }, index) => (!nodes || nodes.includes(node) ? [index] : []));
}

/** Whether each turn is one that the filter means; null if that depends on something that could not be read. */
function matches(
  { verifyResult, where }: TurnFilter,
  indices: readonly number[],
  turns: readonly TurnRecord[],
): readonly Truth[] {
  const tests = Object.entries(where ?? {}).map(([field, value]) => fieldTest(field, value));
  return indices.map((index) => {
    const turn = turns[index] as TurnRecord;
    return allTrue([verdictMatches(turn, verifyResult), ...tests.map((test) => test(turn))]);
  });
}

function verdictMatches(
  { notVerified, verifyResult }: TurnRecord,
  wanted: boolean | undefined | null,
): Truth {
  if (wanted === undefined || wanted === null) return true;
  if (notVerified === true) return false;
  return (verifyResult ?? null) === null ? null : verifyResult === wanted;
}

/** Whether a field of a turn has a value. */
function fieldTest(field: string, value: ShorthandValue): (turn: TurnRecord) => Truth {
  const read = compileTurnField(field);
  const checks = shorthandCheck<(value: unknown) => Truth>(value, (verifyWith, expected) => {
    const check = compileComparison(verifyWith);
    return (found) => compareRead(check, found, expected).truth;
  });
  return (turn) => (read === null ? null : evaluateComposition(checks, (test) => test(read(turn))));
}

/** Without a filter, turns that passed are meant. */
function runFilter(filter: TurnFilter): TurnFilter {
  return filter.verifyResult === undefined && filter.where === undefined
    ? { ...filter, verifyResult: true }
    : filter;
}

const UNKNOWN = { value: null, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY } as const;

function between(value: number | null, low: number, high: number, turns: readonly number[]): MeasuredNumber {
  return low === high ? { value, low, high, turns } : { value, low, high, turns, reason: UNREADABLE_TURN };
}

function countTurns(turns: readonly number[], matched: readonly Truth[]): MeasuredNumber {
  const proven = matched.filter((match) => match === true).length;
  const open = matched.filter((match) => match === null).length;
  return between(proven, proven, proven + open, turns);
}

function firstMatch(turns: readonly number[], matched: readonly Truth[]): MeasuredNumber {
  const proven = turns[matched.indexOf(true)] ?? -1;
  const firstOpen = turns[matched.indexOf(null)];
  if (firstOpen === undefined || (proven !== -1 && proven < firstOpen))
    return between(proven, proven, proven, turns);
  const lastOpen = turns[matched.lastIndexOf(null)] as number;
  return proven === -1 ? between(-1, -1, lastOpen, turns) : between(proven, firstOpen, proven, turns);
}

function turnOfFlip(turns: readonly number[], verdicts: readonly Truth[]): MeasuredNumber {
  const leading = (stops: (verdict: Truth) => boolean): number => {
    const end = verdicts.findIndex(stops);
    return end === -1 ? verdicts.length : end;
  };
  const proven = leading((verdict) => verdict !== true);
  const most = leading((verdict) => verdict === false);
  return between(proven, proven, most, turns);
}

/** The longest run if the open turns do not match, and if they all do. */
function longestRun(turns: readonly number[], matched: readonly Truth[]): MeasuredNumber {
  const longest = (counts: (match: Truth) => boolean): number => {
    let [best, run] = [0, 0];
    for (const match of matched) {
      run = counts(match) ? run + 1 : 0;
      best = Math.max(best, run);
    }
    return best;
  };
  const proven = longest((match) => match === true);
  const most = longest((match) => match !== false);
  return between(proven, proven, most, turns);
}

/** The share of the turns after the first change of verdict that have the new verdict. */
function persistence(turns: readonly number[], verdicts: readonly Truth[]): MeasuredNumber {
  const change = verdicts.findIndex((verdict) => verdict !== verdicts[0]);
  const later = change === -1 ? [] : verdicts.slice(change + 1);
  // What could not be read before the change may have been the change, or there may have been none.
  if (verdicts[0] === null || (change !== -1 && verdicts[change] === null))
    return { ...UNKNOWN, turns, reason: UNREADABLE_TURN };
  if (later.length === 0) {
    const reason = change === -1 ? "the verdict never changed" : "no turn comes after the change of verdict";
    return { value: null, low: Number.NaN, high: Number.NaN, turns, reason, isDefined: false };
  }
  const same = later.filter((verdict) => verdict === verdicts[change]).length;
  const open = later.filter((verdict) => verdict === null).length;
  const low = same / later.length;
  return between(open === 0 ? low : null, low, (same + open) / later.length, turns);
}

/** The fewest and the most changes over all ways in which the unreadable verdicts may have been. */
function numberOfFlips(turns: readonly number[], verdicts: readonly Truth[]): MeasuredNumber {
  const flips = (better: (...counts: number[]) => number, never: number): number => {
    // The count if the last verdict is true, and if it is false.
    let [whenTrue, whenFalse] = [0, 0];
    for (const [position, verdict] of verdicts.entries()) {
      if (position > 0)
        [whenTrue, whenFalse] = [better(whenTrue, whenFalse + 1), better(whenFalse, whenTrue + 1)];
      if (verdict === true) whenFalse = never;
      if (verdict === false) whenTrue = never;
    }
    return better(whenTrue, whenFalse);
  };
  const low = flips(Math.min, Number.POSITIVE_INFINITY);
  return between(low, low, flips(Math.max, Number.NEGATIVE_INFINITY), turns);
}

function overTurns(
  type: "min_over_turns" | "mean_over_turns" | "last_over_turns",
  turns: readonly number[],
  numbers: readonly (number | null | undefined)[],
): MeasuredNumber {
  const present = numbers.filter((number) => number !== undefined);
  const counted = type === "last_over_turns" ? present.slice(-1) : present;
  const unknown: MeasuredNumber = { ...UNKNOWN, turns };
  if (counted.length === 0)
    return { ...unknown, low: Number.NaN, high: Number.NaN, reason: "no turn in scope has a number there" };
  const known = counted.filter((number) => number !== null);
  if (type === "min_over_turns") {
    const smallest = known.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);
    if (known.length < counted.length) return { ...unknown, high: smallest, reason: UNREADABLE_TURN };
    return between(smallest, smallest, smallest, turns);
  }
  if (known.length < counted.length) return { ...unknown, reason: UNREADABLE_TURN };
  const mean = known.reduce((sum, number) => sum + number, 0) / known.length;
  return between(mean, mean, mean, turns);
}
