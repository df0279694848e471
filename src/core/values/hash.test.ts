import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "./hash.ts";
import { canonicalJson } from "./json.ts";

test("sha256 agrees with Node's, for texts of any length and alphabet", () => {
  const reference = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
  for (let length = 0; length < 200; length++)
    expect(sha256("ä".repeat(length))).toBe(reference("ä".repeat(length)));
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), (text) => {
      expect(sha256(text)).toBe(reference(text));
    }),
  );
});

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
