import { expect, test } from "vitest";
import { CallClock, randomSeed, standsAlone } from "./realm.ts";

test("a call that has just started has time", () => {
  const clock = new CallClock(60_000);
  clock.start();
  expect(clock.isOver()).toBe(false);
});

test("work uses up the time", () => {
  const clock = new CallClock(5);
  clock.start();
  while (!clock.isOver()) Math.sqrt(2);
  expect(clock.isOver()).toBe(true);
});

test.runIf(typeof process.threadCpuUsage === "function")(
  "time in which the thread does not run does not count",
  () => {
    const clock = new CallClock(20);
    clock.start();
    clock.isOver();
    // The thread stands still, as it would on a machine that is busy with others.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    expect(clock.isOver()).toBe(false);
  },
);

test("the same texts give the same four whole numbers", () => {
  const seed = randomSeed("7", "() => Math.random()", "[]");
  expect(randomSeed("7", "() => Math.random()", "[]")).toEqual(seed);
  expect(seed.every(Number.isInteger)).toBe(true);
});

test("any difference changes all of them, also where one text ends and the next begins", () => {
  const seeds = [
    randomSeed("7", "source", "[1]"),
    randomSeed("8", "source", "[1]"),
    randomSeed("7", "sourcf", "[1]"),
    randomSeed("7", "source", "[2]"),
    randomSeed("7", "source[", "1]"),
    randomSeed("7", "", "source[1]"),
  ];
  for (const place of [0, 1, 2, 3])
    expect(new Set(seeds.map((seed) => seed[place])).size, `number ${place}`).toBe(seeds.length);
});

test.each([
  ["(x) => x", "(x) => x", true],
  ["(x) => x", "  (x) => x\n", true],
  ["(x) => x", "/* why */ (x) => x // because", true],
  ["(x) => x", "// a\n// b\n(x) => x", true],
  ["() => 1", "(() => () => 1)()", false],
  ["() => 1", "() => 1, () => 2", false],
  ["() => 1", "() => 1 /* open", false],
  ["", "", false],
  ["", "Math.max", false],
])("%j as %j: %s", (functionText, source, expected) => {
  expect(standsAlone(functionText, source)).toBe(expected);
});

test("a wall of slashes is read in one go", () => {
  expect(standsAlone("x => x", `x => x ${"/".repeat(100_000)}\n!`)).toBe(false);
});
