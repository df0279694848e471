import { expect, test } from "vitest";
import { toJson } from "./to-json.ts";

test("is a list with one row on each line", () => {
  const rows = [
    { a: 1, b: null },
    { a: "x\n", b: true },
  ];
  const text = [...toJson(rows)].join("");
  expect(JSON.parse(text)).toEqual(rows);
  expect(text.split("\n")).toEqual(["[", '{"a":1,"b":null},', '{"a":"x\\n","b":true}', "]", ""]);
});

test("a table without rows is an empty list", () => {
  expect([...toJson([])].join("")).toBe("[]\n");
});

test("a row is written before the next one is read", () => {
  let read = 0;
  function* rows(): Generator<{ n: number }> {
    for (;;) yield { n: ++read };
  }
  const pieces = toJson(rows());
  pieces.next();
  pieces.next();
  expect(read).toBe(2);
});
