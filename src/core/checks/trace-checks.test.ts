import { describe, expect, it } from "vitest";
import type { Check } from "./check.ts";
import { evaluateCheck } from "./evaluate-check.ts";

type Row = [parameters: object, reply: unknown, verdict: boolean | null];

/** true and false as the check says, null if it cannot be evaluated. */
function answer(type: Check["type"], [parameters, reply]: Row): boolean | null {
  const result = evaluateCheck({ type, ...parameters } as Check, reply, null);
  return result.evaluable ? result.passes : null;
}

describe("trace_regex", () => {
  it.each<Row>([
    [{ pattern: "PMID" }, "see PMID 1", true],
    [{ pattern: "PMID" }, "see pmid 1", false],
    [{ pattern: "(?i)PMID" }, "see pmid 1", true],
    [{ pattern: "\\d+", countMin: 2 }, "1 and 22", true],
    [{ pattern: "\\d+", countMin: 3 }, "1 and 22", false],
    [{ pattern: "x", countMin: 0 }, "", true],
    [{ pattern: "x", countMin: 1 }, "", false],
    [{ pattern: "x", countMin: null }, "x", true],
    [{ pattern: "a", countMin: 1_000_000 }, "aaa", false],
    [{ pattern: "x" }, null, null],
    [{ pattern: "5" }, 5, null],
    [{ pattern: "(" }, "(", null],
    [{ pattern: "x", countMin: -1 }, "x", null],
    [{ pattern: "x", countMin: 1.5 }, "x", null],
    [{}, "x", null],
  ])("%j in %j is %j", (...row) => expect(answer("trace_regex", row)).toBe(row[2]));
});

describe("trace_contains", () => {
  it.each<Row>([
    [{ substring: "know" }, "I don't know.", true],
    [{ substring: "Know" }, "I don't know.", false],
    [{ substring: "" }, "", true],
    [{ substring: "5" }, 5, null],
    [{ substring: "x" }, null, null],
    [{ substring: "x" }, ["x"], null],
    [{ substring: 5 }, "5", null],
    [{}, "x", null],
  ])("%j in %j is %j", (...row) => expect(answer("trace_contains", row)).toBe(row[2]));
});

describe("trace_length", () => {
  it.each<Row>([
    [{ min: 3, max: 3 }, "abc", true],
    [{ min: 4 }, "abc", false],
    [{ max: 2 }, "abc", false],
    [{ max: 2 }, "😀é", true],
    [{}, "", true],
    [{ min: 1 }, "", false],
    [{ min: 0 }, "", true],
    [{ min: 2, max: 2, unit: "words" }, "  two\u00a0words\n", true],
    [{ max: 0, unit: "words" }, " \n ", true],
    [{ min: 5, max: 3 }, "abcd", false],
    [{ min: null, max: 5 }, "abcd", true],
    [{}, null, null],
    [{}, 5, null],
    [{ unit: "lines" }, "a", null],
    [{ min: -1 }, "a", null],
    [{ max: 2.5 }, "a", null],
  ])("%j of %j is %j", (...row) => expect(answer("trace_length", row)).toBe(row[2]));
});
