import * as fc from "fast-check";
import { expect, test } from "vitest";
import { textWidth } from "../terminal/text-width.ts";
import { pathText } from "./path-text.ts";

test.each<[string, number, string]>([
  ["", 80, ""],
  ["ask", 80, "ask"],
  ["ask push push push done", 80, "ask → push ×3 → done"],
  ["ask push push push done", 20, "ask → push ×3 → done"],
  ["ask push push push done", 19, "ask → push ×3 → …"],
  ["ask push push push done", 16, "ask → …"],
  ["ask push", 8, "ask → …"],
  ["question", 4, "que…"],
  ["問診 検査", 8, "問診 → …"],
])("%j in %i columns", (nodes, columns, text) => {
  expect(pathText(nodes === "" ? [] : nodes.split(" "), columns)).toBe(text);
});

test("an id cannot control the terminal", () => {
  expect(pathText(["a\u001b[2J", ""])).toBe('a�[2J → ""');
});

test("never too wide", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme" })),
      fc.integer({ min: 1, max: 60 }),
      (path, columns) => {
        expect(textWidth(pathText(path, columns))).toBeLessThanOrEqual(columns);
      },
    ),
  );
});
