import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ClusteredSurvivalGroup,
  clusteredLogRank,
  logRank,
  pairedDifference,
} from "../../apps/public/statistics.ts";
import { seededRandom } from "./resampling.ts";

type Entry = readonly [time: number, happened: boolean, cluster: number];

const entries = fc.array(fc.tuple(fc.nat(6), fc.boolean(), fc.nat(5)), { minLength: 1, maxLength: 15 });
const groupOf = (own: readonly Entry[]): ClusteredSurvivalGroup => ({
  times: own.map(([time]) => time),
  observed: own.map(([, happened]) => happened),
  clusters: own.map(([, , cluster]) => cluster),
});

test("of two groups it is Student's test of what each cluster adds, from the definition", () => {
  fc.assert(
    fc.property(entries, entries, (first, second) => {
      const all = [...first, ...second];
      const times = [...new Set(all.filter(([, happened]) => happened).map(([time]) => time))];
      const added = new Map<number, number>();
      for (const [i, [until, happened, cluster]] of all.entries()) {
        let own = 0;
        for (const time of times) {
          if (until < time) continue;
          const n = all.filter(([at]) => at >= time).length;
          const share = first.filter(([at]) => at >= time).length / n;
          const d = all.filter(([at, did]) => at === time && did).length;
          own += ((i < first.length ? 1 : 0) - share) * ((happened && until === time ? 1 : 0) - d / n);
        }
        added.set(cluster, (added.get(cluster) ?? 0) + own);
      }
      const result = clusteredLogRank([groupOf(first), groupOf(second)]);
      const values = [...added.values()];
      const spread = pairedDifference(
        values,
        values.map(() => 0),
        null,
      );
      if (result === null || spread?.t == null) return;
      expect(result.clusters).toBe(values.length);
      expect(result.chiSquare).toBeCloseTo(spread.t ** 2, 6);
      expect(result.p).toBeCloseTo(spread.p ?? 9, 6);
    }),
  );
});

test("the order of groups and clusters does not matter, and one cluster says nothing", () => {
  fc.assert(
    fc.property(entries, entries, entries, (first, second, third) => {
      const groups = [first, second, third].map(groupOf);
      const [one, other] = [clusteredLogRank(groups), clusteredLogRank([...groups].reverse())];
      expect(other?.chiSquare.toFixed(5)).toBe(one?.chiSquare.toFixed(5));
      const single = groups.map((group) => ({ ...group, clusters: group.times.map(() => "x") }));
      expect(clusteredLogRank(single)).toBeNull();
    }),
  );
  expect(clusteredLogRank([])).toBeNull();
  expect(() => clusteredLogRank([{ times: [1], observed: [true], clusters: [] }])).toThrow(
    /`groups\[0\]\.clusters`/,
  );
});

test("with replicates of items it raises false alarms as often as it says; the plain test does not", () => {
  const random = seededRandom(99);
  const [rounds, items, replicates] = [1_500, 24, 5];
  let [plain, robust] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    // Each subject finds other items hard, so that its replicates of an item belong together.
    const groups = [0, 1].map(() => {
      const own: Entry[] = [];
      for (let item = 0; item < items; item++) {
        const chance = random() < 0.5 ? 0.1 : 0.6;
        for (let i = 0; i < replicates; i++) {
          let turn = 1;
          while (turn < 5 && random() >= chance) turn++;
          own.push([turn, turn < 5, item]);
        }
      }
      return groupOf(own);
    });
    if ((logRank(groups)?.p ?? 1) < 0.05) plain++;
    if ((clusteredLogRank(groups)?.p ?? 1) < 0.05) robust++;
  }
  expect(plain / rounds).toBeGreaterThan(0.15);
  expect(robust / rounds).toBeLessThan(0.07);
  expect(robust / rounds).toBeGreaterThan(0.035);
});
