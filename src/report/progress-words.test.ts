import { expect, test } from "vitest";
import { durationText, rateText, spentText, timeLeftText, tokensText } from "./progress-words.ts";

test.each([
  [0, "0/s"],
  [4.21, "4.2/s"],
  [1234.5, "1,235/s"],
  [0.5, "30.0/min"],
  [0.001, "3.6/h"],
])("%d per second is %s", (rate, text) => {
  expect(rateText(rate)).toBe(text);
});

test.each([
  [0, "a few s left"],
  [41_000, "about 40 s left"],
  [58_000, "about 1 min left"],
  [185_000, "about 3 min left"],
  [89 * 60_000, "about 89 min left"],
  [2.4 * 3_600_000, "about 2 h left"],
  [100 * 3_600_000, "about 4 days left"],
])("%d ms: %s", (left, text) => {
  expect(timeLeftText(left)).toBe(text);
});

test.each([
  [0, "0.0 s"],
  [9949, "9.9 s"],
  [9950, "10 s"],
  [59_600, "1 min 0 s"],
  [200_000, "3 min 20 s"],
  [7_500_000, "2 h 5 min"],
])("%d ms are %s", (duration, text) => {
  expect(durationText(duration)).toBe(text);
});

test("what is unknown is never nothing", () => {
  expect(tokensText({ known: 0, unknown: 1 })).toBe("tokens unknown");
  expect(tokensText({ known: 1, unknown: 1 })).toBe("at least 1 token");
  expect(spentText({ known: 0, unknown: 0 })).toBe("0.00 USD");
  expect(spentText({ known: 0, unknown: 3 })).toBe("cost unknown");
});
