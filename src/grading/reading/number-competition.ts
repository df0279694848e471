import { patternOnFirstUse } from "../../core/values/on-first-use.ts";
import { markersOf } from "./markers.ts";
import type { NumberStatement } from "./number-statement.ts";
import { anyOf } from "./phrases.ts";
import type { Context } from "./statement.ts";

const HEAD = "(?<=(?:^|[.!?…\\n(])[\\s\"'#*-]{0,4})";
/** What follows confirms or explains what was said before. */
const afterwards = patternOnFirstUse(
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
const within = patternOnFirstUse(
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
