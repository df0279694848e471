import { expect, test } from "vitest";
import { PLAIN_STYLE } from "../terminal/terminal.ts";
import { labelledLines, roomBeside } from "./labelled-lines.ts";

test("labels stand to the left of their lines; empty lines stay empty, empty blocks are left out", () => {
  const blocks = [
    { label: "asked", lines: ["one", "", "two"] },
    { label: "tools", lines: [] },
    { label: "replied", lines: ["three"] },
  ];
  expect(labelledLines(blocks, 7, PLAIN_STYLE)).toEqual([
    "  asked    one",
    "",
    "           two",
    "  replied  three",
  ]);
});

test("what is left beside the labels", () => {
  expect([80, 40, 5].map((width) => roomBeside(7, width))).toEqual([69, 29, 10]);
});
