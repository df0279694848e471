import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CopyProblem, frozenCopy } from "./frozen-copy.ts";

function copied(value: unknown): { copy: unknown; problems: CopyProblem[] } {
  const problems: CopyProblem[] = [];
  return { copy: frozenCopy(value, (problem) => problems.push(problem)), problems };
}

test("any JSON value is copied as it is, deeply frozen and apart from the original", () => {
  const isDeeplyFrozen = (value: unknown): boolean =>
    typeof value !== "object" ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { copy, problems } = copied(value);
      expect(problems).toEqual([]);
      expect(copy).toEqual(value);
      expect(isDeeplyFrozen(copy)).toBe(true);
      if (typeof value === "object" && value !== null) expect(copy).not.toBe(value);
    }),
  );
});

test("functions are kept, undefined is dropped", () => {
  const fn = (): void => {};
  expect(copied({ fn, gone: undefined, list: [undefined] }).copy).toEqual({ fn, list: [null] });
});

test("__proto__ stays a key", () => {
  const { copy } = copied(JSON.parse('{"__proto__": {"x": 1}}'));
  expect(Object.keys(copy as object)).toEqual(["__proto__"]);
  expect((copy as { x?: number }).x).toBeUndefined();
});

describe("what is not data is reported where it is, and null stands in its place", () => {
  class Thing {}
  const throwing = {
    get x(): never {
      throw new Error("no");
    },
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  test.each<[string, unknown, CopyProblem]>([
    ["a date", { a: [new Date(0)] }, { kind: "not_data", path: ["a", 0], found: "Date" }],
    ["an instance", { a: new Thing() }, { kind: "not_data", path: ["a"], found: "Thing" }],
    ["a map", { a: new Map() }, { kind: "not_data", path: ["a"], found: "Map" }],
    ["NaN", { a: Number.NaN }, { kind: "not_data", path: ["a"], found: "NaN" }],
    ["infinity", [Number.NEGATIVE_INFINITY], { kind: "not_data", path: [0], found: "-Infinity" }],
    ["bigint", { a: 1n }, { kind: "not_data", path: ["a"], found: "bigint" }],
    ["symbol", { a: Symbol("x") }, { kind: "not_data", path: ["a"], found: "symbol" }],
    [
      "a getter that throws",
      { a: throwing },
      { kind: "not_data", path: ["a"], found: "an object that cannot be read" },
    ],
    [
      "a dead proxy",
      { a: revoked.proxy },
      { kind: "not_data", path: ["a"], found: "an object that cannot be read" },
    ],
  ])("%s", (_name, value, problem) => {
    expect(copied(value).problems).toEqual([problem]);
  });

  test("cycles", () => {
    const cyclic: Record<string, unknown> = { ok: 1 };
    cyclic.inner = { back: cyclic };
    expect(copied(cyclic)).toEqual({
      copy: { ok: 1, inner: { back: null } },
      problems: [{ kind: "cyclic", path: ["inner", "back"] }],
    });
    const shared = { x: 1 };
    expect(copied([shared, shared]).problems).toEqual([]);
  });
});
