import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { majority, median } from "./panel.ts";

describe("majority", () => {
  test.each<[(string | null)[], string | null, number | null, string | undefined]>([
    [["A"], "A", 1, undefined],
    [["A", "A", "B"], "A", 2 / 3, undefined],
    [["A", "B"], null, 0, "no answer has more than half of 2 votes"],
    [["A", "B", "C"], null, 0, "no answer has more than half of 3 votes"],
    [["A", "A", "B", "C"], null, 0, "no answer has more than half of 4 votes"],
    [["A", null], null, 0.5, "no answer has more than half of 2 votes"],
    [["A", null, null], null, 2 / 3, "2 of 3 judges found no answer"],
    [[null], null, 1, "1 of 1 judges found no answer"],
    [[], null, null, "no judge gave an answer that can be read"],
  ])("%j", (votes, value, share, reason) => {
    const agreement = { share, votes: votes.length, ...(reason === undefined ? {} : { reason }) };
    expect(majority(votes)).toEqual({ value, agreement });
  });

  test("of several writings of one answer the most frequent counts, then the earliest", () => {
    const lower = (text: string): string => text.toLowerCase();
    expect(majority(["bcl2", "BCL2", "BCL2"], lower)).toEqual({
      value: "BCL2",
      agreement: { share: 1, votes: 3 },
    });
    expect(majority(["bcl2", "BCL2", "x"], lower).value).toBe("bcl2");
  });

  test("false, 0 and empty text are answers", () => {
    expect(majority([false, false, true]).value).toBe(false);
    expect(majority([0]).value).toBe(0);
    expect(majority([""]).value).toBe("");
  });
});

describe("median", () => {
  test.each<[(number | null)[], number | null, number | null, number | null]>([
    [[3], 3, 3, 1],
    [[1, 2, 9], 2, 2, 1 / 3],
    [[1, 2, 3, 9], 2.5, 2, null],
    [[2, 2, 2, 9], 2, 2, 3 / 4],
    [[-1, -2], -1.5, -2, null],
    [[0, null, 4, 4], 4, 4, 2 / 4],
    [[1.7e308, 1.7e308], 1.7e308, 1.7e308, 1],
    [[2 ** 1023, 1.5 * 2 ** 1023], 1.25 * 2 ** 1023, 2 ** 1023, null],
    [[4, null], null, null, 1 / 2],
    [[4, null, null], null, null, 2 / 3],
    [[], null, null, null],
  ])("%j", (votes, value, whole, share) => {
    const answer = median(votes);
    expect(answer.value).toBe(value);
    expect(median(votes, { whole: true }).value).toBe(whole);
    if (share !== null) expect(answer.agreement.share).toBe(share);
    expect(answer.agreement.votes).toBe(votes.length);
    expect(answer.agreement.reason === undefined).toBe(value !== null);
  });

  test("does not change the votes", () => {
    const votes = Object.freeze([3, 1, 2]);
    expect(median(votes).value).toBe(2);
  });
});

const votes = fc.array(fc.option(fc.integer({ min: 0, max: 3 })), { maxLength: 9 });

test("share and value by brute force; the order of judges does not matter", () => {
  fc.assert(
    fc.property(votes, (given) => {
      const times = (value: number | null): number => given.filter((vote) => vote === value).length;
      const winner = given.find((vote) => times(vote) > given.length / 2) ?? null;
      for (const combined of [majority(given), majority([...given].reverse())]) {
        expect(combined.value).toBe(winner);
        expect(combined.agreement.share).toBe(
          given.length === 0 ? null : times(combined.value) / given.length,
        );
        expect(combined.agreement.reason === undefined).toBe(combined.value !== null);
      }
    }),
  );
});

test("a majority is also the median, which never leaves the range of the votes", () => {
  fc.assert(
    fc.property(votes, (given) => {
      const { value } = median(given);
      const winner = majority(given).value;
      if (winner !== null) expect(value).toBe(winner);
      const numbers = given.filter((vote) => vote !== null);
      if (value !== null) {
        expect(value).toBeGreaterThanOrEqual(Math.min(...numbers));
        expect(value).toBeLessThanOrEqual(Math.max(...numbers));
        expect(numbers.filter((n) => n < value).length * 2).toBeLessThanOrEqual(numbers.length);
        expect(numbers.filter((n) => n > value).length * 2).toBeLessThanOrEqual(numbers.length);
      }
      expect(value === null).toBe(numbers.length * 2 <= given.length);
      const whole = median(given, { whole: true }).value;
      expect(whole === null || numbers.includes(whole)).toBe(true);
    }),
  );
});
