import { expect, test } from "vitest";
import { conversationName } from "./subject-totals.ts";

test.each([
  [null, ["j"], "a/b, replicate 3"],
  [0, ["j"], "a/b, replicate 3, row 1"],
  [2, ["j", "k"], "a/b, judge j, replicate 3, row 3"],
])("row %j, judges %j", (row, judges, name) => {
  expect(conversationName({ subject: "a/b", judge: "j", replicate: 3, row }, judges)).toBe(name);
});
