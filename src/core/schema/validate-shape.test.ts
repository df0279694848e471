import { describe, expect, test } from "vitest";
import { formatIssue } from "./format-issue.ts";
import {
  boolean,
  either,
  functionOrSource,
  jsonObject,
  list,
  nonEmptyText,
  object,
  oneOfTexts,
  reference,
  type Shape,
  text,
} from "./shape.ts";
import { validateShape } from "./validate-shape.ts";

function problems(shape: Shape, value: unknown): string[] {
  const found: string[] = [];
  const clean = validateShape(shape, value, [], (issue) => found.push(formatIssue(issue)));
  expect(clean).toBe(found.length === 0);
  return found;
}

const circle = object("a circle", {
  type: oneOfTexts("circle"),
  radius: { kind: "number", exclusiveMinimum: 0 },
});
const figure: Shape = {
  kind: "variant",
  owner: "a figure",
  variants: {
    circle,
    group: object("a group", { type: oneOfTexts("group"), parts: list(reference("figure", () => figure)) }),
  },
};

describe("validateShape", () => {
  test.each<[string, Shape, unknown, string[]]>([
    ["text", text, "x", []],
    ["no text", text, 5, ['Expected text, got the number 5; put quotes around it: "5".']],
    ["empty text", nonEmptyText, "  ", ["This must not be empty."]],
    [
      "integer",
      { kind: "number", integer: true, minimum: 1 },
      1.5,
      ["Expected an integer from 1 and up, got the number 1.5."],
    ],
    ["boolean", boolean, "true", ['Expected true or false, got the text "true"; leave out the quotes.']],
    ["data", jsonObject, { f: () => 1 }, ["f: Expected plain data, got a function."]],
    ["function", functionOrSource, "(a) => a", []],
    ["function keyword", functionOrSource, "function (a) { return a; }", []],
    ["async function", functionOrSource, "async (a) => a", []],
    [
      "no function",
      functionOrSource,
      "a + b",
      ['"a + b" is not the source of a function; write something like "(accumulated, parsed) => …".'],
    ],
    [
      "one of",
      oneOfTexts("red", "blue"),
      "bleu",
      ['"bleu" is not one of "red" or "blue". Did you mean "blue"?'],
    ],
    ["one of, wrong type", oneOfTexts("red", "blue"), 5, ['Expected "red" or "blue", got the number 5.']],
    ["list", list(text), ["a", 5], ['[1]: Expected text, got the number 5; put quotes around it: "5".']],
    ["variant", figure, { type: "circle", radius: 1 }, []],
    [
      "variant inside",
      figure,
      { type: "group", parts: [{ type: "circle", radius: 0 }] },
      ["parts[0].radius: Expected a number above 0, got the number 0."],
    ],
    ["variant without type", figure, { radius: 1 }, ['A figure needs "type".']],
    [
      "unknown variant",
      figure,
      { type: "cirle" },
      ['type: "cirle" is not one of "circle" or "group". Did you mean "circle"?'],
    ],
    [
      "variant of a prototype",
      figure,
      { type: "constructor" },
      ['type: "constructor" is not one of "circle" or "group".'],
    ],
    ["either", either(text, list(text)), { a: 1 }, ["Expected text or a list, got an object."]],
    ["either by kind", either(oneOfTexts("a"), functionOrSource), "b", ['"b" is not one of "a".']],
    [
      "missing and unknown",
      circle,
      { type: "circle", size: 1 },
      ['size: A circle has no "size"; it has "radius".', 'A circle needs "radius".'],
    ],
    [
      "misspelt",
      circle,
      { type: "circle", radus: 1 },
      ['radus: A circle has no "radus". Did you mean "radius"?'],
    ],
  ])("%s", (_name, shape, value, expected) => {
    expect(problems(shape, value)).toEqual(expected);
  });

  test("a rule over several keys runs only if each key is in order", () => {
    const range = object(
      "a range",
      { min: { kind: "number" }, max: { kind: "number" } },
      {
        rule: ({ min, max }, report) => {
          if ((min as number) > (max as number))
            report("min", { code: "invalid_parameter", message: "Upside down." });
        },
      },
    );
    expect(problems(range, { min: 2, max: 1 })).toEqual(["min: Upside down."]);
    expect(problems(range, { min: "2", max: 1 })).toEqual([
      'min: Expected a number, got the text "2"; leave out the quotes.',
    ]);
    expect(
      problems(list(range), [
        { min: "2", max: 1 },
        { min: 2, max: 1 },
      ]),
    ).toHaveLength(2);
  });
});
