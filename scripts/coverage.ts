// Simulates subjects with known rates: how often do intervals cover, how wide are they, and how often do tests raise false alarms?
// npm run coverage [simulations of a cell]

import { passHatK } from "../src/core/statistics/many-tests.ts";
import { clopperPearson, type Interval } from "../src/core/statistics/proportions.ts";
import { seededRandom } from "../src/core/statistics/resampling.ts";
import type { ConversationScore } from "../src/engine/journal/store/store.ts";
import { compareAll } from "../src/insight/report/data/compare-sides.ts";
import { meanEstimate, UNIT } from "../src/insight/report/data/rate-line.ts";

/** What is estimated: a rate, the mean number of right turns of five, or the chance that all of up to three replicates pass. */
export const KINDS = ["rate", "count", "pass^k"] as const;
const ITEMS = [12, 30, 200];
const REPLICATES = [1, 3, 5];
const RATES = [0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97];
const CORRELATIONS = [0, 0.2, 0.5, 0.8, 0.95];
const TURNS = 5;

/** A cell of the grid. */
export interface Cell {
  readonly kind: (typeof KINDS)[number];
  readonly items: number;
  readonly replicates: number;
  /** The true value, as a share of the largest one. */
  readonly p: number;
  /** The correlation of the replicates of an item. */
  readonly icc: number;
}

/** The share of intervals that contain the truth, and their mean width. */
export interface Coverage {
  readonly covered: number;
  readonly width: number;
}

/** Simulates a cell: the totals of items are beta-binomial. */
export function simulate({ kind, items, replicates, p, icc }: Cell, simulations: number): Coverage {
  const random = seededRandom(1e9 * items + 1e8 * replicates + 1e4 * p + icc + KINDS.indexOf(kind));
  const k = Math.min(3, replicates);
  const mean = kind === "pass^k" ? solved((m) => moment(m, icc, k), p) : p;
  const labels = Array.from({ length: items * replicates }, (_, i) => `item ${Math.floor(i / replicates)}`);
  const most = kind === "count" ? TURNS : 1;
  const chances = cumulated(most * replicates, mean, icc);
  const known = new Map<string, Interval>();
  let [covered, width] = [0, 0];
  for (let i = 0; i < simulations; i++) {
    const values: number[] = [];
    const totals = new Uint16Array(chances.length);
    for (let item = 0; item < items; item++) {
      const drawn = random();
      const total = chances.findIndex((chance) => drawn < chance);
      totals[total] = (totals[total] as number) + 1;
      if (kind === "pass^k") values.push(passHatK(replicates, total, k) as number);
      // Which of the replicates passed does not matter.
      else for (let j = 0; j < replicates; j++) values.push(Math.max(0, Math.min(most, total - j * most)));
    }
    // Equal totals of items give equal intervals.
    const key = totals.join();
    const { low, high } = known.get(key) ?? intervalOf(kind, values, { labels, trials: replicates / k });
    if (items < 100) known.set(key, { low, high });
    if (low <= p && p <= high) covered++;
    width += high - low;
  }
  return { covered: covered / simulations, width: width / simulations };
}

/** The interval that a report would print, as shares of the largest value. */
function intervalOf(
  kind: Cell["kind"],
  values: readonly number[],
  { labels, trials }: { readonly labels: readonly string[]; readonly trials: number },
): Interval {
  const range = kind === "count" ? { low: 0, high: TURNS } : UNIT;
  const { interval } =
    kind === "pass^k" ? meanEstimate(values, null, range, trials) : meanEstimate(values, labels, range);
  if (interval === null) throw new Error("There is no interval.");
  return { low: interval.low / range.high, high: interval.high / range.high };
}

/** The expected width of the exact interval of as many independent conversations. */
export function exactWidth({ items, replicates, p }: Cell): number {
  const n = items * replicates;
  let width = 0;
  let weight = (1 - p) ** n;
  for (let yes = 0; yes <= n; yes++) {
    if (weight > 1e-9) {
      const { low, high } = clopperPearson(yes, n) as Interval;
      width += weight * (high - low);
    }
    weight *= ((n - yes) / (yes + 1)) * (p / (1 - p));
  }
  return width;
}

/** The chance that all of k replicates of an item pass. */
function moment(mean: number, icc: number, k: number): number {
  const size = icc === 0 ? Number.POSITIVE_INFINITY : (1 - icc) / icc;
  let product = 1;
  for (let i = 0; i < k; i++)
    product *= size === Number.POSITIVE_INFINITY ? mean : (mean * size + i) / (size + i);
  return product;
}

/** Where a growing function from 0 to 1 has a value. */
function solved(of: (x: number) => number, value: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (of(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The chances of at most 0, 1, … of n trials of an item, whose chance is drawn from a beta distribution. */
function cumulated(n: number, mean: number, icc: number): readonly number[] {
  const size = (1 - icc) / icc;
  // The chance of one more after so many that passed or failed; without correlation always the same.
  const next = (share: number, same: number, all: number): number =>
    icc === 0 ? share : (share * size + same) / (size + all);
  let weight = 1;
  for (let i = 0; i < n; i++) weight *= next(1 - mean, i, i);
  let sum = 0;
  return Array.from({ length: n + 1 }, (_, yes) => {
    sum += weight;
    const more = next(mean, yes, n - 1) / next(1 - mean, n - yes - 1, n - 1);
    weight *= ((n - yes) / (yes + 1)) * more;
    return yes === n ? 1 : sum;
  });
}

function printGrid(simulations: number): void {
  const all: (Cell & Coverage)[] = [];
  const ratios: (Cell & { readonly ratio: number })[] = [];
  for (const kind of KINDS)
    for (const items of ITEMS)
      for (const replicates of REPLICATES) {
        if (kind === "pass^k" && replicates === 1) continue;
        console.log(`\n${kind}, ${items} × ${replicates}: coverage in % by correlation; width at 0 ÷ exact`);
        console.log(`     p ${CORRELATIONS.map((icc) => icc.toFixed(2).padStart(7)).join("")}   width`);
        // Rates and counts of p and 1 − p are mirror images.
        for (const p of kind === "pass^k" ? RATES : RATES.filter((rate) => rate <= 0.5)) {
          const cells = CORRELATIONS.filter((icc) => icc === 0 || kind === "count" || replicates > 1).map(
            (icc) => {
              const cell = { kind, items, replicates, p, icc };
              return { ...cell, ...simulate(cell, items > 100 ? Math.ceil(simulations / 4) : simulations) };
            },
          );
          all.push(...cells);
          const ratio = (cells[0]?.width ?? 0) / exactWidth({ kind, items, replicates, p, icc: 0 });
          if (kind === "rate") ratios.push({ ...(cells[0] as Cell), ratio });
          const shown = cells.map(({ covered }) => (100 * covered).toFixed(1).padStart(7)).join("");
          console.log(
            `  ${p.toFixed(2)} ${shown.padEnd(35)}${kind === "rate" ? ratio.toFixed(2).padStart(8) : ""}`,
          );
        }
      }
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length;
  const nameOf = ({ kind, items, replicates, p, icc }: Cell): string =>
    `${kind}, ${items} × ${replicates}, p ${p}, correlation ${icc}`;
  console.log("");
  for (const kind of KINDS) {
    const own = all.filter((cell) => cell.kind === kind).sort((one, other) => one.covered - other.covered);
    const [least] = own as [Cell & Coverage];
    console.log(
      `${kind}: ${own.length} cells, coverage ${(100 * mean(own.map(({ covered }) => covered))).toFixed(1)} % on average, at least ${(100 * least.covered).toFixed(1)} % (${nameOf(least)})`,
    );
  }
  const covered = mean(all.map((cell) => cell.covered));
  const [widest] = ratios.sort((one, other) => other.ratio - one.ratio) as [(typeof ratios)[number]];
  console.log(`all: ${all.length} cells, coverage ${(100 * covered).toFixed(1)} % on average`);
  console.log(
    `width of rates without correlation ÷ exact binomial: ${mean(ratios.map(({ ratio }) => ratio)).toFixed(2)} on average, at most ${widest.ratio.toFixed(2)} (${nameOf(widest)}), above 1.25 in ${ratios.filter(({ ratio }) => ratio > 1.25).length} of ${ratios.length} cells`,
  );
}

/** How often `compare` finds a difference between two equal subjects. */
function printAlarms(repetitions: number): void {
  console.log("");
  for (const [items, replicates] of [
    [30, 1],
    [30, 10],
    [200, 3],
  ] as const) {
    const random = seededRandom(1000 * items + replicates);
    let [alarms, gate] = [0, 0];
    for (let i = 0; i < repetitions; i++) {
      const sides: [ConversationScore[], ConversationScore[]] = [[], []];
      for (let item = 0; item < items; item++) {
        const chance = 0.3 + 0.7 * random();
        for (const side of sides)
          for (let replicate = 1; replicate <= replicates; replicate++)
            side.push(score(item, replicate, random() < chance));
      }
      const facts = { outcomes: ["ok"], rates: new Map(), scenarios: new Map() };
      const [a, b] = sides.map((scores) => ({ label: "m", scores: () => scores, facts, judges: 1 }));
      if (a === undefined || b === undefined) continue;
      const line = compareAll([[a, b]])[0]?.lines[0];
      if ((line?.adjusted ?? 1) < 0.05) alarms++;
      if ((line?.interval?.high ?? 1) < 0) gate++;
    }
    const percent = (count: number): string => `${((100 * count) / repetitions).toFixed(1)} %`;
    console.log(
      `${items} × ${replicates}: false alarms of compare ${percent(alarms)}, of the gate ${percent(gate)} (${repetitions} repetitions)`,
    );
  }
}

function score(item: number, replicate: number, ok: boolean): ConversationScore {
  const place = {
    index: 0,
    scenario: "s",
    subject: "m",
    judge: "j",
    replicate,
    row: `r${item}`,
    rowName: null,
    rowIndex: item,
  };
  return {
    ...place,
    ...{
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

if (import.meta.main) {
  const simulations = Number(process.argv[2] ?? 10_000);
  printGrid(simulations);
  printAlarms(Math.ceil(simulations / 10));
}
