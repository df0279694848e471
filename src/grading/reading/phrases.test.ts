import fc from "fast-check";
import { expect, it } from "vitest";
import { markersOf } from "./phrases.ts";

it("finds what lies before, after and inside", () => {
  const markers = markersOf("not a not b", /not/g);
  expect([markers.countIn(0, 11), markers.countIn(1, 11), markers.countIn(0, 8)]).toEqual([2, 1, 1]);
  expect([markers.endBefore(2), markers.endBefore(3), markers.endBefore(11)]).toEqual([0, 3, 9]);
  expect([markers.startBefore(2), markers.startBefore(9)]).toEqual([undefined, 6]);
  expect([markers.startAfter(0), markers.startAfter(1), markers.startAfter(7)]).toEqual([0, 6, undefined]);
  expect([markers.endAfter(0), markers.endAfter(3), markers.endAfter(9)]).toEqual([3, 9, undefined]);
});

it("leaves out what does not count", () => {
  expect(markersOf("a1a2", /a\d/g, ([found]) => found !== "a1").countIn(0, 4)).toBe(1);
});

it("agrees with looking at every occurrence", () => {
  const text = fc.stringMatching(/^[ab]{0,20}$/);
  fc.assert(
    fc.property(text, fc.nat(20), fc.nat(20), (letters, start, end) => {
      const all = [...letters.matchAll(/ab/g)].map(({ index }) => [index, index + 2] as const);
      const inside = all.filter(([from, to]) => from >= start && to <= end);
      const markers = markersOf(letters, /ab/g);
      expect(markers.countIn(start, end)).toBe(inside.length);
      expect(markers.has(start, end)).toBe(inside.length > 0);
      expect(markers.endBefore(end)).toBe(all.findLast(([, to]) => to <= end)?.[1] ?? 0);
    }),
  );
});
