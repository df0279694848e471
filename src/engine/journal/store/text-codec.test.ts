import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeData, encodeData, textHash, textsIn } from "./text-codec.ts";

const LONG = "x".repeat(64);

function roundTrip(data: unknown): unknown {
  const { json, texts } = encodeData(data);
  const known = new Map(texts);
  return decodeData(json, (hash) => known.get(hash) as string);
}

/** Texts of all lengths, among them such as look like references, escapes and hashes. */
const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 100 }),
  fc.string({ unit: fc.constantFrom("~", '"', "\\", "a", "\ud83c", "\0"), maxLength: 80 }),
  fc.string({ minLength: 60, maxLength: 70 }).map((text) => `~${text}`),
  fc.string({ maxLength: 100 }).map((text) => `~${textHash(text)}`),
  fc.string({ maxLength: 100 }).map((text) => `"~${textHash(text)}"`),
  fc.stringMatching(/^[0-9a-f]{64}$/),
);

test("any data comes back as it was", () => {
  const data = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      hostileText,
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.array(tie("value")),
      fc.dictionary(fc.oneof(hostileText, fc.constant("__proto__")), tie("value"), { noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(data, (value) => {
      expect(roundTrip(value)).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

test("a long text is taken out, and is named in the JSON by its hash", () => {
  const { json, texts } = encodeData({ reply: LONG, again: [LONG], short: "x".repeat(63) });
  const hash = textHash(LONG);
  expect(new Map(texts)).toEqual(new Map([[hash, LONG]]));
  expect(json).not.toContain(LONG);
  expect([...textsIn(json)]).toEqual([hash, hash]);
});

test("what only looks like a reference is none", () => {
  const reference = `~${textHash(LONG)}`;
  const { json, texts } = encodeData([reference, `"${reference}"`, `\\"${reference}`]);
  expect(texts).toEqual([]);
  expect([...textsIn(json)]).toEqual([]);
});

test("what JSON cannot hold is null, and nothing throws", () => {
  const circle: { self?: unknown; big: bigint; text: string } = { big: 1n, text: LONG };
  circle.self = circle;
  expect(roundTrip(circle)).toEqual({ big: null, text: LONG, self: null });
  let deep: unknown = LONG;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  expect(() => roundTrip(deep)).not.toThrow();
  expect(roundTrip(undefined)).toBe(null);
});
