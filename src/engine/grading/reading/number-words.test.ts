import { expect, it } from "vitest";
import { numberWords } from "./number-words.ts";

it.each<[string, (number | null)[]]>([
  ["twelve", [12]],
  ["zero apples", [0]],
  ["twenty-five or thirty one", [25, 31]],
  ["one hundred and five", [105]],
  ["a hundred", [100]],
  ["two thousand twenty-four", [2024]],
  ["three million two hundred thousand", [3_200_000]],
  ["nineteen eighty-four", [null]],
  ["five six", [null]],
  ["one.", [1]],
  ["one of them, no one, one day", []],
  ["someone is often alone, weight and heighten", []],
  ["two thirds", [null]],
  ["three and a half", [null]],
  ["three point five", [null, null]],
  ["minus five", [null]],
  ["five-year plan", []],
])("%j has %j", (text, numbers) => expect(numberWords(text).map(({ value }) => value)).toEqual(numbers));
