import { describe, expect, it } from "vitest";
import { cleanText, lowerCase } from "./clean-text.ts";
import { groupedNumber, numberTokens } from "./number-tokens.ts";

function numbersOf(text: string): (number | null)[] {
  const clean = cleanText(text).text;
  return numberTokens({ text: clean, lower: lowerCase(clean) }).map(({ value }) => value);
}

describe("numbers that can be read", () => {
  it.each<[string, number[]]>([
    ["$1,200.50, €5, 5 €, US$7", [1200.5, 5, 5, 7]],
    ["-5, −5, +3, -$5, $-5, minus 4", [-5, -5, 3, -5, -5, -4]],
    ["1e3 1.5E-3 2e+2", [1000, 0.0015, 200]],
    ["3.2 × 10^5, 3.2*10^5, 3 x 10⁸, 10^-3, 1.6 × 10⁻¹⁹", [320000, 320000, 3e8, 0.001, 1.6e-19]],
    ["50%, 50 percent, 12,5 %", [50, 50, 12.5]],
    ["1.2 million, 3k, $3M, $1.2bn, 2 hundred thousand", [1.2e6, 3000, 3e6, 1.2e9, 200000]],
    ["3/4, 2 1/2, 2½, ½", [0.75, 2.5, 2.5, 0.5]],
    ["12 km, 5mg, 25°C, 9.8 m/s², 60 km/h", [12, 5, 25, 9.8, 60]],
    [".5 and 0.5", [0.5, 0.5]],
    ["3 milligrams", [3]],
    ["1.1 thousand", [1100]],
  ])("in %j", (text, numbers) => expect(numbersOf(text)).toEqual(numbers));
});

describe("numbers that are parts of something else", () => {
  const PARTS = `
3-5 | 3–5 | 3 to 5 | between 3 and 5 | 5 ± 1 | 5 +/- 1 | 3 + 4 | 3 × 4 | 2^10 | 10**3
7 times 8 | 3:30 | 2024-03-01 | 3/1/2024 | 1.2.3 | 192.168.0.1 | 5 pm | 5th | 1990s | 5x | 5M
3a | 3 in 4 | 3 out of 4 | 20% of 80 | more than 5 | at least 5 | ≥ 5 | x < 5 | 5 or more | 5+
8 minutes and 20 seconds | 5 ft 10 in | 5'10" | 3 km to 5 km | 2√3 | 2\\pi | double 21
the square root of 16 | 5 apples + 6 pears | 1920x1080 | 3 Millionen Billionen | 1e999 | 1/0
3 and a half`;

  it.each(PARTS.trim().split(/ \| |\n/))("%j", (text) =>
    expect(new Set(numbersOf(text))).toEqual(new Set([null])),
  );
});

it.each(["BCL2", "COVID-19", "GPT-4", "H2O", "x_1", "v1.5", "x^2"])("%j holds no number", (text) => {
  expect(numbersOf(text)).toEqual([]);
});

it("marks fractions and knows where numbers stand", () => {
  const { text } = cleanText("It is **$1,200** or 3/4.");
  const [first, second] = numberTokens({ text, lower: lowerCase(text) });
  expect(text.slice(first?.start, first?.end)).toBe("$1,200");
  expect([first?.fraction, second?.fraction]).toEqual([false, true]);
});

describe("digits with separators", () => {
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
});
