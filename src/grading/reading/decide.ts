import { lazyPattern } from "../../core/lazy.ts";
import { ANSWER, APPROVAL, CLAIM } from "./answer-cue.ts";
import { anyOf } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";
import { isOpen, type Reversals, type Standing, type Statement } from "./statement.ts";

/** What the statements of a reply decide together. */
export type Decision<Value> =
  | { readonly status: "found"; readonly value: Value; readonly start: number; readonly end: number }
  | { readonly status: "absent" | "ambiguous" };

/**
 * Weighs statements in their order. The plainest ones decide, together with claims that come after them; what is
 * taken back ("actually, …") no longer counts. Where statements that count differ, the reply is ambiguous: nothing
 * is ever chosen because it is more frequent or stands at a better place.
 */
export function decide<Value>(
  statements: readonly Statement<Value>[],
  { corrections, retractions }: Reversals,
): Decision<Value> {
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

const REVERSAL =
  /\b(?:wait|actually|hold on|correction|scratch that|let me re|on second|i (?:was|am) (?:wrong|mistaken)|i apologi[sz]e|sorry(?!,? but))\b/;

/** A first sentence that is nothing but the answer stands, unless the reply takes it back or says something else as plainly. */
export function leadingAnswer<Value>(
  reply: ReplyText,
  [first, ...later]: readonly Statement<Value>[],
): Decision<Value> | undefined {
  const [value, ...more] = first?.values ?? [];
  if (
    first === undefined ||
    value === undefined ||
    more.length > 0 ||
    first.standing !== "asserted" ||
    first.strength < ANSWER
  )
    return undefined;
  if (!isLeading(reply, first) || REVERSAL.test(reply.lower.slice(first.end))) return undefined;
  const unseated = later.some(({ values, standing, strength }) => {
    const same = values.length === 1 && values[0] === value;
    return same ? standing === "denied" : standing === "asserted" && strength > 0;
  });
  return unseated ? undefined : { status: "found", value, start: first.start, end: first.end };
}

/** True if a value is all of the first sentence. */
function isLeading(
  reply: ReplyText,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  if (start > 12 || !/^(?:[\s"'([{$>•#-]|the |an? )*$/i.test(reply.text.slice(0, start))) return false;
  return LED.test(reply.text.slice(end, end + 120));
}

const LED = /^["')\]}$]{0,3}(?: ?\([^()\n]{1,80}\)["')\]]{0,2})?(?:[.!]["')\]]{0,2}(?:\s|$)|\s*\n| [–—] |$)/;

/** The longest distance between two values that have different places or speakers. */
const REACH = 80;

const MARKS = "[\"')\\]}*]{0,3}";
const OPENING = "[\"'([*]{0,3}$";
const AND = "(?:(?:and|but|or|while|whereas) )?";
const NEXT = `(?:[,;]| and| but| while| whereas) ${AND}`;
/** A verb begins a statement of its own. */
const NO_VERB = "(?!.*(?:\\b(?:is|are|was|were|be|been|remains|has|have|had|i|we|it|not)\\b|'s|n't))";

const SPEAKER = anyOf(
  "others?|another|some|a few|many|most|mine|ours|his|hers|theirs",
  "(?:the|your|his|her|their|an?|one) (?:[a-z]+ )?[a-z]+",
);
/** "Some say B, others C": the verb of the first holds for the second. */
const nextSpeaker = lazyPattern(`^${NO_VERB}${MARKS}${NEXT}${SPEAKER}[,:]? ${OPENING}`, "");

interface PlacePatterns {
  /** "On Earth it is A, on the Moon C": before the first, and between the two. */
  readonly front: () => RegExp;
  readonly nextFront: () => RegExp;
  /** "It is A on Earth, on the Moon C". */
  readonly backAndFront: () => RegExp;
  /** "It is A on Earth, C on the Moon": between the two, and behind the second. */
  readonly back: () => RegExp;
  readonly nextBack: () => RegExp;
}

/** Two values are compared only by words of the same kind: a place and a place, a group and a group. */
const PLACES = [
  "on|in|at|under|inside|outside",
  "for|to",
  "with|without",
  "before|after|from|until",
  "by",
].map((words): PlacePatterns => {
  const place = `(?:${words}) ${NO_VERB}[^,;.\\n]{1,40}?`;
  return {
    front: lazyPattern(`^["'(]{0,2}(?:[a-z]+, )?(?:${words}) `, ""),
    nextFront: lazyPattern(`^${MARKS}${NEXT}${place},? ${OPENING}`, ""),
    backAndFront: lazyPattern(`^${MARKS} ${place}${NEXT}${place},? ${OPENING}`, ""),
    back: lazyPattern(`^${MARKS} ${place}${NEXT}${OPENING}`, ""),
    nextBack: lazyPattern(`^${MARKS} (?:${words}) `, ""),
  };
});

/**
 * Statements with the standing that they share with the one before. If other people say the first of two values, they
 * also say the second ("some say B, others C"). Of two values that hold in different places, neither is the answer.
 */
export function withSharedStanding<S extends Statement<unknown>>(
  reply: ReplyText,
  statements: readonly S[],
): S[] {
  const judged = [...statements];
  for (let index = 1; index < judged.length; index++) {
    const one = judged[index - 1] as S;
    const other = judged[index] as S;
    if (other.standing !== "asserted" || other.start - one.end > REACH) continue;
    if (reply.sentenceStart(other.start) > one.start || sameValue(one, other)) continue;
    const standing = sharedStanding(reply, one, other);
    if (standing === undefined) continue;
    judged[index] = { ...other, standing };
    if (one.standing === "asserted") judged[index - 1] = { ...one, standing };
  }
  return judged;
}

function sameValue(one: Statement<unknown>, other: Statement<unknown>): boolean {
  return one.values.length === 1 && other.values.length === 1 && one.values[0] === other.values[0];
}

function sharedStanding(
  reply: ReplyText,
  one: Statement<unknown>,
  other: Statement<unknown>,
): Standing | undefined {
  const gap = reply.lower.slice(one.end, other.start);
  if (one.standing === "others") return nextSpeaker().test(gap) ? "others" : undefined;
  if (one.standing !== "asserted" && !isOpen(one)) return undefined;
  const from = Math.max(reply.sentenceStart(one.start), one.start - REACH);
  const before = reply.lower.slice(from, one.start).trimStart();
  const after = reply.lower.slice(other.end, other.end + 20);
  const apart = PLACES.some(
    ({ front, nextFront, backAndFront, back, nextBack }) =>
      (front().test(before) && nextFront().test(gap)) ||
      backAndFront().test(gap) ||
      (back().test(gap) && nextBack().test(after)),
  );
  return apart ? "doubtful" : undefined;
}
