import { expect, test } from "vitest";
import { BoundedMap } from "./bounded-map.ts";

test("keeps what was added last, by weight", () => {
  const map = new BoundedMap<number>(10);
  map.add("a", 1, 4);
  map.add("b", 2, 4);
  expect([map.get("a"), map.get("b")]).toEqual([1, 2]);
  map.add("c", 3, 4);
  expect([map.has("a"), map.get("b"), map.get("c")]).toEqual([false, 2, 3]);
  map.add("heavy", 4, 99);
  expect(["b", "c", "heavy"].map((key) => map.has(key))).toEqual([false, false, true]);
});

test("an item that is added again weighs once, and is the last one", () => {
  const map = new BoundedMap<number>(2);
  map.add("a", 1);
  map.add("b", 2);
  map.add("a", 3);
  map.add("c", 4);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([3, undefined, 4]);
});
