import { expect, test } from "vitest";
import { cosine, meaningVerdict } from "./semantic-match.ts";

test("the cosine of two vectors, and none where there is no direction", () => {
  expect(cosine([1, 0], [0, 2])).toBe(0);
  expect(cosine([1, 2, 3], [2, 4, 6])).toBe(1);
  expect(cosine([1, 1], [-1, -1])).toBeCloseTo(-1);
  expect(cosine([0, 0], [1, 0])).toBe(null);
  expect(cosine([1], [1, 0])).toBe(null);
});

test("the threshold itself is enough, and 0.85 if none is given", () => {
  expect(meaningVerdict({ type: "semantic_match", threshold: 0.5 }, 0.5).result).toBe(true);
  expect(meaningVerdict({ type: "semantic_match" }, 0.8499).result).toBe(false);
  expect(meaningVerdict({ type: "semantic_match" }, 0.85)).toEqual({ result: true, score: 1 });
  expect(meaningVerdict({ type: "semantic_match" }, undefined)).toMatchObject({ result: null, score: 0 });
});
