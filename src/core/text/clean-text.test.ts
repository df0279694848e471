import { expect, it } from "vitest";
import { latexText } from "./clean-text.ts";

it.each([
  ["\\text{", "", ""],
  ["\\mathrm{", "", ""],
  ["\\boxed{", "", "\\boxed{"],
  ["\\fbox{", "", "\\boxed{"],
  ["\\frac{3}{4}", " ", "3/4"],
  ["\\dfrac{3}{4}", "3", " 3/4"],
  ["\\frac{x + 1}{2}", "=", "(x + 1)/(2)"],
  ["\\times", "3", "×"],
  ["\\sqrt{", "2", "√{"],
  ["\\,", "1", ""],
  ["\\%", "5", "%"],
  ["\\$", " ", "$"],
  ["\\(", " ", ""],
  ["\\{", " ", "{"],
  ["\\\\", " ", " "],
  ["\\alpha", " ", "\\alpha"],
  ["{,}", "1", ","],
  ["^{-5}", "0", "^-5"],
  ["^\\circ", "5", "°"],
  ["^{\\circ}", "5", "°"],
])("%j after %j is %j", (found, before, text) => expect(latexText(found, before)).toBe(text));
