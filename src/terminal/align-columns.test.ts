import { expect, test } from "vitest";
import { alignColumns } from "./align-columns.ts";

test("columns stand below each other, whatever their cells are painted with", () => {
  const red = (text: string): string => `<red>${text}</red>`;
  const lines = alignColumns(
    [
      [{ text: "subject" }, { text: "rate" }, { text: "n" }],
      [{ text: "日本" }, { text: "5 %", paint: red }, { text: "1000" }],
      [{ text: "a" }, { text: "" }, { text: "3" }],
      [{ text: "b" }, { text: "" }, { text: "" }],
    ],
    ["<", ">", ">"],
  );
  expect(lines).toEqual([
    "subject  rate     n",
    "日本      <red>5 %</red>  1000",
    "a                 3",
    "b",
  ]);
});
