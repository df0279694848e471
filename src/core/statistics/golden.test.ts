import { expect, test } from "vitest";
import golden from "../../../test/golden/statistics.json" with { type: "json" };
import * as statistics from "../../apps/public/statistics.ts";

const functions = new Map<string, unknown>(Object.entries(statistics));

interface Tolerance {
  readonly relative: number;
  readonly absolute: number;
}

/** Where two results differ by more than the tolerance, as paths. */
function differences(actual: unknown, expected: unknown, tolerance: Tolerance, path = ""): string[] {
  if (typeof expected === "number")
    return typeof actual === "number" &&
      Math.abs(actual - expected) <= tolerance.absolute + tolerance.relative * Math.abs(expected)
      ? []
      : [`${path}: ${String(actual)} is not ${expected}`];
  if (Array.isArray(expected))
    return Array.isArray(actual) && actual.length === expected.length
      ? expected.flatMap((entry, i) => differences(actual[i], entry, tolerance, `${path}[${i}]`))
      : [`${path}: not a list of ${expected.length}`];
  if (typeof expected === "object" && expected !== null)
    return typeof actual === "object" && actual !== null
      ? Object.entries(expected).flatMap(([key, entry]) =>
          differences((actual as Record<string, unknown>)[key], entry, tolerance, `${path}.${key}`),
        )
      : [`${path}: ${String(actual)} is not an object`];
  return Object.is(actual, expected) ? [] : [`${path}: ${String(actual)} is not ${String(expected)}`];
}

test.each(golden.map((entry, i) => ({ ...entry, title: `${entry.fn} ${i}` })))(
  "worked value: $title",
  (entry) => {
    const fn = functions.get(entry.fn) as (...args: readonly unknown[]) => unknown;
    const before = JSON.stringify(entry.args);
    expect(differences(fn(...entry.args), entry.expected, entry.tolerance)).toEqual([]);
    expect(JSON.stringify(entry.args)).toBe(before);
  },
);

test("every function of the entry has worked values, or is one of the few without", () => {
  const worked = new Set(golden.map((entry) => entry.fn));
  expect([...functions.keys()].filter((name) => !worked.has(name))).toEqual([
    "boundedMean",
    "clusteredWilson",
    "lifeTableRate",
    "roganGladen",
    "clusteredLogRank",
  ]);
});
