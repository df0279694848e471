import * as fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/property-runs.ts";
import { refuseHuge, TextSyntaxError } from "./text-places.ts";
import { parseYamlText } from "./yaml-text.ts";

/** Long enough that texts in double quotes are read in pieces. */
const COMMENT = `# ${"x".repeat(1_000_000)}\n`;

/** What a text is read as, or what is wrong with it, and where from the beginning of the text. */
function read(text: string, skippedLines: number): unknown {
  try {
    return parseYamlText(text).value;
  } catch (error) {
    if (!(error instanceof TextSyntaxError)) throw error;
    const { message, position } = error;
    return { message, ...position, line: (position?.line ?? 0) - skippedLines };
  }
}

const UNITS = [
  ..."a \t'#:é,",
  "\n  ",
  "\n\n  ",
  " \n \t ",
  "\r\n  ",
  "\r",
  "\\\n  ",
  " \\\r\n   ",
  "\\\\",
  '\\"',
  "\\n",
  "\\ ",
  "\\x41",
  "\\u00e9",
  "\\U0001F600",
  "\\u12",
  "\\q",
  "中",
  "\u00a0",
  "\u2028",
  "😀",
];

test("a text in double quotes is the same in a large file", () => {
  const unit = fc.constantFrom(...UNITS);
  const content = fc.tuple(fc.array(unit, { maxLength: 60 }), fc.constantFrom(1, 1, 200));
  fc.assert(
    fc.property(content, fc.boolean(), ([units, times], isKey) => {
      const quoted = `"${"begin".repeat(15)}${units.join("").repeat(times)}"`;
      const text = isKey ? `? ${quoted}\n: 1\nlast: [1]\n` : `first: ${quoted}\nlast: [${quoted}]\n`;
      expect(read(COMMENT + text, 1)).toEqual(read(text, 0));
    }),
    { numRuns: propertyRuns(60) },
  );
});

test("a text in double quotes that ends with an escaped one is not closed", () => {
  expect(() => parseYamlText(`${COMMENT}a: "${"some words ".repeat(20)}\\"`)).toThrow(
    'this " has no " that closes the text',
  );
});

test.each([
  ["not closed", `a: "${"some words ".repeat(20)}`, 'this " has no " that closes the text', 2, 4],
  ["not closed, with lines", `a: "${"some words\n  ".repeat(20)}`, 'this " has no " that closes', 2, 4],
  [
    "with an escape that is none",
    `a: "${"some words ".repeat(20)}\\q"`,
    "invalid escape sequence \\q",
    2,
    225,
  ],
  ["a key of several lines", `"${"a\n ".repeat(90)}": 1`, "no key with a value", 2, 1],
  ["a long key", `"${"a".repeat(1100)}": 1`, "at most 1024 chars", 2, 1],
  ["more documents", `a: 1\n---\nb: 2\n`, "several documents", 3, 1],
])("a large file says what is wrong with %s", (_, text, message, line, column) => {
  expect(() => parseYamlText(COMMENT + text)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message), position: { line, column } }),
  );
  expect(read(COMMENT + text, 1)).toEqual(read(text, 0));
});

test.each(["& ", "!a ", "*a ", '"a" ', "'a' "])(
  "a file with nothing but %j is refused before it is parsed",
  (mark) => {
    expect(() => parseYamlText(`a: ${mark.repeat(600_000)}`)).toThrow("it has more than 500000 lines");
  },
);

test.each([
  ["an alias", `a: *${"b".repeat(100_000)}`],
  ["a tag", `a: !${"b".repeat(100_000)} c`],
  ["a key that occurs twice", `? ${"b".repeat(100_000)}\n: 1\n? ${"b".repeat(100_000)}\n: 2\n`],
])("of %s only the beginning is in the message", (_, text) => {
  const { message } = read(text, 0) as { readonly message: string };
  expect(message).toContain("bbb…");
  expect(message.length).toBeLessThan(300);
});

test("values in quotes count no more than others", () => {
  const row = '- { "a": "b", c: \'d\' }\n';
  expect(() => refuseHuge(row.repeat(60_000), 10_000)).not.toThrow();
  expect(() => refuseHuge(row.repeat(80_000), 10_000)).toThrow("it has more than 500000 lines");
});
