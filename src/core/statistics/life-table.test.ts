import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedMean, type Followed, kaplanMeier, lifeTableRate } from "../../apps/public/statistics.ts";
import { seededRandom } from "./resampling.ts";

const followed = fc.array(fc.record({ at: fc.option(fc.integer({ min: 1, max: 6 })), wrong: fc.boolean() }), {
  minLength: 1,
  maxLength: 30,
});

test("it is the end of Kaplan and Meier's curve", () => {
  fc.assert(
    fc.property(followed, (sequences) => {
      // Who cannot be read at turn 3 was watched to turn 2.
      const times = sequences.map(({ at, wrong }) => (at === null ? 99 : wrong ? at : at - 1));
      const observed = sequences.map(({ at, wrong }) => at !== null && wrong);
      const end = kaplanMeier(times, observed, 0.95).at(-1)?.survival ?? 1;
      // Where nobody was watched to the end, the curve has no end.
      if (end > 0 && !times.includes(99)) expect(lifeTableRate(sequences, null)).toBeNull();
      else expect(lifeTableRate(sequences, null)?.rate).toBeCloseTo(end, 9);
    }),
  );
});

test("where everything is read it is the plain rate with the plain interval", () => {
  fc.assert(
    fc.property(followed, fc.array(fc.nat(5), { minLength: 30, maxLength: 30 }), (sequences, labels) => {
      const read: Followed[] = sequences.map(({ at, wrong }) => ({ at: wrong ? at : null, wrong }));
      const clusters = labels.slice(0, read.length);
      const values = read.map(({ at }) => (at === null ? 1 : 0));
      const plain = boundedMean(values, clusters);
      const table = lifeTableRate(read, clusters, 0.95);
      expect(table?.rate).toBeCloseTo(plain?.mean ?? -1, 9);
      expect(table?.low ?? -1).toBeCloseTo(plain?.low ?? -1, 6);
      expect(table?.high ?? -1).toBeCloseTo(plain?.high ?? -1, 6);
    }),
  );
});

/** Conversations of six turns; each turn turns wrong with a chance of its item, and is unreadable with another. */
function simulate(
  random: () => number,
  unreadable: number,
): { sequences: Followed[]; decided: number[]; items: number[] } {
  const sequences: Followed[] = [];
  const items: number[] = [];
  const decided: number[] = [];
  for (let item = 0; item < 60; item++) {
    const hazard = 0.02 + 0.1 * random();
    for (let replicate = 0; replicate < 3; replicate++) {
      const turns = Array.from({ length: 6 }, () => random() >= hazard);
      const first = turns.indexOf(false);
      const seen = (first === -1 ? turns : turns.slice(0, first + 1)).map((right) =>
        random() < unreadable ? null : right,
      );
      const end = seen.findIndex((right) => right !== true);
      sequences.push({ at: end === -1 ? null : end + 1, wrong: end !== -1 && seen[end] === false });
      if (!seen.includes(null) || seen.includes(false)) decided.push(seen.includes(false) ? 0 : 1);
      items.push(item);
    }
  }
  return { sequences, decided, items };
}

test("turns that are unreadable at random do not move it, as they move the rate of decided conversations", () => {
  const random = seededRandom(11);
  let covered = 0;
  let sum = 0;
  let plain = 0;
  const repetitions = 300;
  // E[(1 − h)⁶] for h uniform on 0.02 … 0.12.
  const truth = (0.98 ** 7 - 0.88 ** 7) / (7 * 0.1);
  for (let i = 0; i < repetitions; i++) {
    const { sequences, decided, items } = simulate(random, 0.1);
    const result = lifeTableRate(sequences, items);
    sum += result?.rate ?? 0;
    plain += decided.reduce((total, value) => total + value, 0) / decided.length;
    if (result?.low != null && result.high != null && result.low <= truth && truth <= result.high) covered++;
  }
  expect(sum / repetitions).toBeCloseTo(truth, 1.7);
  expect(plain / repetitions).toBeLessThan(truth - 0.08);
  expect(covered / repetitions).toBeGreaterThan(0.92);
});

test("bad arguments are named, and nothing gives nothing", () => {
  expect(lifeTableRate([], null)).toBeNull();
  expect(lifeTableRate([{ at: null, wrong: false }], null)).toMatchObject({ rate: 1, low: null });
  expect(() => lifeTableRate([{ at: 0, wrong: true }], null)).toThrow(/`sequences\[0\]\.at`/);
});
