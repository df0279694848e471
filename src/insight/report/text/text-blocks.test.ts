import { expect, test } from "vitest";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import {
  labelledLines,
  type NamedLine,
  namedTable,
  paintedLines,
  remarkedLines,
  roomBeside,
  valueText,
} from "./text-blocks.ts";

test("labels stand to the left of their lines; empty lines stay empty, empty blocks are left out", () => {
  const blocks = [
    { label: "asked", lines: ["one", "", "two"] },
    { label: "tools", lines: [] },
    { label: "replied", lines: ["three"] },
  ];
  expect(labelledLines(blocks, 7, PLAIN_STYLE)).toEqual([
    "  asked    one",
    "",
    "           two",
    "  replied  three",
  ]);
});

test("what is left beside the labels", () => {
  expect([80, 40, 5].map((width) => roomBeside(7, width))).toEqual([69, 29, 10]);
});

const paint = (text: string): string => `<${text}>`;

test("a value is data on one line that cannot control the terminal", () => {
  expect(valueText({ a: ["\u001b[2J", 1, null] })).toBe(String.raw`{"a":["\u001b[2J",1,null]}`);
  expect(valueText("a\u202eb")).toBe('"a�b"');
  expect(valueText(undefined)).toBe("null");
});

test("every line has its colour, and line breaks stay", () => {
  expect(paintedLines("one two\r\n\nthree\u0007", 6, paint)).toEqual(["<one>", "<two>", "<>", "<three�>"]);
});

test("a remark stands behind a statement if there is room, else below it", () => {
  const remark = { text: "✗ wrong", paint };
  expect(remarkedLines("n = 1", remark, 14)).toEqual(["n = 1  <✗ wrong>"]);
  expect(remarkedLines("n = 1", remark, 13)).toEqual(["n = 1", "  <✗ wrong>"]);
  expect(remarkedLines("n = 1 2", remark, 7)).toEqual(["n = 1 2", "  <✗>", "  <wrong>"]);
});

const COLUMNS = [">", [">", 1], ["<", 0]] as const;

function line(name: string, ...cells: readonly string[]): NamedLine {
  return { name, indent: 1, cells };
}

const LINES = [line("name", "rate", "count", "bar"), line("日本", "5 %", "12", "###")];

test.each([
  [40, [" name  rate  count  bar", " 日本   5 %     12  ###"]],
  [22, [" name  rate  count", " 日本   5 %     12"]],
  [13, [" name  rate", " 日本   5 %"]],
  [10, [" name", "  rate", " 日本", "   5 %"]],
])("in %i columns", (width, expected) => {
  expect(namedTable(LINES, COLUMNS, width)).toEqual(expected);
});

test("a name that is too long stands alone, whole, and no column leaves for it", () => {
  const lines = [line("a", "1", "2", "3"), line("a name of more than eighteen columns", "4", "5", "6")];
  expect(namedTable(lines, COLUMNS, 30)).toEqual([
    " a  1  2  3",
    " a name of more than eighteen",
    " columns",
    "    4  5  6",
  ]);
});

test("colours do not count", () => {
  const paint = (text: string): string => `<${text}>`;
  const painted = { name: { text: "ab", paint }, indent: 2, cells: [{ text: "x", paint }] };
  expect(namedTable([painted], [">"], 7)).toEqual(["  <ab>  <x>"]);
  expect(namedTable([painted], [">"], 6)).toEqual(["  <ab>", "  <x>"]);
});
