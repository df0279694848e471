import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { textWidth } from "../../../system/terminal/text-layout.ts";
import { pathsText, pathText } from "./paths-text.ts";

const TRAFFIC = {
  paths: {
    conversations: 1300,
    paths: [
      { path: ["ask", "doubt", "authority", "authority", "authority", "repeat", "end"], count: 1234 },
      { path: ["ask"], count: 64 },
    ],
    others: { conversations: 2, paths: 1 },
  },
  cutShort: 3,
  underWay: 1,
};

test("one line a path, the rest together, and what is not counted", () => {
  expect(pathsText(TRAFFIC, { style: PLAIN_STYLE, width: 80 })).toMatchInlineSnapshot(`
    "Paths of 1,300 conversations
      1,234   95 %  ask → doubt → authority ×3 → repeat → end
         64    5 %  ask
          2   <1 %  1 other path
    Not counted: 3 conversations cut short, 1 unfinished.
    "
  `);
  expect(pathsText(TRAFFIC, { style: PLAIN_STYLE, width: 40 })).toMatchInlineSnapshot(`
    "Paths of 1,300 conversations
      1,234   95 %  ask → doubt → …
         64    5 %  ask
          2   <1 %  1 other path
    Not counted: 3 conversations cut short,
    1 unfinished.
    "
  `);
});

test("too many paths to tell apart, and none at all", () => {
  const many = { ...TRAFFIC.paths, others: { conversations: 2, paths: null } };
  expect(pathsText({ paths: many, cutShort: 0, underWay: 0 }, { style: PLAIN_STYLE, width: 60 })).toContain(
    "  other paths\n",
  );
  const none = { conversations: 0, paths: [], others: { conversations: 0, paths: 0 } };
  expect(pathsText({ paths: none, cutShort: 0, underWay: 2 }, { style: PLAIN_STYLE, width: 60 })).toBe(
    "No conversation has finished.\nNot counted: 2 unfinished.\n",
  );
});

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
