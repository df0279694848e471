import fc from "fast-check";
import { expect, test } from "vitest";
import { Rng } from "./rng.ts";

test("the same key gives the same draws, from 0 and below 1", () => {
  fc.assert(
    fc.property(fc.string(), (key) => {
      const one = new Rng(key);
      const other = new Rng(key);
      for (let draw = 0; draw < 5; draw++) {
        const value = one.next();
        expect(value).toBe(other.next());
        expect(value >= 0 && value < 1).toBe(true);
      }
    }),
  );
});

test("keys that differ in a digit give draws that have nothing to do with each other", () => {
  const counts = Array<number>(10).fill(0);
  for (let key = 0; key < 10_000; key++) {
    const place = new Rng(`call ${key}`).below(10);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});

test("what is impossible never happens, what is certain always does", () => {
  const chance = new Rng("key");
  for (let draw = 0; draw < 1_000; draw++) {
    expect(chance.happens(0)).toBe(false);
    expect(chance.happens(1)).toBe(true);
  }
});
