import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./json.ts";

describe("canonicalJson", () => {
  test("does not depend on the order of keys", () => {
    expect(canonicalJson({ b: 1, a: { d: [1, { z: 1, y: 2 }], c: null } })).toBe(
      '{"a":{"c":null,"d":[1,{"y":2,"z":1}]},"b":1}',
    );
  });

  test("gives back the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("writes a function as its source, and drops undefined", () => {
    expect(canonicalJson({ f: (x: number) => x, u: undefined })).toBe(canonicalJson({ f: "(x) => x" }));
  });
});
