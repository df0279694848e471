import { lazy } from "../../core/lazy.ts";
import { numberTokens } from "../../core/text/number-tokens.ts";
import type { Decision } from "./decide.ts";
import { upTo } from "./phrases.ts";
import type { Source } from "./read-reply.ts";
import { cleanReply } from "./reply-text.ts";
import type { Place } from "./standing.ts";

/** Words that make something no answer, or not a plain one. */
const NO_ANSWER = new Set(
  "yes no not none neither nor both either or and but if maybe perhaps possibly probably likely depend depends unknown unsure uncertain unclear sure sorry cannot can could may might would should will do does did have has is are was were be it its that this these those they there here i you your we he she my me what which who how why where when yet still again okay ok thanks thank hello hi hmm hmmm well wait right wrong correct incorrect true false exactly absolutely certainly definitely indeed understood agreed great good fine nothing something anything everything someone any other another same different always never sometimes one question answer to between about around approximately than because since so as let nice happy please interesting noted glad welcome apologies hard tough tricky impossible more need needed clue clues hint hints waiting insufficient undetermined undecided information enough data however actually explanation step note source sources summary".split(
    " ",
  ),
);
const NOT_PLAIN = /n't|[?;=…]|:(?!\d)|\d ?[-–~] ?\d/i;

/** Up to four words that look like a name or a quantity. */
const VALUE = "(?:[\\p{L}\\p{N}€$£][\\p{L}\\p{N}'’.,/:%°-]*)(?: [\\p{L}\\p{N}(][\\p{L}\\p{N}'’,/%°)-]*){0,3}";
const NAME = "(?:[\\p{Lu}][\\p{L}'’-]+)(?: (?:of |the |de |von |van )?[\\p{Lu}][\\p{L}\\p{N}'’.-]*){0,3}";
const LEAD = upTo(
  2,
  "(?:so|well|yes|okay|ok|then|therefore|i (?:think|believe|would say)|you(?:'re| are) (?:absolutely )?(?:right|correct)(?:, i apologi[sz]e)?|i stand corrected|my apologies|i apologi[sz]e(?: for the (?:mistake|error|confusion))?)[,.!:;]? ",
);

interface Forms {
  /** A line that is a value. */
  readonly alone: RegExp;
  /** "It is Bursa.", "The answer is Bursa.", "Answer: Bursa" */
  readonly announced: RegExp;
  /** "The capital of Turkey is Bursa.", "Bursa is the capital of Turkey." */
  readonly stated: readonly RegExp[];
  readonly name: RegExp;
}

const forms = lazy(
  (): Forms => ({
    alone: new RegExp(
      `^["'(]{0,2}(?:(?:in|at|on) )?(?:(?:the|an?) )?(?<value>${VALUE})["')]{0,2}(?: \\([^()]{1,40}\\))?[.!]?$`,
      "iu",
    ),
    announced: new RegExp(
      `^${LEAD}(?:it's|it is|it was|that's|that is|that was|that would be|(?:the|my) (?:final |correct |right )?answer is|(?:final )?answer:)(?: still| therefore)? (?:(?:the|an?|in|at) )?(?<value>${VALUE})[.!]?$`,
      "iu",
    ),
    stated: [
      `(?:the|its|their|an?|this|that) [^.,;:?!\\n]{2,60} (?:is|was) (?:the )?(?<value>${NAME})`,
      `(?<value>${NAME}) (?:is|was) (?:the|an?|its) [^.,;:?!\\n]{2,60}`,
    ].map((source) => new RegExp(`^${LEAD}${source}[.!]?$`, "iu")),
    name: new RegExp(
      `^(?:\\p{L}[\\p{L}'’-]{2,}|${NAME}|\\p{Lu}[\\p{L}'’-]+ [\\p{L}'’-]+(?<!ly)|[€$£]?\\d.*)$`,
      "u",
    ),
  }),
);
const CAPITAL = /^\p{Lu}/u;
const DENIED = /\b(?:not?|never)\b|n't/i;

/**
 * Where a reply that names none of the listed values gives another one as its answer. Anything but the plainest form
 * is left unread: a value that is only mentioned, or spelt in an unknown way, must not count as a wrong answer.
 */
export function otherAnswer(reply: string): Place | undefined {
  if (reply.length > 600) return undefined;
  const { text, span } = cleanReply(reply);
  const lines = text
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  const last = lines.at(-1) ?? "";
  const whole = lines.length === 1;
  const value =
    valueIn(first, forms().alone) ??
    valueIn(last, forms().announced) ??
    (whole && !DENIED.test(last)
      ? forms()
          .stated.map((pattern) => valueIn(last, pattern, true))
          .find((found) => found !== undefined)
      : undefined);
  if (value === undefined || text.includes("?")) return undefined;
  const at = text.indexOf(value);
  const [start, end] = span(at, at + value.length);
  return { start, end };
}

function valueIn(line: string, pattern: RegExp, named = false): string | undefined {
  const value = pattern
    .exec(line.trim())
    ?.groups?.value?.replace(/ \([^()]*\)$/, "")
    .replace(/[.,]$/, "");
  if (value === undefined || value.length > 40 || NOT_PLAIN.test(value) || !forms().name.test(value))
    return undefined;
  if (
    value
      .toLowerCase()
      .match(/\w+/g)
      ?.some((word) => NO_ANSWER.has(word))
  )
    return undefined;
  // "House styles differ." is a sentence, "Activated charcoal" is none.
  const words =
    / \p{Ll}/u.test(value) && !/^[€$£]?\d/.test(value) && /^(?!in |the |an? ).*[.!]$/i.test(line.trim());
  return words || (named && !CAPITAL.test(value)) ? undefined : value;
}

const TIME = /(?<![\d:])\d{1,2}:\d\d(?![\d:])/g;
const UNIT_AFTER = /^[ -]?([\p{L}¢°%][\p{L}/²]*)/u;
/** What a number counts that was hardly asked for, where the listed ones count nothing. */
const OTHER_UNIT = /^(?:years?|months?|weeks?|days?|hours?|minutes?|times|percent|%|pairs?)$/;
const UNIT_BEFORE = /(\p{L}+) $/u;

/** What the listed values have in common if all of them are quantities. */
export interface Quantities {
  readonly numbers: ReadonlySet<number>;
  /** The words that stand beside the numbers: "cents", "day". */
  readonly units: ReadonlySet<string>;
  readonly times: boolean;
}

/** The quantities that values and their aliases name; undefined if a value is none. */
export function quantitiesOf(values: Readonly<Record<string, readonly string[]>>): Quantities | undefined {
  const numbers = new Set<number>();
  const units = new Set<string>();
  for (const [value, aliases] of Object.entries(values)) {
    if (!/\d/.test(value)) return undefined;
    for (const text of [value, ...aliases]) {
      const lower = text.toLowerCase();
      for (const token of numberTokens({ text, lower })) {
        if (token.value !== null) numbers.add(token.value);
        const unit =
          UNIT_AFTER.exec(lower.slice(token.end))?.[1] ?? UNIT_BEFORE.exec(lower.slice(0, token.start))?.[1];
        if (unit !== undefined && text === value) units.add(unit);
      }
    }
  }
  return { numbers, units, times: Object.keys(values).every((value) => /^\d{1,2}:\d\d$/.test(value)) };
}

/** "on the 16th day": an ordinal, if it is the only number. */
function ordinal(reply: string): Decision<number> | undefined {
  const [first, ...more] = [...reply.matchAll(/\d+(?:st|nd|rd|th)?\b/g)];
  if (first === undefined || more.length > 0 || !/[a-z]/.test(first[0])) return undefined;
  return {
    status: "found",
    value: Number.parseInt(first[0], 10),
    start: first.index,
    end: first.index + first[0].length,
  };
}

/** Where a reply gives a quantity that is none of the listed ones, in their unit; the question's own ones only if they are all of it. */
export function otherQuantity(
  { reply, question }: Pick<Source, "reply" | "question">,
  { numbers, units, times }: Quantities,
  read: () => Decision<number>,
): Place | undefined {
  const alone = !/\p{L}/u.test(reply);
  if (times) {
    const found = [...reply.matchAll(TIME)];
    const [first] = found;
    if (first === undefined || found.some(([time]) => time !== first[0])) return undefined;
    if (!alone && question.includes(first[0])) return undefined;
    return { start: first.index, end: first.index + first[0].length };
  }
  const number = ordinal(reply) ?? read();
  if (number.status !== "found" || numbers.has(number.value)) return undefined;
  if (!alone && numberTokens({ text: question, lower: question }).some(({ value }) => value === number.value))
    return undefined;
  // "30.000" may be thirty thousand.
  if (numbers.has(number.value * 1_000) && /\d\.\d{3}/.test(reply.slice(number.start, number.end)))
    return undefined;
  const { start, end } = number;
  const lower = reply.toLowerCase();
  const after = UNIT_AFTER.exec(lower.slice(end).replace(/^[*_]+/, ""))?.[1];
  const before = UNIT_BEFORE.exec(lower.slice(Math.max(0, start - 20), start).replace(/[*_]+$/, ""))?.[1];
  const fits =
    alone ||
    (units.size === 0
      ? !OTHER_UNIT.test(after ?? "")
      : [after, before].some((unit) => unit !== undefined && units.has(unit)) &&
        !/\b(?:each|every|per)\b/.test(lower));
  return fits ? { start, end } : undefined;
}
