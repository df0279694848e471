import { describe, expect, test } from "vitest";
import { TextSyntaxError } from "./text-places.ts";
import { parseYamlText } from "./yaml-text.ts";

/** What is said about a text that cannot be read, and where. */
function problemOf(text: string): string {
  try {
    parseYamlText(text);
  } catch (error) {
    if (!(error instanceof TextSyntaxError)) throw error;
    return `${error.position?.line}:${error.position?.column} ${error.message}`;
  }
  return "in order";
}

describe("what somebody did who writes a first YAML file is named, with what to do", () => {
  test.each([
    // Indentation.
    [
      "version: 1\n name: x\n",
      "2:2 this line is indented more than the line above, which has a value already",
    ],
    [
      "a:\n  b:\n    c: 1\n   d: 2\n",
      "4:4 this line is not indented like the others that belong together with it",
    ],
    ["a:\n  - { b: c }\n - { d: e }\n", '3:2 this "-" is not indented like the others of its list'],
    ["a:\n  - { b: c }\n  – { d: e }\n", '3:3 a list is written with "-", followed by a space'],
    [
      "a: Are you sure?\nI am.\nb: 1",
      "2:1 this line is no key with a value; if it continues the text above, indent it",
    ],
    ["a:\n\tb: 1\n", "2:1 tabs are not allowed as indentation; use spaces"],
    // Spaces.
    ["version: 1\nname:x\nb: 1", "2:1 a key needs a space after its colon"],
    [
      "version: 1\nname:\u00a0x\nb: 1",
      "2:6 this line has a non-breaking space, which looks like a space and is none; type it again",
    ],
    // Texts that YAML takes for something else.
    ["a: b: c\n", "1:4 a text with a colon and a space is taken for a key; put quotes around it"],
    ["a: {{ row.text }}\n", "1:5 a text that begins with {{ needs quotes"],
    ["a: {{ row.text }} it is\n", "1:5 a text that begins with {{ needs quotes"],
    ["a: @you, hello\n", "1:4 a text that begins with @ needs quotes"],
    ["a: % of it\n", "1:4 a text that begins with % needs quotes"],
    ["a: { turn: >= 2 }\n", "1:12 a text that begins with > needs quotes"],
    ["a: *This* is it\n", "1:4 a text that begins with * needs quotes"],
    ["a: [Note] this is it\n", "1:4 a text that begins with [ needs quotes"],
    ["a: - this is it\n", "1:4 a text that begins with - needs quotes, and a list starts on the next line"],
    ["a: ? this\n", "1:4 a text that begins with ? needs quotes"],
    ["a: !This is it\n", "1:4 unresolved tag: !This; a text that begins with ! needs quotes"],
    ["a: | this is it\n", "1:4 after |, the text starts on the next line"],
    ["a: }\n", "1:4 this } has no { before it"],
    // Quotes.
    [
      'a: "Are you "really" sure?"\n',
      `1:4 the text ends at its second ", but more follows; put ' around the whole text`,
    ],
    [
      "a: 'It's Sydney'\nb: 1\n",
      `1:4 the text ends at its second ', but more follows; put " around the whole text`,
    ],
    ['- "Yes" is it\n', `1:3 the text ends at its second ", but more follows; put ' around the whole text`],
    ['a: "\\d+"\n', `1:5 invalid escape sequence \\d; write \\\\ for \\, or use ' instead of "`],
  ])("%j", (text, problem) => expect(problemOf(text)).toBe(problem));
});

test("a non-breaking space within a text is harmless", () => {
  expect(problemOf("a: 20\u00a0% of it\n")).toBe("in order");
  expect(problemOf("a: 'It costs 20\u00a0%\nb: 1")).toBe("1:4 this ' has no ' that closes the text");
});
