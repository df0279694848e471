import { lazyPattern } from "../../core/lazy.ts";
import type { NumberToken } from "../../core/text/number-tokens.ts";
import { ANSWER, type AnswerCue, announces, CLAIM, type CueStrength, WORKING } from "./answer-cue.ts";
import { withSharedStanding } from "./decide.ts";
import { groupMentions, type MentionGroup } from "./mention.ts";
import type { ReplyText } from "./reply-text.ts";
import type { Context, Statement } from "./statement.ts";

/** What a reply says with a number. */
export interface NumberStatement extends Statement<number> {
  readonly role: NumberRole;
  /** True if the reply claims it ("it is 12") rather than calculates it. */
  readonly claims: boolean;
}

/** The statements of a reply's numbers, in order. */
export interface NumberStatements {
  readonly statements: readonly NumberStatement[];
  /** True if something other than a number is announced. */
  readonly otherAnnounced: boolean;
}

/** Says of every number in a reply what announces it and whether it is asserted. */
export function numberStatements(context: Context, tokens: readonly NumberToken[]): NumberStatements {
  const roles = numberRoles(context.reply, tokens);
  const { announced, unclear, otherAnnounced } = announcements(context, tokens, roles);
  const roleOf = new Map(tokens.map((token, index) => [token, roles[index] ?? "count"]));
  const statements: NumberStatement[] = unclear.map(({ start, end, strength }) => ({
    values: [],
    standing: context.standing({ mentions: [], start: end, end, join: "none" }, 0, { start, end, strength }),
    strength,
    claims: true,
    start,
    end,
    role: "count",
  }));
  let previousEnd = 0;
  for (const group of groupMentions<number | null, NumberToken>(context.reply, tokens)) {
    const cue = group.mentions.map((token) => announced.get(token)).find((each) => each !== undefined);
    const near = cue ?? nearCue(context, group);
    const role = roleOf.get(group.mentions[0] as NumberToken) ?? "count";
    const alone = isAlone(context.reply, group) && (role !== "label" || tokens.length === 1);
    const strength = Math.max(
      cue?.strength ?? workingStrength(context, group, near),
      context.approval(group) ?? 0,
      alone ? ANSWER : 0,
    ) as CueStrength | 0;
    statements.push({
      values: readableValues(context.reply, group, strength),
      standing: context.standing(group, previousEnd, near),
      strength,
      claims: near !== undefined && CLAIMS.test(context.reply.lower.slice(near.start, near.end)),
      start: group.start,
      end: group.end,
      role,
    });
    previousEnd = group.end;
  }
  const inOrder = statements.sort((one, other) => one.start - other.start);
  return { statements: withSharedStanding(context.reply, inOrder), otherAnnounced };
}

/** The weak cue that stands right before a number. */
function nearCue(context: Context, { start }: MentionGroup<unknown>): AnswerCue | undefined {
  const cue = context.cueBefore(start);
  return cue !== undefined && cue.strength < ANSWER && announces(context.reply, cue, start) ? cue : undefined;
}

const CLAIMS = /^(?:it|i|we)(?![a-z])|(?:must|should|has to) be$/;

/** Results of working: "= 12", "so 12"; "actually, it's 12" replaces an earlier answer. */
function workingStrength(
  { reply, reversals }: Context,
  { start, end }: MentionGroup<unknown>,
  cue: AnswerCue | undefined,
): CueStrength | 0 {
  if (cue === undefined || cue.strength === WORKING) return cue?.strength ?? 0;
  // "This is 20% less than before" states no result.
  if (!clauseEnds().test(reply.text.slice(end, Math.min(end + 60, reply.sentenceEnd(end))))) return 0;
  return reversals.corrections.has(reply.sentenceStart(start), start) ? CLAIM : WORKING;
}

/** Up to three words that may be a unit: "km", "dollars a day"; not "less than". */
const UNIT = "(?: ?(?!less|more|fewer|than|of|higher|lower|times)[\\p{L}°€£%/]{1,15}(?:\\^\\d)?){0,3}";
const clauseEnds = lazyPattern(`^["')\\]}]*${UNIT}["')\\]}]*(?:[.!,;:\\n(—]|\\s[-–]|\\s*$)`, "u");
const lineEnds = lazyPattern(`^["')\\]}$]{0,3}${UNIT}["')\\]}$]{0,3}[.!]?\\s*$`, "u");

/** True if a number, with its unit, is all of the first or the last line. */
function isAlone(reply: ReplyText, { start, end }: MentionGroup<unknown>): boolean {
  const line = reply.lineStart(start);
  const lineEnd = reply.lineEnd(end);
  if (start - line > 12 || lineEnd - end > 40) return false;
  // A line that ends in a colon introduces a list rather than a number.
  if (/:\s*$/.test(reply.text.slice(Math.max(0, line - 3), line))) return false;
  const outer = /^\s*$/.test(reply.text.slice(0, line)) || /^\s*$/.test(reply.text.slice(lineEnd));
  if (!outer || !/^(?:#{1,6} )?[\s"'([{$€£>•-]*$/.test(reply.text.slice(line, start))) return false;
  return lineEnds().test(reply.text.slice(end, lineEnd));
}

/** The values of a group; none if one of them cannot be read, or is a fraction beside other words. */
function readableValues(
  reply: ReplyText,
  group: MentionGroup<number | null, NumberToken>,
  strength: number,
): number[] {
  const whole =
    strength > 0 && /^[)\]}"'$*]{0,4}(?:[.!]|\s*$|\n|<)/.test(reply.text.slice(group.end, group.end + 8));
  const values: number[] = [];
  for (const { value, fraction } of group.mentions) {
    if (value === null || (fraction && !whole)) return [];
    values.push(value);
  }
  return [...new Set(values)];
}

/**
 * What a number does in a text when nothing announces it: `label` numbers something ("Step 3:", "2."), `date` is a
 * year or a day and may be meant or not, `count` is any other.
 */
export type NumberRole = "label" | "date" | "count";

const LABEL =
  /(?:\b(?:step|question|problem|chapter|figure|fig|table|equation|eq|section|part|page|line|example|exercise|item|case|method|option|choice|point|no|phase|round|room|version|theorem|lemma|note|ref|turn|rule|stage|q|confidence(?: (?:level|score|rating))?(?: is| of)?)\.? ?[:=]? ?|#|\[)$/;
const YEAR_BEFORE =
  /\b(?:in|since|by|during|year|from|until|till|after|before|circa|of|early|late|mid|(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?(?: \d{1,2}(?:st|nd|rd|th)?,?)?) \(?$|\($/;
const MONTH_BEFORE =
  /\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\.? $/;
const MONTH_AFTER =
  /^(?:st|nd|rd|th)? (?:of )?(?:january|february|march|april|may|june|july|august|september|october|november|december)/;

/** The role of each number, in order. */
export function numberRoles(reply: ReplyText, tokens: readonly NumberToken[]): NumberRole[] {
  let lastMarker = 0;
  return tokens.map((token) => {
    const marker = markerOf(reply, token);
    // A list counts up from 1; "42. That is the answer" is no list.
    if (marker !== undefined && (marker === 1 || marker === lastMarker + 1)) {
      lastMarker = marker;
      return "label";
    }
    const role = roleOf(reply.lower, token);
    return role === "count" && isNamed(reply, token) ? "label" : role;
  });
}

/** The number of a list item: `2. ` at the beginning of a line with something after it. */
function markerOf(reply: ReplyText, { value, start, end }: NumberToken): number | undefined {
  if (value === null || !/^[.)](?: \S|$)|^\.?\) /.test(reply.text.slice(end, end + 3))) return undefined;
  const line = reply.lineStart(start);
  return start - line <= 6 && /^[-•>#\s(*]*$/.test(reply.text.slice(line, start)) ? value : undefined;
}

const nameBefore = lazyPattern("(?:^|[^\\p{L}])(\\p{Lu}\\p{Ll}+) $", "u");

/** "Box 2", "Apollo 11": a name with a number, unless the capital only begins the sentence. */
function isNamed(reply: ReplyText, { start }: NumberToken): boolean {
  const name = nameBefore().exec(reply.text.slice(Math.max(0, start - 20), start))?.[1];
  return (
    name !== undefined &&
    start - name.length - 1 - reply.sentenceStart(start) > 2 &&
    !/^(?:Rs|Eur|Usd|About|Only)$/.test(name)
  );
}

function roleOf(lower: string, { start, end }: NumberToken): NumberRole {
  const before = lower.slice(Math.max(0, start - 24), start);
  const after = lower.slice(end, end + 16);
  if (/\[$/.test(before) ? /^\]/.test(after) : LABEL.test(before)) return "label";
  if (/^%? ?(?:%|percent)? (?:sure|certain|confident)/.test(after)) return "label";
  const written = lower.slice(start, end);
  if (/^(?:1\d|20)\d\d$/.test(written) && YEAR_BEFORE.test(before)) return "date";
  return MONTH_BEFORE.test(before) || MONTH_AFTER.test(after) ? "date" : "count";
}

/** How many numbers are considered for each cue, and how far behind it. */
const MOST_CANDIDATES = 12;
const FAR = 240;

/** What the plain cues of a reply announce. */
export interface Announcements {
  readonly announced: ReadonlyMap<NumberToken, AnswerCue>;
  /** Cues that announce several numbers, or one that cannot be read. */
  readonly unclear: readonly AnswerCue[];
  /** True if something other than a number is announced. */
  readonly otherAnnounced: boolean;
}

/** Which numbers the plain cues announce. */
export function announcements(
  context: Context,
  tokens: readonly NumberToken[],
  roles: readonly NumberRole[],
): Announcements {
  const announced = new Map<NumberToken, AnswerCue>();
  const unclear: AnswerCue[] = [];
  let otherAnnounced = false;
  let next = 0;
  for (const cue of context.cues) {
    if (cue.strength < ANSWER) continue;
    while (next < tokens.length && (tokens[next] as NumberToken).start < cue.end) next++;
    const token = announcedNumber(context, cue, candidates(context, cue, { tokens, roles, next }));
    if (token === undefined) otherAnnounced = true;
    else if (token === "unclear") unclear.push(cue);
    else if ((announced.get(token)?.strength ?? 0) <= cue.strength) announced.set(token, cue);
  }
  return { announced, unclear, otherAnnounced };
}

/** The numbers after a cue; those of things ("question 5") only right behind it. */
function candidates(
  { reply }: Context,
  cue: AnswerCue,
  { tokens, roles, next }: { tokens: readonly NumberToken[]; roles: readonly NumberRole[]; next: number },
): NumberToken[] {
  const following: NumberToken[] = [];
  for (let index = next; index < tokens.length && following.length < MOST_CANDIDATES; index++) {
    const token = tokens[index] as NumberToken;
    if (token.start > cue.end + FAR) break;
    if (roles[index] !== "label" || announces(reply, cue, token.start)) following.push(token);
  }
  return following;
}

/** How far behind its cue a bracket may close. */
const REACH = 240;

/** The number that a cue announces: `unclear` if it announces several or none that can be read, undefined if none. */
export function announcedNumber(
  { reply }: Context,
  cue: AnswerCue,
  following: readonly NumberToken[],
): NumberToken | "unclear" | undefined {
  const limit = reachEnd(reply, cue);
  const inReach = following.filter(({ start }) => start < limit);
  const [first, second] = inReach;
  if (first === undefined) return undefined;
  const adjacent = announces(reply, cue, first.start);
  if (adjacent && first.value !== null) return goesOn(reply, first, second) ? "unclear" : first;
  const results = inReach.filter(({ start, value }) => value !== null && isResult(reply, start));
  const result = results.at(-1);
  if (result !== undefined) return isOfSeveral(reply, results.at(-2), result) ? "unclear" : result;
  if (adjacent) return "unclear";
  // Further away, it must be the only number of the sentence, and not part of a calculation.
  const same = first.value !== null && inReach.every(({ value }) => value === first.value);
  return same && !METHOD.test(reply.lower.slice(cue.end, first.start)) ? first : "unclear";
}

const METHOD =
  /\b(?:add|multipl|divid|subtract|calculat|comput|find|found|obtain|deriv|us(?:e|ing)|by|see|if|when|because|since)/;

/** True if an equals sign stands before the number. */
export function isResult({ text }: ReplyText, start: number): boolean {
  return /(?<![<>!≠=])[=≈→] ?(?:about |approximately |roughly )?[$€£]?$/.test(
    text.slice(Math.max(0, start - 18), start),
  );
}

/** "x = 2 and y = 3": results of different things are not steps to the last of them. */
export function isOfSeveral({ lower }: ReplyText, before: Place | undefined, result: Place): boolean {
  if (before === undefined) return false;
  return /^[,;$ ]{0,3}(?:and|or)?[ $]{0,2}[a-z](?:_?\d)? ?= ?$/.test(lower.slice(before.end, result.start));
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Brackets and tags end what they announce; anything else reaches to the end of the sentence that begins after it. */
function reachEnd(reply: ReplyText, cue: AnswerCue): number {
  const far = cue.end + REACH;
  const words = reply.lower.slice(cue.start, cue.end);
  const closer = words.endsWith("{")
    ? "}"
    : words.endsWith("[[")
      ? "]]"
      : words.endsWith(">")
        ? "</"
        : undefined;
  if (closer !== undefined && cue.strength > ANSWER) {
    const end = reply.text.slice(cue.end, far).indexOf(closer);
    return end < 0 ? far : cue.end + end;
  }
  const gap = /^[\s*:"'>#-]*/.exec(reply.text.slice(cue.end, cue.end + 20))?.[0].length ?? 0;
  return Math.min(far, reply.sentenceEnd(cue.end + gap));
}

/** "5 apples and 3 pears" is no single number. */
function goesOn(reply: ReplyText, first: NumberToken, second: NumberToken | undefined): boolean {
  if (second === undefined || second.value === first.value) return false;
  return /^ [a-z]+,? (?:and|or|plus) [$€£]?$|^[^.\n]{0,12}\((?:or|maybe|possibly) [$€£]?$/.test(
    reply.lower.slice(first.end, second.start),
  );
}
