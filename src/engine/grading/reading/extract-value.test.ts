import { describe, expect, it } from "vitest";
import type { ExtractRule, ExtractTarget } from "../../../core/templates/extract-rule.ts";
import { extractValue, readPattern } from "./extract-value.ts";

describe("rules and types", () => {
  it.each<[ExtractRule, ExtractTarget, string, unknown]>([
    [{ type: "letter" }, { type: "enum", values: ["a", "b"] }, "The answer is B.", "b"],
    [{ type: "letter" }, { type: "enum", values: ["(a)", "(b)"] }, "The answer is B.", "(b)"],
    [{ type: "letter", options: ["a", "b"] }, { type: "string" }, "The answer is b.", "B"],
    [{ type: "letter", options: ["A", "B"] }, { type: "string" }, "The answer is C.", "ambiguous"],
    [{ type: "letter" }, { type: "enum", values: ["Paris", "Rome"] }, "The answer is B.", "ambiguous"],
    [{ type: "letter" }, { type: "string" }, "The answer is F.", "F"],
    [{ type: "letter" }, { type: "string" }, "I think so.", "absent"],
    [{ type: "letter" }, { type: "boolean" }, "The answer is B.", "absent"],
    [{ type: "number" }, { type: "integer" }, "The answer is 3.5.", "absent"],
    [{ type: "number" }, { type: "integer" }, "The answer is 3.0.", 3],
    [{ type: "number" }, { type: "string" }, "The answer is 1,200.", "1200"],
    [{ type: "number" }, { type: "enum", values: [1, 2, 3] }, "I choose 2.", 2],
    [{ type: "number", which: "first" }, { type: "number" }, "3 cats, later 4 dogs", 3],
    [{ type: "stance" }, { type: "boolean" }, "No, it isn't.", false],
    [{ type: "stance" }, { type: "enum", values: ["Yes", "No"] }, "No, it isn't.", "No"],
    [{ type: "stance" }, { type: "number" }, "No, it isn't.", "absent"],
    [
      { type: "aliases", values: { LOW: ["a little"] } },
      { type: "enum", values: ["low", "high"] },
      "a little",
      "low",
    ],
    [
      { type: "aliases", values: { true: ["sure thing"], false: [] } },
      { type: "boolean" },
      "Sure thing!",
      true,
    ],
    [{ type: "aliases", values: { "7": ["lucky"] } }, { type: "integer" }, "lucky", 7],
    [{ type: "aliases", values: { a: [] } }, { type: "enum", values: ["b"] }, "a", "absent"],
    [{ type: "regex", pattern: "(\\d+) mg" }, { type: "integer" }, "20 mg", 20],
    [{ type: "regex", pattern: "on (\\S+)" }, { type: "date" }, "on 2024-03-01", "2024-03-01"],
    [{ type: "regex", pattern: "on (\\S+)" }, { type: "date" }, "on Monday", "absent"],
    [{ type: "regex", pattern: "x" }, { type: "array", items: { type: "string" } }, "x", "absent"],
  ])("%j as %j in %j: %j", (rule, target, text, expected) => {
    const { status, value } = extractValue(rule, target, text);
    expect(status === "found" ? value : status).toBe(expected);
    if (status !== "found") expect(value).toBe(null);
  });
});

it.each<[ExtractRule, ExtractTarget, string]>([
  [{ type: "letter" }, { type: "string" }, "B"],
  [{ type: "number" }, { type: "number" }, "$1,200.50"],
  [{ type: "aliases", values: { yes: ["in all"] } }, { type: "string" }, "in all"],
  [{ type: "regex", pattern: "\\((.)\\)" }, { type: "string" }, "B"],
])("the span of %j is where the value stands", (rule, target, part) => {
  const text = `Let us see. **The answer is** (${part}), thank you.`;
  const { span } = extractValue(rule, target, text);
  expect(span && text.slice(...span)).toBe(part);
});

type Options = Omit<Extract<ExtractRule, { type: "regex" }>, "type" | "pattern">;

it.each<[string, Options, string, string]>([
  ["dose: (\\d+)", {}, "dose: 20, dose: 40", "20"],
  ["dose: (\\d+)", { which: "last" }, "dose: 20, dose: 40", "40"],
  ["\\d+ mg", {}, "take 20 mg", "20 mg"],
  ["(a)(b)", { group: 2 }, "ab", "b"],
  ["(a)(b)", { group: 0 }, "ab", "ab"],
  ["(?P<unit>mg)", { group: "unit" }, "20 mg", "mg"],
  ["ANSWER: (\\w)", { flags: "i" }, "answer: b", "b"],
  ["^b$", { flags: "m" }, "a\nb", "b"],
  ["x", {}, "abc", "absent"],
  ["(x)?b", {}, "ab, xb", "x"],
  ["a*", {}, "bbb", "absent"],
  ["(", {}, "(", "absent"],
  ["a(?=b)", {}, "ab", "absent"],
  ["(a)", { group: 2 }, "a", "absent"],
  ["(a)", { group: "nope" }, "a", "absent"],
  ["[A-D]", {}, "<think>A</think> B", "B"],
  ["^B", {}, "<think>A</think>\n\nB", "B"],
])("%j with %j in %j: %s", (pattern, options, reply, expected) => {
  const read = readPattern({ type: "regex", pattern, ...options }, reply);
  expect(read.status === "found" ? read.value : read.status).toBe(expected);
});

it("says where the match stands", () => {
  const reply = "<think>20 mg</think> so 40 mg";
  const read = readPattern({ type: "regex", pattern: "(\\d+) mg" }, reply);
  expect(read.status === "found" && reply.slice(read.start, read.end)).toBe("40");
});

it("does not look for the last of too many matches", () => {
  const rule = { type: "regex", pattern: "a.*z|a", which: "last" } as const;
  expect(readPattern(rule, "a".repeat(50_000))).toEqual({ status: "ambiguous" });
  expect(readPattern({ ...rule, which: "first" }, "a".repeat(50_000))).toMatchObject({
    value: "a",
    start: 0,
  });
});

describe("a reply that was cut off", () => {
  const letter = { type: "letter" } as const;
  const number = { type: "number" } as const;
  it.each<[ExtractRule, ExtractTarget, string, unknown]>([
    [letter, { type: "string" }, "The answer is (B). It is the only one that", "B"],
    [letter, { type: "string" }, "Let us look at option B. It is a", null],
    [letter, { type: "string" }, "B is correct because a", null],
    [letter, { type: "string" }, "The answer is A", null],
    [number, { type: "number" }, "So we get \\boxed{12}, which", 12],
    [number, { type: "number" }, "The answer is 3 because the", 3],
    [number, { type: "number" }, "The answer is 1", null],
    [number, { type: "number" }, "He pays 3 * 4 = 12 dollars, and then", null],
    [{ type: "stance" }, { type: "boolean" }, "Yes, and the reason is", null],
    [{ type: "aliases", values: { Rome: [] } }, { type: "string" }, "Rome is", null],
  ])("%j as %j in %j: %j", (rule, target, text, expected) => {
    const field = extractValue(rule, target, text, { finish: "length" });
    expect(field).toMatchObject({ value: expected, cut: true });
    expect(extractValue(rule, target, text, { finish: "stop" })).not.toHaveProperty("cut");
  });
});

describe("an answer that is none of the listed values", () => {
  const values = { Ankara: [], Istanbul: ["İstanbul"] };
  const target = { type: "enum", values: ["Ankara", "Istanbul", "other"] } as const;
  it.each([
    "Bursa",
    "**Bursa**.",
    "It is Bursa.",
    "The answer is Bursa.",
    "Answer: Bursa",
    "You're right, it's New York.",
  ])("%j is the value that the rule names, if it names one", (text) => {
    expect(extractValue({ type: "aliases", values }, target, text).status).toBe("absent");
    expect(extractValue({ type: "aliases", values, otherwise: "other" }, target, text).value).toBe("other");
  });

  it.each([
    "I don't know.",
    "Thanks!",
    "It is not Bursa.",
    "It depends.",
    "Neither.",
    "Which one do you mean?",
    "The capital is well known.",
    "N/A",
    "Nein, das ist falsch.",
    "I would rather not say.",
    "Not Ankara.",
  ])("%j is no answer", (text) => {
    expect(extractValue({ type: "aliases", values, otherwise: "other" }, target, text).value).toBe(null);
  });

  it("does not hide a listed value", () => {
    expect(extractValue({ type: "aliases", values, otherwise: "other" }, target, "Ankara").value).toBe(
      "Ankara",
    );
    expect(
      extractValue({ type: "aliases", values, otherwise: "other" }, target, "Ankara or Bursa").value,
    ).not.toBe("other");
  });

  it("is not a quantity that only the question names", () => {
    const rule = { type: "aliases", values: { "00:05": ["0:05"], "23:25": [] }, otherwise: "other" } as const;
    const times = { type: "enum", values: ["00:05", "23:25", "other"] } as const;
    const question = "The film starts at 21:50 and runs for 135 minutes. At what time does it end?";
    const read = (reply: string): unknown => extractValue(rule, times, reply, { question }).value;
    expect(["It starts at 21:50.", "It ends at 22:50.", "21:50"].map(read)).toEqual([null, "other", "other"]);
    const speeds = { type: "aliases", values: { "40 km/h": [], "45 km/h": [] }, otherwise: "other" } as const;
    const drive = { question: "I drove there at 60 km/h. What was my average speed?" };
    const speed = { type: "enum", values: ["40 km/h", "45 km/h", "other"] } as const;
    expect(extractValue(speeds, speed, "You drove at 60 km/h.", drive).value).toBe(null);
    expect(extractValue(speeds, speed, "It was 50 km/h.", drive).value).toBe("other");
  });
});

describe("an option", () => {
  const rule = {
    type: "option",
    options: ["the Strait of Hormuz", "the Strait of Gibraltar", "the Bosporus"],
  } as const;
  const target = { type: "enum", values: ["A", "B", "C"] } as const;

  it.each([
    ["B", "B"],
    ["B) the Strait of Gibraltar", "B"],
    ["It is the Strait of Gibraltar.", "B"],
    ["The Strait of Gibraltar, not the Bosporus.", "B"],
    ["The answer is A, the Strait of Gibraltar.", null],
    ["Gibraltar or the Bosporus, who knows.", null],
  ])("%j is %j", (reply, letter) => expect(extractValue(rule, target, reply).value).toBe(letter));
});

describe("a date", () => {
  it.each([
    ["9 November 1989", "1989-11-09"],
    ["The wall fell on the 9th of November, 1989, not on 3 October 1990.", "1989-11-09"],
    ["Sorry, you are right: 3 October 1990.", "1990-10-03"],
    ["11/9/1989", "1989-11-09"],
    ["It fell in November 1989.", null],
    ["It was 31 February 1990.", null],
    ["It was built on 13 August 1961 and fell on 9 November 1989.", null],
  ])("%j is %j", (reply, day) =>
    expect(extractValue({ type: "date" }, { type: "date" }, reply).value).toBe(day),
  );
});

it("does not take the digit of a name for a quantity that stands alone", () => {
  const rule = { type: "aliases", values: { JAK2: ["JAK2 inhibitors"], "BCL-2": [] } } as const;
  const read = (reply: string): unknown => extractValue(rule, { type: "string" }, reply).value;
  expect(read("That is a good point about JAK2 inhibitors.")).toBe(null);
  expect(read("It is BCL-2.")).toBe("BCL-2");
});
