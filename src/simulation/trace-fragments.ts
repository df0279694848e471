import type { Check } from "../check/check.ts";
import type { JsonValue } from "../value/json.ts";
import { patternSample } from "./pattern-sample.ts";

const FILLER = [
  "There is more to say about this, and I am glad to go into it.",
  "I have tried to keep to what I know and to leave out what I do not.",
  "If a detail matters to you, tell me which one, and I will look at it again.",
];

/** No author needs a longer reply, and a check may ask for anything. */
const MAX_LENGTH = 20_000;
const MAX_REPEATS = 100;

/** Texts to put into a reply so that a check on the raw reply passes; null stands for nothing. */
export function passingFragments(check: Check): readonly JsonValue[] {
  switch (check.type) {
    case "trace_contains":
      return [check.substring, null];
    case "trace_regex": {
      const times = Math.min(check.countMin ?? 1, MAX_REPEATS);
      const samples = [0, 1, 2].map((variant) => patternSample(check.pattern, { variant }));
      return [null, ...samples.map((sample) => Array(times).fill(sample).join(" "))];
    }
    case "trace_length":
      return [null, fillerOf(check.min ?? 0, check.unit ?? "chars")];
    default:
      return [null];
  }
}

/** Texts to put into a reply so that a check on the raw reply fails. */
export function failingFragments(check: Check): readonly JsonValue[] {
  if (check.type !== "trace_length" || check.max === undefined) return [null];
  return [null, fillerOf(check.max + 1, check.unit ?? "chars")];
}

function fillerOf(length: number, unit: "chars" | "words"): string {
  const wanted = Math.min(unit === "words" ? length * 6 : length, MAX_LENGTH);
  let text = "";
  for (let index = 0; text.length < wanted; index++) text += ` ${FILLER[index % FILLER.length]}`;
  return text.trim();
}
