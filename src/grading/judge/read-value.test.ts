import { expect, test } from "vitest";
import type { FieldType } from "../../core/templates/template.ts";
import { readValue } from "./read-value.ts";

const BOOLEAN: FieldType = { type: "boolean" };
const TEXT: FieldType = { type: "string" };
const INTEGER: FieldType = { type: "integer" };
const NUMBER: FieldType = { type: "number" };
const DATE: FieldType = { type: "date" };
const LETTER: FieldType = { type: "enum", values: ["A", "B"] };
const MIXED: FieldType = { type: "enum", values: [1, "2", "null", "x", "X"] };
const TEXTS: FieldType = { type: "array", items: { type: "string" } };
const NUMBERS: FieldType = { type: "array", items: { type: "number" } };

test.each<[FieldType, unknown, unknown]>([
  [BOOLEAN, true, true],
  [BOOLEAN, " False ", false],
  [BOOLEAN, "null", null],
  [TEXT, "Sydney", "Sydney"],
  [TEXT, " as it is ", " as it is "],
  [TEXT, "null", "null"],
  [TEXT, " ", null],
  [TEXT, 1969, "1969"],
  [INTEGER, 3, 3],
  [INTEGER, "3", 3],
  [INTEGER, 3.0, 3],
  [INTEGER, -0.0, -0],
  [NUMBER, 0.5, 0.5],
  [NUMBER, " 1e3 ", 1000],
  [NUMBER, "null", null],
  [DATE, "2024-03-01", "2024-03-01"],
  [DATE, " 2024-03-01T10:30Z ", "2024-03-01T10:30Z"],
  [DATE, "March 1, 2024", "2024-03-01"],
  [DATE, "1 March 2024", "2024-03-01"],
  [DATE, "20240301", "2024-03-01"],
  [DATE, "null", null],
  [LETTER, "B", "B"],
  [LETTER, " b ", "B"],
  [LETTER, "null", null],
  [MIXED, "1", 1],
  [MIXED, 2, "2"],
  [MIXED, "null", "null"],
  [MIXED, "X", "X"],
  [TEXTS, [], []],
  [TEXTS, ["a", 1], ["a", "1"]],
  [NUMBERS, [1, "2.5"], [1, 2.5]],
  [NUMBERS, "null", null],
  ...[BOOLEAN, TEXT, INTEGER, NUMBER, DATE, LETTER, TEXTS].map((type): [FieldType, unknown, unknown] => [
    type,
    null,
    null,
  ]),
])("%j reads %j as %j", (type, given, value) => expect(readValue(type, given)).toEqual({ value }));

test.each<[FieldType, unknown]>([
  [BOOLEAN, "yes"],
  [BOOLEAN, 1],
  [BOOLEAN, [true]],
  [TEXT, true],
  [TEXT, 1.5],
  [TEXT, ["a"]],
  [TEXT, { text: "a" }],
  [INTEGER, 3.5],
  [INTEGER, "3.5"],
  [INTEGER, 1e300],
  [INTEGER, "three"],
  [INTEGER, true],
  [NUMBER, "1,200"],
  [NUMBER, "50%"],
  [NUMBER, Number.POSITIVE_INFINITY],
  [NUMBER, ""],
  [DATE, "3/1/2024"],
  [DATE, "2024-02-30"],
  [DATE, "2024"],
  [DATE, "20240301T10"],
  [DATE, 20240301],
  [LETTER, "C"],
  [LETTER, "A or B"],
  [LETTER, true],
  [LETTER, ["A"]],
  [MIXED, " x "],
  [TEXTS, "a"],
  [TEXTS, ["a", null]],
  [TEXTS, { 0: "a" }],
  [NUMBERS, [1, "two"]],
])("%j does not read %j", (type, given) => expect(readValue(type, given)).toBeUndefined());
