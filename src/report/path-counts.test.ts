import { expect, test } from "vitest";
import { PathCounter } from "./path-counts.ts";

function counted(paths: readonly string[], limit?: number): PathCounter {
  const counter = new PathCounter(limit);
  for (const path of paths) counter.add(path === "" ? [] : path.split(" "));
  return counter;
}

test("the most frequent paths come first, the rest is counted", () => {
  expect(counted(["a", "a b", "c", "a b", "a b", "c", "d"]).most(2)).toEqual({
    conversations: 7,
    paths: [
      { path: ["a", "b"], count: 3 },
      { path: ["c"], count: 2 },
    ],
    others: { conversations: 2, paths: 2 },
  });
});

test("nothing is counted of nothing", () => {
  expect(counted([]).most(3)).toEqual({
    conversations: 0,
    paths: [],
    others: { conversations: 0, paths: 0 },
  });
});

test("when memory is full, known paths are still counted and new ones are others", () => {
  const room = JSON.stringify(["a"]).length * 2;
  expect(counted(["a", "b", "c", "a", "d", "a"], room).most(2)).toEqual({
    conversations: 6,
    paths: [
      { path: ["a"], count: 3 },
      { path: ["b"], count: 1 },
    ],
    others: { conversations: 2, paths: null },
  });
});
