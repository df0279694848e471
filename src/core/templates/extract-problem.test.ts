import { expect, it } from "vitest";
import { extractProblem } from "./extract-problem.ts";
import type { ExtractRule } from "./extract-rule.ts";
import type { ExtractTarget } from "./extract-target.ts";

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
  [{ type: "letter" }, { type: "number" }, /^A letter is never of the type number\.$/],
  [{ type: "letter" }, { type: "boolean" }, /never of the type boolean/],
  [{ type: "letter" }, cities, /no options/],
  [{ type: "letter", options: ["A", "C"] }, letters, /^The option "C" is none of the field's values\.$/],
  [{ type: "number" }, { type: "boolean" }, /^A number is never of the type boolean\.$/],
  [{ type: "number" }, { type: "date" }, /never of the type date/],
  [{ type: "number" }, cities, /None of the field's values is a number/],
  [{ type: "stance" }, { type: "integer" }, /^A stance is never of the type integer\.$/],
  [{ type: "stance" }, cities, /no pair of values/],
  [{ type: "aliases", values: {} }, { type: "string" }, /no values/],
  [{ type: "aliases", values: { Rome: [], Oslo: [] } }, cities, /^The value "Oslo" of the rule is none of/],
  [
    { type: "aliases", values: { many: [] } },
    { type: "integer" },
    /^The value "many" of the rule is not of the type integer\.$/,
  ],
  [{ type: "regex", pattern: "x" }, { type: "array", items: { type: "string" } }, /^No rule reads a list/],
])("%j can never read %j", (rule, target, problem) => expect(extractProblem(rule, target)).toMatch(problem));
