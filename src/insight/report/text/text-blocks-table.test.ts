import { expect, test } from "vitest";
import { type NamedLine, namedTable } from "./text-blocks.ts";

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
