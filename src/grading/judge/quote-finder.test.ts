import { expect, test } from "vitest";
import { quoteFinder } from "./read-judgement.ts";

const REPLY = `Well,\n  the capital\u00a0is “Canberra” – not Sydney.
It's **small**: 467\u202f194 people in the cafe\u0301s.`;

test.each([
  ["the capital is"],
  ["  the\ncapital is  "],
  ['"Canberra" - not Sydney'],
  ["“Canberra” — not Sydney"],
  ["It’s **small**: 467194 people"],
  ["cafés"],
  [REPLY],
])("%j is in the reply", (quote) => expect(quoteFinder(REPLY)(quote)).toBe(true));

test.each([
  ["the Capital is"],
  ["the capital is Sydney"],
  ["the capital … Sydney"],
  ["It's small"],
  [""],
  [" \n "],
])("%j is not in the reply", (quote) => expect(quoteFinder(REPLY)(quote)).toBe(false));

test("nothing is in an empty reply", () => expect(quoteFinder("")("a")).toBe(false));
