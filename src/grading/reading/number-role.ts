import type { NumberToken } from "../../core/text/number-tokens.ts";
import { patternOnFirstUse } from "../../core/values/on-first-use.ts";
import type { ReplyText } from "./reply-text.ts";

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

const nameBefore = patternOnFirstUse("(?:^|[^\\p{L}])(\\p{Lu}\\p{Ll}+) $", "u");

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
