import { patternOnFirstUse } from "../../core/values/on-first-use.ts";
import { anyOf } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";
import { isOpen, type Standing, type Statement } from "./statement.ts";

/** How far apart two values may stand of which each has a place or a speaker of its own. */
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
const nextSpeaker = patternOnFirstUse(`^${NO_VERB}${MARKS}${NEXT}${SPEAKER}[,:]? ${OPENING}`, "");

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

/** Only what can be told apart by the same kind of word is handed out: a place and a place, a group and a group. */
const PLACES = [
  "on|in|at|under|inside|outside",
  "for|to",
  "with|without",
  "before|after|from|until",
  "by",
].map((words): PlacePatterns => {
  const place = `(?:${words}) ${NO_VERB}[^,;.\\n]{1,40}?`;
  return {
    front: patternOnFirstUse(`^["'(]{0,2}(?:[a-z]+, )?(?:${words}) `, ""),
    nextFront: patternOnFirstUse(`^${MARKS}${NEXT}${place},? ${OPENING}`, ""),
    backAndFront: patternOnFirstUse(`^${MARKS} ${place}${NEXT}${place},? ${OPENING}`, ""),
    back: patternOnFirstUse(`^${MARKS} ${place}${NEXT}${OPENING}`, ""),
    nextBack: patternOnFirstUse(`^${MARKS} (?:${words}) `, ""),
  };
});

/**
 * Takes as no answer what a sentence hands out to several: if others say the first of two values, others say the
 * second ("some say B, others C"), and of values that hold in different places neither is chosen.
 */
export function distributed<S extends Statement<unknown>>(reply: ReplyText, statements: readonly S[]): S[] {
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
