import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepEqual } from "../values/json.ts";
import type { Check } from "./check.ts";
import { evaluateCheck } from "./evaluate-check.ts";

type Row = [parameters: object, value: unknown, expected: unknown, verdict: boolean | null];

/** true and false as the check says, null if it cannot be evaluated. */
function answer(type: Check["type"], [parameters, value, expected]: Row): boolean | null {
  const result = evaluateCheck({ type, ...parameters } as Check, value, expected);
  return result.evaluable ? result.passes : null;
}

describe("set_containment", () => {
  it.each<Row>([
    [{}, ["a", "b"], ["b", "a"], true],
    [{}, ["a", "a"], ["a"], true],
    [{}, ["a"], ["a", "b"], false],
    [{}, [], [], true],
    [{}, ["A"], ["a"], false],
    [{}, [1], ["1"], false],
    [{}, [1, true], [true, 1], true],
    [{}, [1], [true], false],
    [{}, [null], [], false],
    [{}, [{ a: 1, b: [2] }], [{ b: [2], a: 1 }], true],
    [{}, [[1, 2]], [[2, 1]], false],
    [{ mode: "subset" }, ["a"], ["a", "b"], true],
    [{ mode: "subset" }, ["a", "c"], ["a", "b"], false],
    [{ mode: "subset" }, [], [], true],
    [{ mode: "superset" }, ["a", "b"], ["a"], true],
    [{ mode: "superset" }, ["a"], [], true],
    [{ mode: "superset" }, ["a"], ["a", "b"], false],
    [{ mode: "overlap" }, ["a", "x"], ["a", "b"], true],
    [{ mode: "overlap" }, ["x"], ["a"], false],
    [{ mode: "overlap" }, [], [], false],
    [{ mode: "overlap", minOverlap: 2 }, ["a", "a"], ["a", "b"], false],
    [{ mode: "overlap", minOverlap: 2 }, ["b", "a"], ["a", "b"], true],
    [{ mode: "overlap", minOverlap: 0 }, ["x"], ["a"], false],
    [{ mode: "overlap", minOverlap: null }, ["a"], ["a"], true],
    [{}, "ab", ["a", "b"], null],
    [{}, ["a"], "a", null],
    [{}, null, [], null],
    [{}, { 0: "a", length: 1 }, ["a"], null],
    [{ mode: "zzz" }, ["a"], ["a"], null],
    [{ mode: "overlap", minOverlap: -1 }, ["a"], ["a"], null],
    [{ mode: "overlap", minOverlap: 1.5 }, ["a"], ["a"], null],
  ])("%j: %j against %j is %j", (...row) => expect(answer("set_containment", row)).toBe(row[3]));

  it("compares big lists", () => {
    const numbers = Array.from({ length: 200_000 }, (_, index) => index);
    expect(answer("set_containment", [{}, numbers, numbers.toReversed(), true])).toBe(true);
  });
});

describe("ordered_match", () => {
  it.each<Row>([
    [{}, ["A", " b"], ["a", "b"], true],
    [{}, ["b", "a"], ["a", "b"], false],
    [{}, ["a"], ["a", "b"], false],
    [{}, [], [], true],
    [{}, [1, true], ["1", "TRUE"], true],
    [{}, [null], [null], true],
    [{}, [null], ["null"], false],
    [{}, [""], [null], false],
    [{ normalize: [] }, ["A"], ["a"], false],
    [{ normalize: [{ mapping: { x: "a" } }] }, ["x"], ["a"], true],
    [{}, [["a"]], [["a"]], null],
    [{}, ["b", {}], ["a", "c"], null],
    [{}, ["a"], [{}], null],
    [{}, [{}], [], false],
    [{}, "ab", ["a", "b"], null],
    [{}, ["a"], null, null],
    [{ normalize: ["nope"] }, ["a"], ["a"], null],
  ])("%j: %j against %j is %j", (...row) => expect(answer("ordered_match", row)).toBe(row[3]));
});

describe("sets of values", () => {
  const same = (left: unknown[], right: unknown[]): boolean | null =>
    answer("set_containment", [{}, left, right, true]);

  it("counts equal values once, by content and without conversion", () => {
    expect(same([1, 1, "1", true, "true"], [1, "1", true, "true"])).toBe(true);
    expect(
      same(
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [{ a: 1, b: 2 }],
      ),
    ).toBe(true);
    expect(same([{ a: 1 }, [1]], ['{"a":1}', "[1]"])).toBe(false);
    expect(same([0, undefined], [-0, null])).toBe(true);
  });

  it("agrees with deep equality", () => {
    const values = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 5 });
    fc.assert(
      fc.property(values, values, (left, right) => {
        const isIn = (value: unknown, list: unknown[]): boolean =>
          list.some((other) => deepEqual(value, other));
        const within = left.every((value) => isIn(value, right));
        expect(answer("set_containment", [{ mode: "subset" }, left, right, within])).toBe(within);
        expect(same(left, right)).toBe(within && right.every((value) => isIn(value, left)));
        const distinct = left.filter((value, index) => !isIn(value, left.slice(0, index)));
        const common = distinct.filter((value) => isIn(value, right)).length;
        for (const minOverlap of [common, common + 1].filter((count) => count > 0))
          expect(answer("set_containment", [{ mode: "overlap", minOverlap }, left, right, null])).toBe(
            minOverlap === common,
          );
      }),
    );
  });
});
