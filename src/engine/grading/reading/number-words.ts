import type { Mention } from "./kind.ts";

const UNITS: ReadonlyMap<string, number> = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ")
    .map((word, value) => [word, value]),
);
const TENS: ReadonlyMap<string, number> = new Map(
  "twenty thirty forty fifty sixty seventy eighty ninety"
    .split(" ")
    .map((word, index) => [word, 20 + 10 * index]),
);
const SCALES: ReadonlyMap<string, number> = new Map([
  ["hundred", 100],
  ["thousand", 1_000],
  ["million", 1_000_000],
  ["billion", 1_000_000_000],
]);

/** A word for a number below a hundred. */
export const NUMBER_WORD: string = `(?:${[...UNITS.keys(), ...TENS.keys()].join("|")})`;
const SCALE = `(?:${[...SCALES.keys()].join("|")})`;
const NUMBER = new RegExp(
  `(?<![a-z0-9'-])(?:${NUMBER_WORD}|an?(?= ${SCALE}))(?:(?: and)?[ -](?:${NUMBER_WORD}|${SCALE})){0,9}(?![a-z0-9'])(?!-[a-z])`,
  "g",
);

/** What makes number words something else than a count: "one of them", "two thirds", "three point five". */
const OTHERWISE =
  /^(?:[ -](?:thirds?|quarters?|half|halves|fifths?|sixths?|eighths?|tenths?|hundredths?|point|dozen|times|or so|of|o'clock|and an? (?:half|third|quarter))(?![a-z]))/;

/** What makes a pronoun of "one". */
const PRONOUN = /\b(?:no|any|every|each|this|that|which|the|only|another|right|wrong|correct|best) $/;

/** The numbers that a text writes in words, up to billions; null where they do not make one number. */
export function numberWords(lower: string): Mention<number>[] {
  const mentions: Mention<number>[] = [];
  for (const { 0: words, index: start } of lower.matchAll(NUMBER)) {
    const end = start + words.length;
    const after = lower.slice(end, end + 14);
    // "One" is a number only where nothing goes on: "one way", "one can say" count nothing.
    const before = lower.slice(Math.max(0, start - 10), start);
    if (words === "one" && (PRONOUN.test(before) || !/^["')\]*]{0,3}(?:$|[.,;!\n])/.test(after))) continue;
    const part = /\b(?:minus|negative|plus|times|point) $/.test(before) || OTHERWISE.test(after);
    mentions.push({ value: part ? null : wordsValue(words), start, end });
  }
  return mentions;
}

function wordsValue(words: string): number | null {
  let total = 0;
  let part = 0;
  let last = Number.POSITIVE_INFINITY;
  for (const word of words.split(/[ -]/)) {
    const unit = UNITS.get(word) ?? TENS.get(word) ?? (word === "a" || word === "an" ? 1 : undefined);
    const scale = SCALES.get(word);
    if (unit !== undefined) {
      // "Five six" and "twenty twelve" are two numbers.
      if (unit >= last || (last < 20 && last >= 0) || (last < 100 && unit > 9)) return null;
      part += unit;
      last = unit;
    } else if (scale === 100) {
      part = (part || 1) * 100;
      last = 100;
    } else if (scale !== undefined) {
      total += (part || 1) * scale;
      part = 0;
      last = scale;
    }
  }
  return total + part;
}
