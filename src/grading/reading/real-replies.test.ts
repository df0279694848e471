import { describe, expect, test } from "vitest";
import type { ExtractRule, ExtractTarget } from "../../core/templates/extract-rule.ts";
import { extractValue } from "./extract-value.ts";

/** How models really answer: a reply, and what a careful reader takes from it; "?" is ambiguous, "-" absent. */
type Replies = readonly (readonly [reply: string, reading: unknown])[];

function expectReading(rule: ExtractRule, target: ExtractTarget, reply: string, reading: unknown): void {
  const status = reading === "?" ? "ambiguous" : reading === "-" ? "absent" : "found";
  expect(extractValue(rule, target, reply)).toMatchObject({
    status,
    value: status === "found" ? reading : null,
  });
}

const LETTERS: Replies = [
  ["B", "B"],
  ["b", "B"],
  ["(C)", "C"],
  ["**Answer: (C)**", "C"],
  ["I'd go with B.", "B"],
  ["A good answer would be that it depends.", "-"],
  ["The answer is A.", "A"],
  ["A) Paris", "A"],
  ["Option D is correct.", "D"],
  ["I think it's either A or C.", "?"],
  ["not B, but C", "C"],
  ["It is not B.", "-"],
  ["After thinking: A is wrong, B is wrong, D is wrong. So C.", "C"],
  ["A: Paris\nB: London\nC: Rome\nD: Berlin\n\nAnswer: D", "D"],
  ["\\boxed{B}", "B"],
  ["I cannot answer that.", "-"],
  ["The correct choice is (b) because it is larger.", "B"],
  ["B is tempting, but the correct answer is C.", "C"],
  ["Initially I thought A. Wait, actually it's D.", "D"],
  ["Both A and B are correct.", "?"],
  ["Answer: B or C", "?"],
  ["My final answer is: **A**", "A"],
  ["<think>maybe A</think> C", "C"],
  ["C. Rome is the capital of Italy.", "C"],
  ["I am confident that the right answer is D) Berlin.", "D"],
  ["Vitamin C is found in oranges.", "-"],
  ["Plan B is better", "-"],
  ["The answer would be C, not A.", "C"],
  ["None of the above.", "-"],
];

const NUMBERS: Replies = [
  ["42", 42],
  ["$1,200.50", 1200.5],
  ["The answer is 42.", 42],
  ["#### 72", 72],
  ["about 3 in 4", "?"],
  ["3/4", 0.75],
  ["50%", 50],
  ["-5 degrees", -5],
  ["−5", -5],
  ["1.2 million", 1_200_000],
  ["between 3 and 5", "?"],
  ["Step 1: 3+4=7. Step 2: 7*2=14. The answer is 14.", 14],
  ["1. First\n2. Second\nSo the total is 15.", 15],
  ["1.234,56 €", 1234.56],
  ["twelve", 12],
  ["I don't know", "-"],
  ["x = 3.5e-4", 0.00035],
  ["The result is 7, not 8.", 7],
  ["7 (or maybe 8)", "?"],
  ["\\boxed{1{,}000}", 1000],
  ["Roughly 300 km", 300],
  ["It was founded in 1913.", 1913],
  ["No number here", "-"],
];

const STANCES: Replies = [
  ["Yes.", true],
  ["No, it does not.", false],
  ["Yes, but actually no.", "?"],
  ["That's correct.", true],
  ["That is incorrect.", false],
  ["I agree with you.", true],
  ["I disagree.", false],
  ["It depends.", "?"],
  ["Absolutely!", true],
  ["Not at all.", false],
  ["true", true],
  ["I'm not sure.", "-"],
  ["You're right, I apologize.", true],
  ["Certainly not.", false],
];

const CITIES: Replies = [
  ["The capital is Canberra.", "Canberra"],
  ["Canberra, not Sydney.", "Canberra"],
  ["Sydney or Melbourne", "?"],
  ["The capital isn't Sydney, it's Canberra.", "Canberra"],
  ["I don't know.", "-"],
  ["canberra!", "Canberra"],
  ["It is the bush capital.", "Canberra"],
  ["Canberran people", "-"],
  ["You are right, it is Sydney.", "Sydney"],
];

describe("letters", () => {
  const target: ExtractTarget = { type: "enum", values: ["A", "B", "C", "D"] };
  test.each(LETTERS)("%j: %j", (reply, reading) => expectReading({ type: "letter" }, target, reply, reading));
});

describe("numbers", () => {
  test.each(NUMBERS)("%j: %j", (reply, reading) =>
    expectReading({ type: "number" }, { type: "number" }, reply, reading),
  );

  test("without a cue, the first or the last", () => {
    const reply = "I saw 3 cats. Then I saw 4 dogs.";
    expectReading({ type: "number" }, { type: "number" }, reply, 4);
    expectReading({ type: "number", which: "first" }, { type: "number" }, reply, 3);
  });
});

describe("stances", () => {
  test.each(STANCES)("%j: %j", (reply, reading) =>
    expectReading({ type: "stance" }, { type: "boolean" }, reply, reading),
  );
});

describe("aliases", () => {
  const rule: ExtractRule = {
    type: "aliases",
    values: { Canberra: ["the bush capital"], Sydney: [], Melbourne: [] },
  };
  test.each(CITIES)("%j: %j", (reply, reading) => expectReading(rule, { type: "string" }, reply, reading));
});

describe("patterns", () => {
  const rule: ExtractRule = { type: "regex", pattern: "dose: (?P<mg>\\d+) mg", group: "mg" };
  test.each<[string, unknown]>([
    ["The dose: 400 mg a day.", 400],
    ["dose: 20 mg, later dose: 400 mg", 20],
    ["no dose", "-"],
  ])("%j: %j", (reply, reading) => expectReading(rule, { type: "integer" }, reply, reading));
});
