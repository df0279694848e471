import { expect, it } from "vitest";
import type { ShapeRule } from "../schema/shape.ts";
import * as rules from "./check-rules.ts";

const RULES = { ...rules };

function problemsOf(rule: ShapeRule, parameters: Readonly<Record<string, unknown>>): unknown[] {
  const problems: unknown[] = [];
  rule(parameters, (key, problem) =>
    problems.push([key, "message" in problem ? problem.message : problem.code]),
  );
  return problems;
}

it.each<[keyof typeof rules, Readonly<Record<string, unknown>>, string | null, string]>([
  ["boundsInOrder", { min: 2, max: 1 }, "min", "min must not be above max, but 2 is above 1."],
  ["boundsApart", { min: 1, max: 1 }, "min", "min must be below max, but 1 is not below 1."],
  [
    "fullCreditInside",
    { fullCredit: 2, cutoff: 1 },
    "fullCredit",
    "fullCredit must be below cutoff, but 2 is not below 1.",
  ],
  ["thresholdUpToOne", { threshold: 2 }, "threshold", "threshold must be from 0 to 1."],
  ["usablePattern", { pattern: "(" }, "pattern", "missing closing )"],
  ["usablePattern", { pattern: "a", flags: "x" }, "flags", '"x" is not a flag; there are i, m and s.'],
  [
    "usableDateFormat",
    { format: "HH:mm" },
    "format",
    "The format cannot be used: it has no year, month or day.",
  ],
  ["datesInOrder", { min: "soon" }, "min", '"soon" cannot be read as a date.'],
  ["datesInOrder", { min: "2024-01-01", max: "soon" }, "max", '"soon" cannot be read as a date.'],
  [
    "datesInOrder",
    { min: "2024-02-01", max: "2024-01-31" },
    "min",
    "min must not be after max, but 2024-02-01 is after 2024-01-31.",
  ],
  ["oneSynonymMap", {}, null, "A normaliser that is an object needs synonyms, and nothing else."],
])("%s refuses %j at %s: %s", (name, parameters, key, message) => {
  expect(problemsOf(RULES[name], parameters)).toEqual([[key, message]]);
});

it.each<[keyof typeof rules, Readonly<Record<string, unknown>>]>([
  ["boundsInOrder", { min: 1, max: 1 }],
  ["boundsInOrder", { min: 1 }],
  ["boundsApart", { min: 1, max: 2 }],
  ["fullCreditInside", { cutoff: 1 }],
  ["thresholdUpToOne", {}],
  ["usablePattern", { pattern: "a", flags: "ims" }],
  ["usableDateFormat", {}],
  ["datesInOrder", {}],
  ["datesInOrder", { min: "2024-01-01T10:00", max: "2024-01-01" }],
  ["oneSynonymMap", { mapping: {} }],
])("%s accepts %j", (name, parameters) => expect(problemsOf(RULES[name], parameters)).toEqual([]));
