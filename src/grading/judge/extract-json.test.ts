import { describe, expect, test } from "vitest";
import { extractJson } from "./extract-json.ts";

const wanted = (object: object): boolean => Object.hasOwn(object, "fields");
const FOUND = { status: "found", value: { fields: { city: "Sydney" } } };
const JSON_TEXT = '{"fields": {"city": "Sydney"}}';

describe("the object is found", () => {
  test.each([
    ["alone", JSON_TEXT],
    ["with white space", `\n ${JSON_TEXT} \n`],
    ["in a code block", `\`\`\`json\n${JSON_TEXT}\n\`\`\``],
    ["in a code block without a language", `\`\`\`\n${JSON_TEXT}\n\`\`\``],
    ["in an open code block", `\`\`\`json\n${JSON_TEXT}`],
    ["among words", `Here you are: ${JSON_TEXT}. Anything else?`],
    ["with a trailing comma", '{"fields": {"city": "Sydney",},}'],
    ["with comments", '{"fields": {"city": "Sydney" /* says the reply */}} // done'],
    ["in the manner of Python", "{'fields': {'city': 'Sydney'}}"],
    ["with curly quotes", "{“fields”: {“city”: “Sydney”}}"],
    ["after braces in words", `The set {1, 2} and {x} say nothing. ${JSON_TEXT}`],
    ["after formulas", `\\frac{1}{2} {"a": 1} ${JSON_TEXT} {}`],
    ["inside another object", `{"judgement": ${JSON_TEXT}}`],
    ["in a list", `[${JSON_TEXT}]`],
    ["twice the same", `${JSON_TEXT}\nAs I said:\n{"fields": { "city": "Sydney" } }`],
    ["after thoughts", `<think>{"fields": {"city": "Canberra"}}? No.</think>\n${JSON_TEXT}`],
    ["after a byte order mark", `\ufeff${JSON_TEXT}`],
  ])("%s", (_where, text) => expect(extractJson(text, wanted)).toEqual(FOUND));
});

test.each([
  ["nothing", ""],
  ["words", "The reply names Sydney."],
  ["another object", '{"city": "Sydney"}'],
  ["a list", '["fields"]'],
  ["a text", '"fields"'],
  ["cut off in the middle", '{"fields": {"city": "Syd'],
  ["null", "null"],
])("%s holds no object", (_what, text) => expect(extractJson(text, wanted)).toEqual({ status: "absent" }));

test("of several different objects none is chosen", () => {
  const quoted = '{"fields": {"city": "Canberra"}}';
  expect(extractJson(`${JSON_TEXT} I did not follow ${quoted}.`, wanted)).toEqual({ status: "ambiguous" });
  expect(extractJson(`The reply says ${quoted}.\n${JSON_TEXT}`, wanted)).toEqual({ status: "ambiguous" });
  expect(extractJson(`${JSON_TEXT}\n</think>\n${quoted}`, wanted)).toEqual({ status: "ambiguous" });
});

test.each([
  ["nested braces", '{"a":'.repeat(100_000)],
  ["braces", "{".repeat(500_000)],
  ["open comments", "{/*".repeat(200_000)],
  ["open texts", '{"'.repeat(200_000)],
  ["long siblings", `{"a":{${'"b":{},'.repeat(50_000)}`],
  ["texts turned inside out", `{"{":":",${'",":":",'.repeat(50_000)}`],
])("%s without end are given up in time", (_what, text) => {
  expect(extractJson(text, wanted).status).toBe("absent");
});
