import { describe, expect, it, test } from "vitest";
import { parseScenario } from "../scenario/parse-scenario.ts";
import { DefinitionError, formatIssue } from "../schema/format-issue.ts";
import type { ExtractRule, ExtractTarget } from "./extract-rule.ts";
import { extractProblem } from "./field-problem.ts";

function problems(field: object, more: object = {}): string[] {
  const fields = { x: { description: "d", ...field }, ...more };
  const nodes = { a: { question: { question: "Q", rawAnswer: "A", template: { fields } } } };
  try {
    parseScenario({ name: "s", entry: "a", nodes });
    return [];
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return error.issues.map((issue) =>
      formatIssue(issue).replace("nodes.a.question.template.fields", "fields"),
    );
  }
}

describe("what fits together is fine", () => {
  test.each<[object]>([
    [{ type: "boolean", truth: true }],
    [{ type: "string", truth: "x" }],
    [{ type: "string", truth: "5" }],
    [{ type: "string", truth: "canberra", extract: { type: "aliases", values: { Canberra: ["the ACT"] } } }],
    [{ type: "string", truth: "b", extract: { type: "letter", options: ["A", "B"] } }],
    [{ type: "string", truth: null, nullable: true }],
    [{ type: "string", truth: "400", check: { type: "numeric_tolerance", tolerance: 0.1 } }],
    [{ type: "string", truth: "2024-03-01", check: { type: "date_match" } }],
    [{ type: "string", truth: "anything", check: { type: "regex_match", pattern: "^a" } }],
    [{ type: "number", truth: 2.5 }],
    [{ type: "number", truth: null, check: { type: "numeric_range", min: 1 } }],
    [{ type: "integer", truth: 3 }],
    [{ type: "integer", truth: 2.5, check: { type: "numeric_tolerance", tolerance: 0.5 } }],
    [{ type: "enum", values: ["A", "B"], truth: "B" }],
    [{ type: "enum", values: [1, 2], truth: 2 }],
    [{ type: "enum", values: ["A", "B"], truth: "b", check: { type: "exact_match" } }],
    [{ type: "date", truth: "March 1, 2024" }],
    [{ type: "string", truth: "01/03/2024", check: { type: "date_match", format: "dd/MM/yyyy" } }],
    [{ type: "array", items: { type: "string" }, truth: ["a"] }],
    [
      {
        type: "array",
        items: { type: "enum", values: ["a", "b"] },
        truth: ["c", "a"],
        check: { type: "set_containment", mode: "subset" },
      },
    ],
    [{ type: "boolean", truth: true, check: { type: "trace_contains", substring: "[1]" } }],
    [{ type: "string", truth: { from: "turn", cases: { 1: "a" }, otherwise: "b" } }],
    [{ type: "string", truth: "x", check: { type: "semantic_match" } }],
  ])("%j", (field) => {
    expect(problems(field)).toEqual([]);
  });
});

describe("what can never match is an issue with its place", () => {
  test.each<[object, string]>([
    [
      { type: "boolean", truth: "yes" },
      'fields.x.truth: "yes" can never match a field of type boolean. Write true or false.',
    ],
    [
      { type: "number", truth: "3,5" },
      'fields.x.truth: "3,5" can never match a field of type number. Write 3.5.',
    ],
    [{ type: "number", truth: "many" }, 'fields.x.truth: "many" can never match a field of type number.'],
    [{ type: "integer", truth: 2.5 }, "fields.x.truth: 2.5 can never match a field of type integer."],
    [
      { type: "enum", values: ["A", "B"], truth: "C" },
      'fields.x.truth: "C" can never match a field of type enum ("A", "B").',
    ],
    [
      { type: "enum", values: ["A", "B"], truth: "b" },
      'fields.x.truth: "b" can never match a field of type enum ("A", "B"). Did you mean "B"?',
    ],
    [
      { type: "string", truth: 3 },
      'fields.x.truth: 3 can never match a field of type string. Put quotes around it: "3".',
    ],
    [
      { type: "array", items: { type: "string" }, truth: ["a", 3] },
      'fields.x.truth: ["a",3] can never match a field of type array of string.',
    ],
    [
      {
        type: "string",
        truth: "Canbera",
        extract: { type: "aliases", values: { Canberra: ["the ACT"], Sydney: [] } },
      },
      'fields.x.truth: The rule never reads "Canbera". Did you mean "Canberra"?',
    ],
    [
      { type: "string", truth: "E", extract: { type: "letter", options: ["A", "B"] } },
      'fields.x.truth: The rule never reads "E".',
    ],
    [
      { type: "boolean", truth: "no", check: { type: "trace_contains", substring: "x" } },
      'fields.x.truth: The truth of a check on the raw reply is true or false, not "no".',
    ],
    [
      { type: "date", truth: "someday" },
      'fields.x.truth: "someday" can never match a field of type date. Write a day of the calendar as 2024-12-31.',
    ],
    [
      { type: "array", items: { type: "string" }, truth: "a" },
      'fields.x.truth: "a" can never match a field of type array of string.',
    ],
    [
      { type: "array", items: { type: "enum", values: ["a"] }, truth: ["b"] },
      'fields.x.truth: ["b"] can never match a field of type array of enum ("a").',
    ],
    [
      { type: "boolean", truth: true, check: { type: "numeric_range", min: 1 } },
      "fields.x.check: numeric_range cannot look at a field of type boolean.",
    ],
    [
      { type: "array", items: { type: "string" }, truth: ["a"], check: { type: "exact_match" } },
      "fields.x.check: exact_match cannot look at a field of type array.",
    ],
    [
      { type: "enum", values: ["A", "B"], truth: { from: "turn", cases: { 1: "A", 2: "C" } } },
      'fields.x.truth: "C" can never match a field of type enum ("A", "B").',
    ],
    [
      { type: "boolean", truth: { from: "turn", cases: {}, otherwise: true } },
      "fields.x.truth.cases: This must not be empty.",
    ],
    [
      { type: "boolean", truth: { cases: { a: true } } },
      'fields.x.truth: A truth that depends on the past needs "from".',
    ],
    [
      { type: "boolean", truth: true, weight: -1 },
      "fields.x.weight: Expected a number from 0 and up, got the number -1.",
    ],
    [{ type: "boolean", truth: true, weight: 0 }, "fields: At least one field needs a weight above 0."],
    [
      { type: "string", check: { type: "exact_match" } },
      "fields.x.check: exact_match needs a truth to compare with.",
    ],
    [
      { type: "date", truth: "01/03/2024", check: { type: "date_match", format: "dd/MM/yyyy" } },
      "fields.x.check: A date is always read as ISO 8601, so it never has this format; leave it out.",
    ],
    [
      { type: "number", truth: 3, extract: { type: "stance" } },
      expect.stringMatching(/^fields\.x\.extract: .+\.$/) as never,
    ],
    [
      { type: "string", truth: "x", extract: { type: "regx", pattern: "a" } },
      expect.stringMatching(/Did you mean "regex"\?$/) as never,
    ],
    [
      { type: "string", truth: "x", extract: { type: "regex", pattern: "(a" } },
      expect.stringMatching(/^fields\.x\.extract\.pattern: /) as never,
    ],
  ])("%j", (field, sentence) => {
    expect(problems(field)).toEqual([sentence]);
  });
});

test("a truth that depends on the past must name a node and a field that are there", () => {
  const ask = { type: "string", truth: "x" };
  const truthAt = (from: string): string[] =>
    problems({ type: "string", truth: { from, cases: { a: "b" } } }, { y: { description: "d", ...ask } });
  expect(truthAt("node_results.a.parsed.y")).toEqual([]);
  expect(truthAt("accumulated.anything")).toEqual([]);
  expect(truthAt("node_results.b.parsed.y")).toEqual([
    'fields.x.truth.from: A path names "b", which is not a node.',
  ]);
  expect(truthAt("node_results.a.parsed.z")).toEqual([
    expect.stringContaining('The template of node "a" has no field "z"'),
  ]);
  expect(truthAt("parsed.y")).toEqual([
    expect.stringContaining("name the node: node_results.<node>.parsed.<field>"),
  ]);
  expect(truthAt("nonsense")).toEqual([expect.stringContaining('"nonsense" is not a path of the state')]);
});

describe("rules that cannot read the field", () => {
  const letters: ExtractTarget = { type: "enum", values: ["A", "b"] };
  const cities: ExtractTarget = { type: "enum", values: ["Rome", "Paris"] };

  it.each<[ExtractRule, ExtractTarget]>([
    [{ type: "letter" }, letters],
    [{ type: "letter", options: ["a", "B"] }, letters],
    [{ type: "letter" }, { type: "string" }],
    [{ type: "number" }, { type: "number" }],
    [{ type: "number" }, { type: "integer" }],
    [{ type: "number" }, { type: "string" }],
    [{ type: "number" }, { type: "enum", values: ["low", "3"] }],
    [{ type: "stance" }, { type: "boolean" }],
    [{ type: "stance" }, { type: "enum", values: ["Yes", "No", "unclear"] }],
    [{ type: "aliases", values: { rome: ["Roma"] } }, cities],
    [{ type: "aliases", values: { anything: [] } }, { type: "string" }],
    [{ type: "regex", pattern: "x" }, { type: "boolean" }],
  ])("%j can read %j", (rule, target) => expect(extractProblem(rule, target)).toBe(null));

  it.each<[ExtractRule, ExtractTarget, RegExp]>([
    [{ type: "letter" }, { type: "number" }, /^The rule letter never reads a value of the type number\.$/],
    [{ type: "letter" }, { type: "boolean" }, /never reads a value of the type boolean/],
    [{ type: "letter" }, cities, /is a letter/],
    [{ type: "letter", options: ["A", "C"] }, letters, /^The value "C" of the rule is none of/],
    [{ type: "number" }, { type: "boolean" }, /never reads/],
    [{ type: "number" }, { type: "date" }, /never reads/],
    [{ type: "number" }, cities, /None of the field's values is a number/],
    [{ type: "stance" }, { type: "integer" }, /never reads/],
    [{ type: "stance" }, cities, /no pair of values/],
    [{ type: "aliases", values: { Rome: [], Oslo: [] } }, cities, /^The value "Oslo" of the rule is none of/],
    [
      { type: "aliases", values: { many: [] } },
      { type: "integer" },
      /^The value "many" of the rule is not of the type integer\.$/,
    ],
    [{ type: "regex", pattern: "x" }, { type: "array", items: { type: "string" } }, /^No rule reads a list/],
  ])("%j can never read %j", (rule, target, problem) =>
    expect(extractProblem(rule, target)).toMatch(problem),
  );
});
