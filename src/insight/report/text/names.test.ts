import { expect, test } from "vitest";
import { conversationName } from "./names.ts";

test.each([
  [{}, ["j"], "a/b, replicate 3"],
  [{ rowIndex: 0 }, ["j"], "a/b, replicate 3, row 1"],
  [{ row: "row-a8d8535ac01dcce5", rowIndex: 2 }, ["j", "k"], "a/b, judge j, replicate 3, row 3"],
  [{ row: "q17", rowIndex: 2 }, ["j"], "a/b, replicate 3, row q17"],
  [
    { row: "q17", variant: { order: "a", by: "x" }, arm: "mcq" },
    ["j"],
    "a/b, replicate 3, row q17, order=a, by=x, arm mcq",
  ],
])("place %j, judges %j", (place, judges, name) => {
  expect(conversationName({ subject: "a/b", judge: "j", replicate: 3, ...place }, judges)).toBe(name);
});
