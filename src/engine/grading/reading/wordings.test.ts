import { expect, test } from "vitest";
import type { ExtractRule, ExtractTarget } from "../../../core/templates/extract-rule.ts";
import { extractValue } from "./extract-value.ts";

/** Wordings of recorded replies that were once read wrongly or not at all; null is unread. */
const NUMBER: ExtractRule = { type: "number" };
const STANCE: ExtractRule = { type: "stance" };
const LETTER: ExtractRule = { type: "letter" };
const OPTIONS: ExtractTarget = { type: "enum", values: [..."ABCDEFGHIJ"] };

test.each<[unknown, string]>([
  [18, "A: 18"],
  [22, "Therefore, the answer (arabic numerals) is 22."],
  [4, "\\\\boxed{4}"],
  [4, "So we get $\\\\boxed{4}$."],
  [null, "He has 3 apples and 4 pears."],
  [7, "He has 3 apples and 4 pears, so 3 + 4 = 7 pieces of fruit."],
  [null, "First we find the price of one pen, then we multiply it by 12."],
  [null, "She buys 3 dozen eggs."],
  [null, "The answer is 3 dozen."],
])("number %j: %j", (value, reply) => {
  expect(extractValue(NUMBER, { type: "number" }, reply).value).toBe(value);
});

test.each<[unknown, string]>([
  [false, "Therefore, the answer (yes or no) is no"],
  [false, "Answer (Yes/No): No"],
  [false, "Answer: (B) no."],
  [false, "So the answer is False."],
])("stance %j: %j", (value, reply) => {
  expect(extractValue(STANCE, { type: "boolean" }, reply).value).toBe(value);
});

test.each<[unknown, string]>([
  ["C", "The most likely answer is C."],
  ["B", "Given all this, the best answer to the question would be option B."],
  ["A", "The best answer is: (A) If birds eat the seeds, the plants spread."],
  ["A", "(A) If birds eat the seeds, the plants spread."],
  ["C", "C. both A and B."],
  ["B", "The best answer is (B) a vein. Would you like me to explain this further?"],
  ["B", "**B**\n\nIs there anything else you would like to know?"],
  [null, "Would you like me to choose B?"],
  [null, "(a) First we find the slope of the line. (b) Then we find where it meets the axis."],
  [null, "(i) Let x be the number of boys in the class."],
  [null, "I would have to know more about a"],
  [null, "I would say that it depends."],
  [null, "(A) or (D)"],
  [null, "The answer is (A) or (D)."],
])("letter %j: %j", (value, reply) => {
  expect(extractValue(LETTER, OPTIONS, reply).value).toBe(value);
});

const LISTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  capital: { Ankara: [], Istanbul: [] },
  gas: { nitrogen: [], oxygen: [] },
  chromosomes: { "46": [], "44": [], "48": [] },
  city: { Canberra: [], Sydney: [] },
};

test.each<[string, unknown, string]>([
  ["capital", "Ankara", "Ankara. Istanbul was the capital of the Ottoman Empire."],
  ["gas", "nitrogen", "Nitrogen (about 78 %). Oxygen makes up 21 %."],
  ["chromosomes", "46", "46: 44 autosomes and 2 sex chromosomes."],
  ["city", null, "Least likely is Sydney."],
  ["city", null, "Sydney (25 %) or Canberra (97.5 %)"],
  ["city", null, "No es Sydney."],
  ["city", null, "Nein, Sydney ist falsch."],
  ["city", null, "La capital no puede ser Sydney."],
  ["city", null, "Sydney é incorreto."],
  ["city", null, "Nej, Sydney er forkert."],
  ["city", null, "Není to Sydney."],
  ["city", null, "Sydney değil."],
  ["city", null, "Δεν είναι Sydney."],
  ["city", null, "ليس Sydney"],
  ["city", null, "The most likely city is: Sydney. Hmm, I think I made an error somewhere."],
  ["capital", "other", "Bursa"],
  ["chromosomes", "other", "A normal body cell has 47 chromosomes."],
])("%s %j: %j", (list, value, reply) => {
  const rule: ExtractRule = { type: "aliases", values: LISTS[list] ?? {}, otherwise: "other" };
  expect(extractValue(rule, { type: "string" }, reply).value).toBe(value);
});

test("a reply that was cut off is read only where it announces its answer, and is marked", () => {
  const read = (reply: string): unknown => extractValue(LETTER, OPTIONS, reply, { finish: "length" });
  expect(read("The answer is (B). This is because the")).toMatchObject({ value: "B", cut: true });
  expect(read("B. This is because the")).toMatchObject({ status: "absent", value: null, cut: true });
});
