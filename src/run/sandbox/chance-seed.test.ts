import { expect, test } from "vitest";
import { chanceSeed } from "./realm.ts";

test("the same texts give the same four whole numbers", () => {
  const seed = chanceSeed("7", "() => Math.random()", "[]");
  expect(chanceSeed("7", "() => Math.random()", "[]")).toEqual(seed);
  expect(seed.every(Number.isInteger)).toBe(true);
});

test("any difference changes all of them, also where one text ends and the next begins", () => {
  const seeds = [
    chanceSeed("7", "source", "[1]"),
    chanceSeed("8", "source", "[1]"),
    chanceSeed("7", "sourcf", "[1]"),
    chanceSeed("7", "source", "[2]"),
    chanceSeed("7", "source[", "1]"),
    chanceSeed("7", "", "source[1]"),
  ];
  for (const place of [0, 1, 2, 3])
    expect(new Set(seeds.map((seed) => seed[place])).size, `number ${place}`).toBe(seeds.length);
});
