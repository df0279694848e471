import { lazyPattern } from "../../core/lazy.ts";
import { type NumberToken, numberTokens } from "../../core/text/number-tokens.ts";
import { ANSWER, announces, WORKING } from "./answer-cue.ts";
import { type Decision, decide } from "./decide.ts";
import { isOfSeveral, type NumberStatement, numberStatements } from "./number-statement.ts";
import { numberWords } from "./number-words.ts";
import { anyOf, type Markers, markersOf } from "./phrases.ts";
import type { Context } from "./statement.ts";

/**
 * Reads a number. What words announce as the answer wins; else the last result of working ("= 12"); else `which`
 * decides among the numbers that count something. Whatever is chosen must be one number: a range is ambiguous.
 */
export function readNumber(context: Context, which: "first" | "last"): Decision<number> {
  const tokens = tokensOf(context);
  const { statements, otherAnnounced } = numberStatements(context, tokens);
  const inWords = tokens.some(({ words }) => words === true);
  const answers = statements.filter(({ strength }) => strength > WORKING);
  const decision = decide(answers, context.reversals);
  if (decision.status === "found" && isContradicted(statements, decision)) return { status: "ambiguous" };
  if (decision.status !== "absent") return decision;
  const open = statements.filter(
    ({ standing, strength }) => standing !== "denied" && standing !== "others" && strength <= WORKING,
  );
  const chosen = lastResult(context, open) ?? plainNumber(context, open, { which, otherAnnounced, inWords });
  if (typeof chosen === "string") return { status: chosen };
  if (chosen.standing !== "asserted" || context.reversals.retractions.startAfter(chosen.end) !== undefined) {
    return { status: "ambiguous" };
  }
  const [value, ...more] = chosen.values;
  if (value === undefined || more.length > 0) return { status: "ambiguous" };
  if (isPlan(context, chosen)) return { status: "absent" };
  if (which === "last" && isOneOfMany(context, open, chosen)) return { status: "ambiguous" };
  if (hasCompetition(context, open, chosen) || isDenied(statements, value)) return { status: "ambiguous" };
  return { status: "found", value, start: chosen.start, end: chosen.end };
}

const PLAN =
  /\b(?:multipl(?:y|ied|ying)|divid(?:e|ed|ing)|subtract(?:ed|ing)?|calculat(?:e|ed|ing)|comput(?:e|ed|ing)|add(?:ed|ing)?|find|determin(?:e|ed|ing)|(?:we|then|finally) sum|need to|convert(?:ed|ing)?|using)(?![a-z])/;

/** True if the reply says what to calculate, and not what comes out: "then we multiply by 5 to find the total". */
function isPlan({ reply }: Context, { start, end, strength }: NumberStatement): boolean {
  const own = reply.lower.slice(reply.sentenceStart(start), reply.sentenceEnd(end));
  if (strength < WORKING && PLAN.test(own)) return true;
  return PLAN.test(reply.lower.slice(reply.sentenceEnd(end)));
}

/** True if the last sentence with numbers has several, and the chosen one is not the last result of an equation. */
function isOneOfMany(
  { reply }: Context,
  open: readonly NumberStatement[],
  { start, end, strength, values: [value] }: NumberStatement,
): boolean {
  const from = reply.sentenceStart(start);
  const to = reply.sentenceEnd(end);
  // "25% of 80 is 20": what is calculated, and what comes out.
  const isSum = /\b(?:is|makes|equals|gives|leaves) [$€£]?$/.test(
    reply.lower.slice(Math.max(0, start - 10), start),
  );
  return open.some((other) => {
    if (other.role !== "count" || (other.values.length === 1 && other.values[0] === value)) return false;
    if (isSum && other.end <= start && other.values.length === 0) return false;
    return strength === WORKING ? other.start >= end : other.start >= from && other.end <= to;
  });
}

/** "40, not the 45 that you get from (60 + 30) / 2 = 45" */
function isDenied(statements: readonly NumberStatement[], value: number): boolean {
  return statements.some(({ standing, values }) => standing === "denied" && values.includes(value));
}

/** True if another number is claimed after the answer: "The answer is 5. It should be 6." */
function isContradicted(
  statements: readonly NumberStatement[],
  { value, end }: { readonly value: number; readonly end: number },
): boolean {
  return statements.some(
    ({ start, claims, strength, standing, values }) =>
      start > end && claims && strength > 0 && standing === "asserted" && values[0] !== value,
  );
}

/** Numbers in words count where there are no digits, or where a cue announces them. */
function tokensOf(context: Context): NumberToken[] {
  const digits = numberTokens(context.reply);
  const words = numberWords(context.reply.lower)
    .filter(({ start }) => digits.length === 0 || isAnnounced(context, start))
    .map((mention): NumberToken => ({ ...mention, fraction: false, words: true }));
  return [...digits, ...words].sort((one, other) => one.start - other.start);
}

function isAnnounced(context: Context, start: number): boolean {
  const cue = context.cueBefore(start);
  return cue !== undefined && cue.strength >= ANSWER && announces(context.reply, cue, start);
}

const CONCLUSION =
  /\b(?:therefore|thus|hence|so|in total|altogether|in the end|in conclusion|total(?: of| is|:)?|left with|remaining)(?![a-z])/g;

/** The last result of working, or what a later sentence concludes from it. */
function lastResult(
  context: Context,
  open: readonly NumberStatement[],
): NumberStatement | "ambiguous" | undefined {
  const index = open.findLastIndex(({ strength }) => strength === WORKING);
  const result = open[index];
  if (result === undefined) return undefined;
  const before = open[index - 1];
  if (before?.strength === WORKING && isOfSeveral(context.reply, before, result)) return "ambiguous";
  // "x = 5, y = x + 2": a later result is not written as a number.
  const later = context.cues.findLast(({ strength }) => strength === WORKING);
  if (later !== undefined && later.start > result.end && context.reply.lower.startsWith("=", later.start)) {
    return "ambiguous";
  }
  const conclusions = markersOf(context.reply.lower, CONCLUSION);
  return open.findLast((later, at) => at > index && concludes(context, conclusions, later)) ?? result;
}

function concludes(
  { reply }: Context,
  conclusions: Markers,
  { start, role, values }: NumberStatement,
): boolean {
  return role === "count" && values.length === 1 && conclusions.has(reply.sentenceStart(start), start);
}

interface PlainOptions {
  readonly which: "first" | "last";
  /** True if something other than a number is announced. */
  readonly otherAnnounced: boolean;
  /** True if the numbers are written in words. */
  readonly inWords: boolean;
}

/** The first or last number that counts something; years and days make it ambiguous if they would be chosen or not. */
function plainNumber(
  context: Context,
  open: readonly NumberStatement[],
  { which, otherAnnounced, inWords }: PlainOptions,
): NumberStatement | "absent" | "ambiguous" {
  const plain = open.filter(({ role }) => role !== "label");
  const asserted = plain.filter(({ standing }) => standing === "asserted");
  const candidates = asserted.length > 0 ? asserted : plain;
  const at = which === "first" ? 0 : -1;
  const chosen = candidates.at(at);
  if (chosen === undefined) return "absent";
  if (context.reversals.refusals.has(0, context.reply.text.length)) return declined(context, chosen);
  // "May 5": a day is hardly the number that was asked for.
  if (chosen.role === "date" && (chosen.values[0] ?? 0) < 1000) return "ambiguous";
  // "48, although humans have 46"
  if (plain.some((other) => isConceded(other) && other.values[0] !== chosen.values[0])) return "ambiguous";
  const counts = candidates.filter(({ role }) => role === "count");
  const other = counts.at(at);
  if (other !== undefined && other.values[0] !== chosen.values[0]) return "ambiguous";
  // "238,855 miles (384,400 km)": the same in another unit, or something else.
  if (
    /\d[^\n()]{0,20} \((?:or |about |that is |i\.e\. |= ?)?[$€£]?$/.test(
      context.reply.text.slice(Math.max(0, chosen.start - 30), chosen.start),
    )
  )
    return "ambiguous";
  // Numbers in words are often part of the prose, so their position says nothing.
  if (inWords && candidates.some(({ values }) => values[0] !== chosen.values[0])) return "ambiguous";
  return otherAnnounced && candidates.some(({ values }) => values[0] !== chosen.values[0])
    ? "ambiguous"
    : chosen;
}

function isConceded({ standing, role }: NumberStatement): boolean {
  return standing === "conceded" && role === "count";
}

/** A reply that declines to answer has no number, unless it goes on: "I'm not sure, but 5". */
function declined({ reply, reversals }: Context, { start }: NumberStatement): "absent" | "ambiguous" {
  return reversals.refusals.has(reply.sentenceStart(start), start) ? "ambiguous" : "absent";
}

const HEAD = "(?<=(?:^|[.!?…\\n(])[\\s\"'#*-]{0,4})";
/** What follows confirms or explains what was said before. */
const afterwards = lazyPattern(
  `${HEAD}${anyOf(
    `(?:(?:let's|let us|let me|we can|you can|just to|to|quick|sanity) (?:quickly |also )?)?${anyOf(
      "(?:double-)?check(?:ing)?|verify(?:ing)?|verification|proof|confirm(?:ing)?|test(?:ing)?",
    )}(?:[,:\\n]| (?:this|that|it|the|by|with|our|your|again)(?![a-z]))`,
    "(?:here(?:'s| is) (?:why|how)|why\\?|explanation|reason(?:ing)?)(?![a-z])",
    "(?:indeed|that way|this (?:works|checks|adds|fits))(?![a-z])",
    "(?:they|these|those) (?:are|come|form|occur|make|consist|include)(?![a-z])",
    "each (?:of (?:them|these) |[a-z]+ )?(?:has|have|contains|consists|is)(?![a-z])",
  )}`,
  "g",
);
/** What follows in the same sentence gives the reason, or the parts. */
const within = lazyPattern(
  anyOf(
    "\\b(?:because|since)(?![a-z])|\\bas (?=[$€£(]?\\d)",
    `[,(—–] ?${anyOf(
      "arranged|organi[sz]ed|grouped|divided|split|sorted|consisting|comprising|composed|made up|including",
      "of which|of these|of them|namely|\\d+ (?:[a-z]+ )?(?:from|of|in|for|on) each",
    )}(?![a-z])`,
    ":(?= )",
  ),
  "g",
);

/**
 * True if a number that nothing announces stands in a check, a reason or a list of parts of what was stated before it
 * with another number: "The pen cost 10 cents. Check: 10 + 210 = 220".
 */
export function hasCompetition(
  { reply }: Context,
  open: readonly NumberStatement[],
  chosen: NumberStatement,
): boolean {
  const stated = open.filter(
    ({ standing, role, values, end }) =>
      standing === "asserted" && role === "count" && values.length === 1 && end <= chosen.start,
  );
  const differs = ({ values }: NumberStatement): boolean => values[0] !== chosen.values[0];
  if (!stated.some(differs)) return false;
  const sentence = reply.sentenceStart(chosen.start);
  // "…, 23 from each parent": the number is part of the words that tell of parts.
  const limit = reply.clauseEnd(chosen.end);
  const inner = markersOf(reply.lower.slice(sentence, limit), within()).startBefore(limit - sentence);
  const marker = inner === undefined ? chosen.start : sentence + inner;
  if (
    marker < chosen.start &&
    stated.some((each) => each.start >= sentence && each.end <= marker && differs(each))
  ) {
    return true;
  }
  const bracket = openBracket(reply.text, chosen.start);
  const outer = bracket ?? markersOf(reply.lower, afterwards()).startBefore(chosen.start);
  const last = outer === undefined ? undefined : stated.findLast(({ end }) => end <= outer);
  return last !== undefined && differs(last);
}

/** Where the bracket opens in which a position stands. */
function openBracket(text: string, position: number): number | undefined {
  const open = text.lastIndexOf("(", position);
  return open > text.lastIndexOf(")", position) && position - open <= 200 ? open : undefined;
}
