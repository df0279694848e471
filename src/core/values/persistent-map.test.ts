import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PersistentMap } from "./persistent-map.ts";

test("behaves like a Map at every version, whatever keys and order", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.integer())), (pairs) => {
      const versions: [PersistentMap<number>, Map<string, number>][] = [
        [PersistentMap.empty<number>(), new Map()],
      ];
      for (const [key, value] of pairs) {
        const [map, model] = versions.at(-1) as (typeof versions)[number];
        versions.push([map.set(key, value), new Map([...model, [key, value]])]);
      }
      for (const [map, model] of versions) {
        for (const [key, value] of model) expect(map.get(key)).toBe(value);
        expect(new Map(map.entries())).toEqual(model);
        expect(map.get("no such key, surely")).toBeUndefined();
      }
    }),
  );
});

test("keys with the same hash are told apart", () => {
  // Found by search: FNV-1a gives both the same 32 bits.
  const [left, right] = ["costarring", "liquid"];
  const map = PersistentMap.empty<number>().set(left, 1).set(right, 2).set(left, 3);
  expect([map.get(left), map.get(right)]).toEqual([3, 2]);
  expect([...map.entries()].length).toBe(2);
});
