import { describe, expect, it } from "vitest";
import { type Converted, convertNumber, convertStance, convertText } from "./convert-value.ts";
import type { ExtractTarget } from "./extract-rule.ts";

/** The value itself; "none" and "several" where there is no single one. */
function single(converted: Converted): unknown {
  return converted === undefined ? "none" : converted === null ? "several" : converted.value;
}

const grades: ExtractTarget = { type: "enum", values: ["Low", "high", 3, "4"] };

describe("texts", () => {
  it.each<[string, ExtractTarget, unknown]>([
    [" a b ", { type: "string" }, "a b"],
    ["1,200", { type: "number" }, 1200],
    ["$1,200.50", { type: "number" }, 1200.5],
    ["12 km", { type: "integer" }, 12],
    ["3.5", { type: "integer" }, "none"],
    ["3.0", { type: "integer" }, 3],
    ["12 and 13", { type: "number" }, "none"],
    ["twelve", { type: "number" }, "none"],
    ["9007199254740993", { type: "integer" }, "none"],
    ["YES", { type: "boolean" }, true],
    ["false.", { type: "boolean" }, false],
    ["maybe", { type: "boolean" }, "none"],
    ["2024-03-01", { type: "date" }, "2024-03-01"],
    ["1 March 2024", { type: "date" }, "1 March 2024"],
    ["30 February 2024", { type: "date" }, "none"],
    ["LOW", grades, "Low"],
    ["3", grades, 3],
    ["4", grades, "4"],
    ["medium", grades, "none"],
    ["a", { type: "enum", values: ["a", "A"] }, "a"],
    ["x", { type: "enum", values: ["X", "ｘ"] }, "several"],
    ["a", { type: "enum" }, "none"],
    ["a", { type: "array", items: { type: "string" } }, "none"],
  ])("%j as %j is %j", (text, target, value) => expect(single(convertText(text, target))).toBe(value));
});

describe("numbers", () => {
  it.each<[number, ExtractTarget, unknown]>([
    [3.5, { type: "number" }, 3.5],
    [3.5, { type: "integer" }, "none"],
    [3, { type: "integer" }, 3],
    [1e21, { type: "integer" }, "none"],
    [1200.5, { type: "string" }, "1200.5"],
    [3, grades, 3],
    [4, grades, "4"],
    [5, grades, "none"],
    [4, { type: "enum", values: [4, "4"] }, "several"],
    [1, { type: "boolean" }, "none"],
    [Number.POSITIVE_INFINITY, { type: "number" }, "none"],
  ])("%d as %j is %j", (number, target, value) => expect(single(convertNumber(number, target))).toBe(value));
});

describe("stances", () => {
  it.each<[boolean, ExtractTarget, unknown]>([
    [true, { type: "boolean" }, true],
    [true, { type: "enum", values: ["Yes", "No"] }, "Yes"],
    [false, { type: "enum", values: ["TRUE", "FALSE", "unknown"] }, "FALSE"],
    [false, { type: "enum", values: ["agree", "disagree"] }, "disagree"],
    [true, { type: "enum", values: ["yes"] }, "none"],
    [true, { type: "string" }, "none"],
  ])("%j as %j is %j", (stance, target, value) => expect(single(convertStance(stance, target))).toBe(value));
});
