import { expect, it } from "vitest";
import { textValue } from "./text-value.ts";

it.each<[unknown, string | undefined]>([
  ["", ""],
  [" a ", " a "],
  [5, "5"],
  [5.5, "5.5"],
  [-0, "0"],
  [1e21, "1e+21"],
  [true, "true"],
  [false, "false"],
  [null, undefined],
  [undefined, undefined],
  [[], undefined],
  [["a"], undefined],
  [{ toString: () => "a" }, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [5n, undefined],
  [Symbol("a"), undefined],
])("the text of %s is %j", (value, expected) => expect(textValue(value)).toBe(expected));
