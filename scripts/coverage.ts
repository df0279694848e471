// Simulates subjects with known rates: how often do intervals cover, and how often do tests raise false alarms? npm run coverage [repetitions]
import type { ConversationScore } from "../src/journal/store/store.ts";
import { compareAll } from "../src/report/data/compare-sides.ts";
import { rateEstimate } from "../src/report/data/rate-line.ts";
import { seededRandom } from "../src/statistics/resampling.ts";

const repetitions = Number(process.argv[2] ?? 2000);
const SIZES = [
  [30, 1],
  [30, 10],
  [200, 3],
] as const;

/** The chance of an item: easy and hard ones, with the mean 0.65. */
const easiness = (random: () => number): number => 0.3 + 0.7 * random();

for (const [items, replicates] of SIZES) {
  const random = seededRandom(1000 * items + replicates);
  let covered = 0;
  let alarms = 0;
  let gate = 0;
  for (let i = 0; i < repetitions; i++) {
    const sides: [ConversationScore[], ConversationScore[]] = [[], []];
    for (let item = 0; item < items; item++) {
      const chance = easiness(random);
      for (const side of sides)
        for (let replicate = 1; replicate <= replicates; replicate++)
          side.push(score(item, replicate, random() < chance));
    }
    const [a, b] = sides;
    const values = a.map(({ outcomes }) => Number(outcomes.get("ok")));
    const { interval } = rateEstimate(
      values,
      a.map(({ item }) => item),
    );
    if (interval !== null && interval.low <= 0.65 && 0.65 <= interval.high) covered++;
    const facts = { outcomes: ["ok"], rates: new Map(), scenarios: new Map() };
    const side = (label: string, scores: readonly ConversationScore[]) => ({
      label,
      scores: () => scores,
      facts,
      judges: 1,
    });
    const line = compareAll([[side("a", a), side("b", b)]])[0]?.lines[0];
    if ((line?.adjusted ?? 1) < 0.05) alarms++;
    if ((line?.interval?.high ?? 1) < 0) gate++;
  }
  const percent = (count: number): string => `${((100 * count) / repetitions).toFixed(1)} %`;
  console.log(
    `${items} × ${replicates}: intervals cover ${percent(covered)}, false alarms of compare ${percent(alarms)}, of the gate ${percent(gate)} (${repetitions} repetitions)`,
  );
}

function score(item: number, replicate: number, ok: boolean): ConversationScore {
  const place = {
    index: 0,
    scenario: "s",
    subject: "m",
    judge: "j",
    replicate,
    row: `r${item}`,
    rowIndex: item,
  };
  return {
    ...{
      ...place,
      variant: null,
      arm: null,
      parent: null,
      item: `["s","r${item}"]`,
      itemHash: null,
      conversation: `${item}.${replicate}`,
    },
    ...{ scenarioHash: "h", status: "completed", turns: [], outcomes: new Map([["ok", ok]]) },
  };
}
