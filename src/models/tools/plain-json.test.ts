import fc from "fast-check";
import { expect, test } from "vitest";
import { plainJson } from "./plain-json.ts";

test("what JSON holds is copied as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
      expect(plainJson(value)).toEqual(value);
    }),
  );
});

test("what JSON cannot hold, or what is too deep, is nothing", () => {
  for (const value of [undefined, Number.NaN, 1n, () => 1, [undefined], { a: Symbol("a") }])
    expect(plainJson(value)).toBeUndefined();
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(plainJson(deep)).toBeUndefined();
  expect(plainJson([[1]], 2)).toEqual([[1]]);
  expect(plainJson([[1]], 1)).toBeUndefined();
});

test("keys and half characters that make trouble later do not pass", () => {
  expect(plainJson(JSON.parse('{"__proto__": {"x": 1}, "a\\ud800": "\\udc00"}'))).toEqual({
    "a\ufffd": "\ufffd",
  });
});
