import * as fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/property-runs.ts";
import { isRecord } from "../../../core/values/json.ts";
import { BoundedMap, LongTextReader, LongTextWriter } from "./long-texts.ts";
import { MAX_LINE, TEXT_WINDOW } from "./run-file.ts";

/** Reads lines as a file's reader does; gives the values that are not texts. */
function readAll(lines: Iterable<string>, reader: LongTextReader = new LongTextReader()): readonly unknown[] {
  const values: unknown[] = [];
  for (const line of lines) {
    const value: unknown = JSON.parse(line);
    if (isRecord(value) && "text" in value)
      expect(reader.add(String(value.text), String(value.value))).toBe(true);
    else values.push((reader.decode(value) as { item: unknown }).item);
  }
  return values;
}

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("x", "ä", "\uD800", "\u2028", "$text").map((part) => part.repeat(300)),
);
/** Data that looks like what stands for a text, at any depth. */
const hostile = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.jsonValue(),
    fc.array(tie("value")),
    fc
      .tuple(fc.constantFrom("$text", "$$text", "$$$text", "text", "value", "__proto__"), tie("value"))
      .map((entry) => Object.fromEntries([entry])),
    fc.dictionary(fc.constantFrom("$text", "$$text", "other", "__proto__"), tie("value"), {
      noNullPrototype: true,
    }),
  ),
})).value;

test("any data comes back as it was, also if it looks like a reference", () => {
  fc.assert(
    fc.property(fc.array(hostile), (values) => {
      const writer = new LongTextWriter();
      const lines = values.flatMap((item) => [...writer.lines({ item })]);
      const expected: unknown = JSON.parse(JSON.stringify(values));
      // As text, so that a key called __proto__ counts.
      expect(JSON.stringify(readAll(lines))).toBe(JSON.stringify(expected));
    }),
    { numRuns: propertyRuns(500) },
  );
});

test("a long text is written once, a short one where it stands", () => {
  const writer = new LongTextWriter();
  const [long, short] = ["a".repeat(256), "b".repeat(255)];
  const first = [...writer.lines({ item: [long, short, long] })];
  expect(first).toHaveLength(2);
  expect(first[0]).toContain(long);
  expect(first[1]).not.toContain(long);
  expect(first[1]).toContain(short);
  expect([...writer.lines({ item: { $text: long } })]).toHaveLength(1);
});

test("a text that is out of the window is written again, and what is in it can be read", () => {
  const writer = new LongTextWriter();
  const big = (letter: string): string => letter.repeat(TEXT_WINDOW / 4);
  const values = ["a", "b", "c", "d", "a", "e", "a", "b"].map((letter) => [big(letter), big("z")]);
  const lines = values.flatMap((item) => [...writer.lines({ item })]);
  const texts = lines.filter((line) => line.startsWith('{"text"'));
  expect(texts.length).toBeGreaterThan(6);
  const read = readAll(lines);
  expect(read.every((item, index) => JSON.stringify(item) === JSON.stringify(values[index]))).toBe(true);
});

test("what cannot be read is said", () => {
  const reader = new LongTextReader();
  expect(reader.add("0".repeat(64), "another text")).toBe(false);
  expect(() => reader.decode({ $text: "0".repeat(64) })).toThrow(/no earlier line has the text 0{64}/);
  expect(() => reader.decode([{ $text: 7 }])).toThrow("no earlier line has the text that it names");
  let deep: unknown = "x";
  for (let depth = 0; depth < 1000; depth++) deep = [deep];
  expect(() => reader.decode(deep)).toThrow("nested more than 500 levels deep");
});

test("a short line cannot become one of terabytes", () => {
  const reader = new LongTextReader();
  const writer = new LongTextWriter();
  const [line = ""] = writer.lines("x".repeat(1_000_000));
  const { text: hash, value } = JSON.parse(line) as { text: string; value: string };
  expect(reader.add(hash, value)).toBe(true);
  const references = Array.from({ length: MAX_LINE / 1_000_000 + 1 }, () => ({ $text: hash }));
  expect(() => reader.decode(references)).toThrow("its texts have more than 64000000 characters");
  expect(reader.decode(references.slice(1))).toHaveLength(64);
});

test("keeps what was added last, by weight", () => {
  const map = new BoundedMap<number>(10);
  map.add("a", 1, 4);
  map.add("b", 2, 4);
  expect([map.get("a"), map.get("b")]).toEqual([1, 2]);
  map.add("c", 3, 4);
  expect([map.has("a"), map.get("b"), map.get("c")]).toEqual([false, 2, 3]);
  map.add("heavy", 4, 99);
  expect(["b", "c", "heavy"].map((key) => map.has(key))).toEqual([false, false, true]);
});

test("an item that is added again weighs once, and is the last one", () => {
  const map = new BoundedMap<number>(2);
  map.add("a", 1);
  map.add("b", 2);
  map.add("a", 3);
  map.add("c", 4);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([3, undefined, 4]);
});
