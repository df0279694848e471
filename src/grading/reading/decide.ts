import { lazyPattern } from "../../core/lazy.ts";
import { CLAIM, type Strength } from "./answer-cue.ts";
import { allMatches, anyOf, RETRACTION } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";
import type { Place, Standing } from "./standing.ts";

/** What the statements of a reply decide together. */
export type Decision<Value> =
  | { readonly status: "found"; readonly value: Value; readonly start: number; readonly end: number }
  | { readonly status: "absent" | "ambiguous" };

/** What a reply says about a value, or about several together. */
export interface Statement<Value> extends Place {
  /** One value, or several that are named together, or none if it cannot be read. */
  readonly values: readonly Value[];
  readonly standing: Standing;
  /** 0 if the value is only mentioned. */
  readonly strength: Strength;
  /** True if it replaces what its sentence said before. */
  readonly concludes?: boolean;
}

/** Words after which what follows replaces what was said. */
const corrections = lazyPattern(
  `\\b${anyOf(
    RETRACTION,
    "actually|wait(?= | -)|correction|or rather|i mean|make that|oops|hmm+|no(?=,)|(?:edit|update|wait)(?=:)",
    "(?:corrected|updated|new) answer|you(?:'re| are) (?:absolutely |completely |totally |quite )?(?:right|correct)",
  )}(?![a-z])`,
  "g",
);
const retractions = lazyPattern(`\\b${RETRACTION}(?![a-z])`, "");

/** True if words after a position take back what was said. */
export function isRetracted({ lower }: ReplyText, position: number): boolean {
  return isRetraction(lower.slice(position));
}

/** True if words take back what was said before them. */
export function isRetraction(lower: string): boolean {
  return retractions().test(lower);
}

const ABLE = anyOf(
  "can(?:not|'t| not)|could(?:n't| not)|do(?:n't| not)|won't|will not",
  "(?:am )?(?:unable|not able) to|must decline|decline to",
);
const refusals = lazyPattern(
  `\\b${anyOf(
    `(?:i|we)(?:'m| am| was)? ${ABLE}(?: [a-z]+){0,2}? ${anyOf(
      "know|answer|determine|tell|provide|say|choose|pick|decide|give|help|assist|comply|select|share|offer|make",
    )}`,
    "(?:i'm|i am) (?:not sure|unsure|uncertain|sorry(?!,? but))|no idea|as an ai|none of (?:the above|these)",
    "(?:not (?:[a-z]+ )?enough|insufficient) (?:information|data|context|evidence|detail)",
    "impossible to (?:say|tell|know|determine|answer)|can(?:not|'t) be (?:determined|answered|known|said)",
    "there(?:'s| is) no (?:way to (?:know|tell|say)|(?:correct|right|definitive|single) answer)",
  )}(?![a-z])`,
  "",
);

/** True if a reply says that it has no answer. */
export function isRefusal({ lower }: ReplyText): boolean {
  return refusals().test(lower);
}

/** Where the last correction begins between two positions. */
function lastCorrection({ lower }: ReplyText, from: number, to: number): number | undefined {
  const last = allMatches(corrections(), lower.slice(from, to)).at(-1);
  return last === undefined ? undefined : from + last.index;
}

/**
 * Weighs statements in their order. The plainest ones decide, together with claims that come after them; what is
 * taken back ("actually, …") no longer counts. Where statements that count differ, the reply is ambiguous: nothing
 * is ever chosen because it is more frequent or stands at a better place.
 */
export function decide<Value>(reply: ReplyText, statements: readonly Statement<Value>[]): Decision<Value> {
  const asserted = statements.filter(({ standing, strength }) => standing === "asserted" && strength > 0);
  const counting = inForce(reply, asserted);
  const last = counting.at(-1);
  if (last === undefined) {
    const open = statements.some(({ standing, strength }) => standing === "open" && strength > 0);
    return { status: open ? "ambiguous" : "absent" };
  }
  const { start, end } = last;
  const [value, ...more] = last.values;
  const agreed = counting.every(({ values }) => values.length === 1 && values[0] === value);
  if (value === undefined || more.length > 0 || !agreed) return { status: "ambiguous" };
  if (isRetracted(reply, end) || hasRival(reply, statements, last)) return { status: "ambiguous" };
  const denied = statements.some(
    (other) => other.standing === "denied" && other.start > end && other.values.includes(value),
  );
  return denied ? { status: "ambiguous" } : { status: "found", value, start, end };
}

/** Behind an answer, what stands in brackets, in a reason or in a comparison is no rival. */
const REASON = /\b(?:because|since|as|before|after|versus|compared)\b|^[^)]*\(/;
/** "The antidote is X, and Y is for opioids" */
const NEXT_CLAUSE = /[,;] and (?:[a-z]+ ){0,2}["'(]*$/;
/** "You're right that X is one too, but", "It is easy to think so, since X is the biggest, but" */
const CONCESSION =
  /^["'(]*(?:you(?:'re| are) right|true|yes|granted|sure|of course|many|people|some|i (?:understand|see|know|get|appreciate)|it(?:'s| is) (?:true|understandable|easy|common|natural|tempting|a common)|while|although|though|since)\b/;

/** "X is certainly worth a visit, but" */
const CONCEDED =
  /^[^.;]*?\b(?:certainly|indeed|of course|impressive|important|famous|well known|worth|did a lot|made many)\b[^.;]*, but\b/;

/** True if a value is only conceded, in the sentence of the position before a "but", or in an earlier one. */
export function isConceded(
  reply: ReplyText,
  { start, end, strength }: Statement<unknown>,
  position: number,
): boolean {
  const from = reply.sentenceStart(start);
  if (strength === 0 && CONCEDED.test(reply.lower.slice(end, Math.min(position, reply.sentenceEnd(end)))))
    return true;
  if (!CONCESSION.test(reply.lower.slice(from, start).trimStart())) return false;
  const apart = strength === 0 && from < reply.sentenceStart(position);
  return apart || /\b(?:but|however|yet)\b/.test(reply.lower.slice(end, position));
}

function isBeside(between: string, strength: Strength): boolean {
  return REASON.test(between) || (strength === 0 && NEXT_CLAUSE.test(between));
}

/** True if the sentence names another value and does not deny it: "On Earth it is A, on the Moon C". */
function hasRival<Value>(
  reply: ReplyText,
  statements: readonly Statement<Value>[],
  { start, end, values, concludes = false }: Statement<Value>,
): boolean {
  const sentence = reply.sentenceStart(start);
  return statements.some(
    (other) =>
      other.standing === "asserted" &&
      !(concludes && other.start < start) &&
      !(other.start > end && isBeside(reply.lower.slice(end, other.start), other.strength)) &&
      !(other.end < start && isConceded(reply, other, start)) &&
      reply.sentenceStart(other.start) === sentence &&
      other.values.some((value) => value !== values[0]),
  );
}

/** The statements that count: the plain ones, and what is approved of after them, from the last correction on. */
function inForce<Value>(
  reply: ReplyText,
  asserted: readonly Statement<Value>[],
): readonly Statement<Value>[] {
  const plain = asserted.findLastIndex(({ strength }) => strength >= CLAIM);
  const counting = asserted.filter(({ strength }, index) => strength >= CLAIM || index > plain);
  const [first] = counting;
  const last = counting.at(-1);
  if (first === undefined || last === undefined) return counting;
  const sentence = reply.sentenceStart(last.start);
  const cut = lastCorrection(reply, first.end, last.start) ?? 0;
  return counting.filter(
    (each) =>
      each.start >= cut &&
      (!last.concludes || each.start < sentence || each.start >= last.start) &&
      (each === last || !isConceded(reply, each, last.start)),
  );
}
