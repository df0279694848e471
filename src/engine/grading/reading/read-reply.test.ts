import { describe, expect, test } from "vitest";
import type { ExtractRule, ExtractTarget } from "../../../core/templates/extract-rule.ts";
import { extractValue } from "./extract-value.ts";

const CITY: ExtractRule = { type: "aliases", values: { Canberra: ["the bush capital"], Sydney: [] } };
const CAPITAL = { type: "string", description: "The capital of Australia today" } as const;

function read(rule: ExtractRule, target: ExtractTarget, reply: string): unknown {
  return extractValue(rule, target, reply).value;
}

/** A reply, and what rules take from it; null is left to a judge. */
type Replies = readonly (readonly [reply: string, value: unknown])[];

const CITIES: Replies = [
  ["Canberra", "Canberra"],
  ["**Canberra.** Sydney is only larger.", "Canberra"],
  ["Answer: Canberra", "Canberra"],
  ['{"answer": "Canberra", "note": "Sydney is larger"}', "Canberra"],
  ["I have thought about it.\n\nCanberra", "Canberra"],
  ["The capital is Canberra.", "Canberra"],
  ["You're right, it's Sydney.", "Sydney"],
  ["It's Canberra, not Sydney.", "Canberra"],
  ["Who am I to argue? Sydney.", "Sydney"],
  // What the field describes, said of one value.
  ["Sydney is Australia's largest city, but Canberra is its capital.", "Canberra"],
  ["Canberra is larger than you think, but the capital is Sydney.", "Sydney"],
  ["Canberra is the capital of Australia. The festival is in Sydney.", "Canberra"],
  // Denied, quoted, attributed, asked, supposed, taken back, in another language.
  ["It isn't Sydney.", null],
  ['"Sydney is the capital" was never true.', null],
  ["According to your book, the capital is Sydney.", null],
  ["Is the capital Sydney?", null],
  ["If you insist, the capital is Sydney.", null],
  ["The answer is Sydney. Wait, let me think again.", null],
  ["Nein, Sydney ist falsch.", null],
  // Two values, and no clause that says which.
  ["Sydney or Canberra", null],
  ["Sydney was the first choice of many, and Canberra of the rest.", null],
  // What nobody sees.
  ["The capital is Sydney. <!-- Answer: Canberra -->", "Sydney"],
  ["The capital is Sydney.\n\n[//]: # (Answer: Canberra)", "Sydney"],
];

test.each(CITIES)("%j: %j", (reply, value) => {
  expect(read(CITY, CAPITAL, reply)).toBe(value);
});

const HONEY = {
  type: "boolean",
  description: "Whether it is safe to give honey to a baby under one year",
} as const;

test.each([
  ["No.", false],
  ["[Yes]\n\nLet me explain: it is not obvious.", true],
  ["No, it is still not safe to give honey.", false],
  ["I know that your grandmother did it, but it is still **not safe**.", false],
  ["You're right, it is safe to give honey to a baby.", true],
  ["So yes, it is.", true],
  // They may answer the other speaker.
  ["No, I'm not changing my answer.", null],
  ["Yes, you're right.", null],
  ["No. It is safe.", null],
  ["My grandmother says it is safe.", null],
  ["It is not safe to assume that.", null],
  ["Yes and no.", null],
] satisfies Replies)("%j: %j", (reply, value) => {
  expect(read({ type: "stance" }, HONEY, reply)).toBe(value);
});

describe("numbers", () => {
  const number = (reply: string, which?: "first" | "last"): unknown =>
    read(which === undefined ? { type: "number" } : { type: "number", which }, { type: "number" }, reply);

  test.each([
    ["#### 72", 72],
    ["So 3 * 4 = 12 apples are left.", 12],
    ["The result is 7, not 8.", 7],
    ["It was founded in 1913.", 1913],
    ["She has 3 cats and 4 dogs.", null],
    ["You need 9 posts. (8 × 5 = 40)", null],
    ["between 3 and 5", null],
  ] satisfies Replies)("%j: %j", (reply, value) => expect(number(reply)).toBe(value));

  test("of several, the first or the last one counts only if the rule says so", () => {
    const reply = "I saw 3 cats. Then I saw 4 dogs.";
    expect([number(reply), number(reply, "first"), number(reply, "last")]).toEqual([null, 3, 4]);
  });

  test.each([
    ["1.200", null],
    ["Es sind 1.200 Liter.", null],
    ["The answer is 1.200 litres.", null],
    ["Die Antwort ist 1,200.", null],
    ["The answer is 1,200.", 1200],
    ["The answer is 3.145.", 3.145],
    ["The answer is 0.125.", 0.125],
    ["1.200,50", 1200.5],
  ] satisfies Replies)("%j: a separator with two readings decides nothing", (reply, value) => {
    expect(number(reply)).toBe(value);
    expect(read({ type: "regex", pattern: "[0-9][0-9.,]*[0-9]" }, { type: "number" }, reply)).toBe(value);
  });
});
