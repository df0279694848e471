import { ANSWER, APPROVAL, CLAIM } from "./answer-cue.ts";
import type { Reversals } from "./correction.ts";
import { isOpen, type Statement } from "./statement.ts";

/** What the statements of a reply come to. */
export type Settled<Value> =
  | { readonly status: "found"; readonly value: Value; readonly start: number; readonly end: number }
  | { readonly status: "absent" | "ambiguous" };

/**
 * Weighs statements in their order. The plainest ones decide, together with claims that come after them; what is
 * taken back ("actually, …") no longer counts. Where statements that count differ, the reply is ambiguous: nothing
 * is ever chosen because it is more frequent or stands at a better place.
 */
export function settle<Value>(
  statements: readonly Statement<Value>[],
  { corrections, retractions }: Reversals,
): Settled<Value> {
  const asserted = statements.filter(({ standing, strength }) => standing === "asserted" && strength > 0);
  const counting = inForce(asserted, corrections);
  const last = counting.at(-1);
  if (last === undefined) {
    const open = statements.some((statement) => isOpen(statement) && statement.strength > 0);
    return { status: open ? "ambiguous" : "absent" };
  }
  const { start, end } = last;
  const [value, ...more] = last.values;
  const agreed = counting.every(({ values }) => values.length === 1 && values[0] === value);
  if (value === undefined || more.length > 0 || !agreed) return { status: "ambiguous" };
  if (retractions.startAfter(end) !== undefined) return { status: "ambiguous" };
  const denied = statements.some(
    (other) => other.standing === "denied" && other.start > end && other.values.includes(value),
  );
  return denied ? { status: "ambiguous" } : { status: "found", value, start, end };
}

/** The statements that count: the plainest, and what is approved of after them, from the last correction on. */
function inForce<Value>(
  asserted: readonly Statement<Value>[],
  corrections: Reversals["corrections"],
): readonly Statement<Value>[] {
  const top = asserted.reduce((most, { strength }) => Math.max(most, strength), 0);
  // A claim and an answer are equally plain; only what is called final stands above them.
  const least = top === ANSWER ? CLAIM : top;
  const lastTop = asserted.findLastIndex(({ strength }) => strength >= least);
  const counting = asserted.filter(
    ({ strength }, index) => strength >= least || (index > lastTop && strength >= APPROVAL),
  );
  const [first] = counting;
  const last = counting.at(-1);
  if (first === undefined || last === undefined) return counting;
  const cut = corrections.startBefore(last.start) ?? -1;
  return cut >= first.end ? counting.filter(({ start }) => start >= cut) : counting;
}
