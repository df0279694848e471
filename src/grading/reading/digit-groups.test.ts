import { expect, it } from "vitest";
import { groupedNumber } from "./number-tokens.ts";

it.each<[string, number | null]>([
  ["42", 42],
  ["007", 7],
  ["3.14", 3.14],
  ["1,200", 1200],
  ["1,234,567.89", 1234567.89],
  ["1.200", 1.2],
  ["1.200,50", 1200.5],
  ["1.234.567", 1234567],
  ["1.234.567,8", 1234567.8],
  ["12,34,567", 1234567],
  ["1'234.50", 1234.5],
  ["1_000_000", 1e6],
  ["12\u00a0000", 12000],
  ["12\u00a0345,67", 12345.67],
  ["1 200,50", 1200.5],
  ["1 000 000", 1e6],
  ["12 000", 12000],
  ["12 345", null],
  ["0,5", 0.5],
  ["0,125", 0.125],
  ["1200,50", 1200.5],
  ["3,5", null],
  ["12,50", null],
  ["1,2345", null],
  ["1,23,4", null],
  ["1.2.3", null],
  ["1'2", null],
  ["1200,500", null],
])("%j is %j", (digits, number) => expect(groupedNumber(digits, false)).toBe(number));

it.each<[string, number | null]>([
  ["3,5", 3.5],
  ["12,50", 12.5],
  ["7,1234", 7.1234],
  ["1,200", 1200],
  ["3,5,7", null],
])("before a unit, %j is %j", (digits, number) => expect(groupedNumber(digits, true)).toBe(number));
