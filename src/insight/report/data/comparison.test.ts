import { expect, test } from "vitest";
import { holm, mcnemarExact, newcombePaired, pairedDifference } from "../../../apps/public/statistics.ts";
import { seededRandom } from "../../../core/statistics/resampling.ts";
import type { OutcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { ConversationScore } from "../../../engine/journal/store/store.ts";
import { sentence } from "../text/comparison-text.ts";
import { type CompareOptions, type Comparison, compareAll, type Side } from "./compare-sides.ts";
import type { ComparisonLine } from "./comparison.ts";
import type { RunFacts } from "./run-facts.ts";

const FACTS: RunFacts = { outcomes: [], rates: new Map(), scenarios: new Map() };

type Given = Partial<Omit<ConversationScore, "outcomes">> & {
  readonly outcomes: Readonly<Record<string, OutcomeScore>>;
};

function score({ outcomes, ...given }: Given): ConversationScore {
  const { scenario = "s", row = null } = given;
  const place = {
    index: 0,
    scenario,
    subject: "m",
    judge: "j",
    replicate: 1,
    row,
    rowIndex: null,
    rowName: null,
    variant: null,
    arm: null,
    parent: null,
  };
  const item = JSON.stringify([scenario, row]);
  const conversation = `${row}.${given.replicate ?? 1}`;
  return {
    ...place,
    item,
    conversation,
    scenarioHash: "h",
    itemHash: null,
    status: "completed",
    turns: [],
    ...given,
    outcomes: new Map(Object.entries(outcomes)),
  };
}

function side(label: string, scores: readonly ConversationScore[], facts: RunFacts = FACTS): Side {
  return { label, scores: () => scores, facts, judges: 1 };
}

function compared(
  a: readonly ConversationScore[],
  b: readonly ConversationScore[],
  options: CompareOptions = {},
  facts = FACTS,
): Comparison {
  return compareAll([[side("old", a, facts), side("new", b, facts)]], options)[0] as Comparison;
}

const rows = (values: readonly OutcomeScore[], replicates = 1): readonly ConversationScore[] =>
  values.map((ok, i) =>
    score({ row: `r${Math.floor(i / replicates)}`, replicate: (i % replicates) + 1, outcomes: { ok } }),
  );

test("one conversation per item: exact test and Newcombe's interval, with the pairs that differ", () => {
  const a = [true, true, false, false, false, false, true, false];
  const b = [true, true, true, true, true, false, false, true];
  const { lines } = compared(rows(a), rows(b));
  expect(lines[0]).toMatchObject({
    ...{ name: "ok", a: 3 / 8, b: 6 / 8, method: "mcnemar", pairs: 8, items: 8 },
    p: mcnemarExact(4, 1).p,
    onlyA: [{ a: "r6.1", b: "r6.1" }],
  });
  const { difference, low, high } = newcombePaired(2, 4, 1, 1) ?? {};
  expect(lines[0]?.difference).toBe(difference);
  expect(lines[0]?.interval).toEqual({ low, high });
  expect(lines[0]?.onlyB.length).toBe(4);
});

test("replicates: the cluster-robust paired difference", () => {
  const a = [true, false, false, false, true, true, false, false];
  const b = [true, true, true, false, true, true, false, true];
  const { lines } = compared(rows(a, 2), rows(b, 2));
  const expected = pairedDifference(b.map(Number), a.map(Number), [0, 0, 1, 1, 2, 2, 3, 3]);
  expect(lines[0]).toMatchObject({ method: "clustered", items: 4, replicates: { least: 2, most: 2 } });
  expect(lines[0]?.difference).toBeCloseTo(expected?.difference ?? 9, 12);
  expect(lines[0]?.p).toBeCloseTo(expected?.p ?? 9, 9);
  expect(lines[0]?.interval?.low).toBeCloseTo(expected?.low ?? 9, 9);
});

test("a condition may hold on one side only; what is open or failed is counted", () => {
  const facts: RunFacts = { ...FACTS, rates: new Map([["kept", { of: "ok", given: "knew" }]]) };
  const make = (entries: readonly (readonly [OutcomeScore, OutcomeScore])[]): readonly ConversationScore[] =>
    entries.map(([ok, knew], i) => score({ row: `r${i}`, outcomes: { ok, knew } }));
  const a = make([
    [true, true],
    [false, false],
    [false, true],
    ["inconclusive", true],
    [true, true],
  ]);
  const b = make([
    [true, true],
    [true, true],
    [true, true],
    [true, true],
    ["error", true],
  ]);
  const { lines } = compared(a, b, { names: ["kept"] }, facts);
  expect(lines[0]).toMatchObject({
    a: 0.5,
    b: 1,
    pairs: 3,
    left: { inconclusive: 1, errors: 1, notApplicable: 0 },
  });
});

test("a rate that is 100 % on both sides does not differ, whatever its condition leaves out", () => {
  const facts: RunFacts = { ...FACTS, rates: new Map([["kept", { of: "ok", given: "knew" }]]) };
  const side = (knows: (row: number) => boolean): readonly ConversationScore[] =>
    Array.from({ length: 12 }, (_, i) => score({ row: `r${i}`, outcomes: { ok: true, knew: knows(i) } }));
  const lineOf = (a: number, b: number): ComparisonLine | undefined =>
    compared(
      side((row) => row < a),
      side((row) => row >= b),
      { names: ["kept"] },
      facts,
    ).lines[0];
  // Two items count on both sides, ten on one.
  expect(lineOf(4, 2)).toMatchObject({ a: 1, b: 1, difference: 0, p: 1, pairs: 12 });
  const { low = 1, high = -1 } = lineOf(4, 2)?.interval ?? {};
  expect(low < 0 && high > 0).toBe(true);
  expect(lineOf(4, 4)).toMatchObject({ difference: 0, p: null, interval: null });
});

test("p-values are adjusted over all lines of all comparisons", () => {
  const many = (seed: number): readonly ConversationScore[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 40 }, (_, i) =>
      score({ row: `r${i}`, outcomes: { x: random() < 0.5, y: random() < 0.8 } }),
    );
  };
  const sides = [side("1", many(1)), side("2", many(2)), side("3", many(3))] as const;
  const all = compareAll([
    [sides[0], sides[1]],
    [sides[0], sides[2]],
  ]);
  const lines = all.flatMap((one) => one.lines);
  expect(lines.map(({ adjusted }) => adjusted)).toEqual(holm(lines.map(({ p }) => p)));
});

test("what cannot be paired is said, and other versions are left out unless wanted", () => {
  const a = [...rows([true, false, true]), score({ scenario: "gone", outcomes: { ok: true } })];
  const b = [...rows([true, true]), score({ row: "r1", replicate: 2, outcomes: { ok: true } })];
  expect(compared(a, b).unpaired.map(({ reason, count }) => [reason, count])).toEqual([
    ["row only in old", 1],
    ["scenario only in old", 1],
    ["variant, arm or replicate only in new", 1],
  ]);
  const changed = [
    ...rows([false]).map((one) => ({ ...one, scenarioHash: "other" })),
    score({ scenario: "same", outcomes: { ok: true } }),
  ];
  const before = [...rows([true]), score({ scenario: "same", outcomes: { ok: true } })];
  expect(compared(before, changed)).toMatchObject({
    pairs: 1,
    versions: [{ scenario: "s", a: "h", b: "other" }],
  });
  expect(compared(before, changed, { acrossVersions: true }).pairs).toBe(2);
  expect(() => compared(rows([true]), changed.slice(0, 1))).toThrow("--across-versions");
  const edited = rows([true, true]).map((one, i) => ({ ...one, itemHash: `${i}` }));
  const other = edited.map((one, i) => ({ ...one, itemHash: i === 0 ? "new" : one.itemHash }));
  expect(compared(edited, other)).toMatchObject({
    pairs: 1,
    unpaired: [{ reason: "the content of the row has changed", count: 1, examples: ["s row r0"] }],
  });
  expect(compared(edited, other, { acrossVersions: true }).pairs).toBe(2);
  expect(() => compared(rows([true]), [score({ scenario: "x", outcomes: { ok: true } })])).toThrow(
    "no conversation in common",
  );
  expect(() => compared(rows([true]), [])).toThrow("has no conversations");
});

test("all inconclusive, one item, and no noise at all are words and numbers, never NaN", () => {
  expect(compared(rows(["inconclusive"]), rows([true])).lines[0]).toMatchObject({
    a: null,
    difference: null,
    interval: null,
    p: null,
    reason: "no decided pairs",
  });
  expect(compared(rows([true, false], 2), rows([true, true], 2)).lines[0]).toMatchObject({
    difference: 0.5,
    interval: null,
    reason: "one item only",
  });
  const certain = compared(rows(Array(20).fill(false), 2), rows(Array(20).fill(true), 2)).lines[0];
  expect(certain?.p).toBeCloseTo(2 * 0.5 ** 10, 12);
  expect(certain?.interval?.low).toBeLessThan(0.9);
  expect(certain?.interval?.high).toBe(1);
});

/** Two subjects with the same true rate, on items that are easy or hard for both. */
function equalSides(
  random: () => number,
  items: number,
  replicates: number,
): readonly [readonly ConversationScore[], readonly ConversationScore[]] {
  const sides: [ConversationScore[], ConversationScore[]] = [[], []];
  for (let item = 0; item < items; item++) {
    const easiness = random();
    for (const one of sides) {
      const own = Math.min(1, Math.max(0, easiness + 0.3 * (random() - 0.5)));
      for (let replicate = 1; replicate <= replicates; replicate++)
        one.push(score({ row: `r${item}`, replicate, outcomes: { ok: random() < own } }));
    }
  }
  return sides;
}

test.each([
  [30, 1],
  [30, 5],
])("false alarms at equal rates stay below 6 %, and one-sided below 3 %: %i × %i", (items, replicates) => {
  const random = seededRandom(100 * items + replicates);
  const repetitions = 500;
  let alarms = 0;
  let worse = 0;
  for (let i = 0; i < repetitions; i++) {
    const [line] = compared(...equalSides(random, items, replicates)).lines;
    if ((line?.p ?? 1) < 0.05) alarms++;
    if ((line?.interval?.high ?? 1) < 0) worse++;
  }
  // 500 repetitions tell 5 % from 6 % with an error of 1 %: the long version is npm run coverage.
  expect(alarms / repetitions).toBeLessThan(0.08);
  expect(worse / repetitions).toBeLessThan(0.045);
});

test("the mean over groups compares the means of both sides, each group with the same weight", () => {
  const random = seededRandom(11);
  const facts: RunFacts = {
    ...FACTS,
    rates: new Map<string, object>([
      ["best", { of: "ok", percentile: 90 }],
      ["even", { of: "ok", average: { macro: "variant.by" } }],
    ]),
  };
  const make = (share: number): readonly ConversationScore[] =>
    Array.from({ length: 48 }, (_, i) =>
      score({
        row: `r${i % 12}`,
        replicate: 1 + Math.floor(i / 12),
        variant: { by: i % 12 < 3 ? "expert" : "friend" },
        outcomes: { ok: random() < share },
      }),
    );
  const [a, b] = [make(0.4), make(0.7)];
  const { lines } = compared(a, b, { by: ["variant.by"], average: "macro", names: ["best", "ok"] }, facts);
  for (const name of ["best", "ok"]) {
    const [one, other, macro] = lines.filter((line) => line.name === name);
    expect(macro?.group).toEqual({ "variant.by": "all (macro)" });
    for (const key of ["a", "b", "difference"] as const)
      expect(macro?.[key]).toBeCloseTo(((one?.[key] ?? 9) + (other?.[key] ?? 9)) / 2, 12);
  }
  const macro = lines.findLast(({ name }) => name === "ok");
  // From the definition: how much each item moves the mean of the two differences.
  const sums = new Map<string, number>();
  for (const level of ["expert", "friend"]) {
    const places = a.flatMap(({ variant }, i) => (variant?.by === level ? [i] : []));
    const gain = (i: number): number => Number(b[i]?.outcomes.get("ok")) - Number(a[i]?.outcomes.get("ok"));
    const centre = places.reduce((sum, i) => sum + gain(i), 0) / places.length;
    for (const i of places) {
      const item = a[i]?.item ?? "";
      sums.set(item, (sums.get(item) ?? 0) + (gain(i) - centre) / places.length / 2);
    }
  }
  const error = Math.sqrt((12 / 11) * [...sums.values()].reduce((sum, one) => sum + one * one, 0));
  const reach = 2.20098516009164 * error;
  expect(macro?.interval?.low).toBeCloseTo((macro?.difference ?? 9) - reach, 9);
  expect(macro).toMatchObject({ method: "clustered", pairs: 48, items: 12 });
  expect(lines.map(({ adjusted }) => adjusted)).toEqual(holm(lines.map(({ p }) => p)));
  // Declared, it needs no option.
  const [even] = compared(a, b, { names: ["even"] }, facts).lines;
  const { name: _, group: __, adjusted: ___, ...expected } = macro as ComparisonLine;
  expect(even).toMatchObject({ ...expected, group: {} });
  // Asked for: pooled.
  const micro = compared(a, b, { by: ["variant.by"], average: "micro", names: ["ok"] }, facts).lines.at(-1);
  const [whole] = compared(a, b, { names: ["ok"] }, facts).lines;
  expect(micro).toEqual({ ...whole, group: { "variant.by": "all (micro)" }, adjusted: micro?.adjusted });
});

test("words: a mean without any difference is not called too few items, and one point is a point", () => {
  const same = Array.from({ length: 8 }, (_, i) =>
    score({ row: `r${i >> 1}`, replicate: i, outcomes: { held: 3 } }),
  );
  const { lines, a, b } = compared(same, same);
  expect(sentence(lines[0] as ComparisonLine, { a, b })).toBe(
    "held: no difference can be told; no item differs (4 items).",
  );
  const many = Array.from({ length: 1200 }, (_, i) => score({ row: `r${i}`, outcomes: { ok: true } }));
  const equal = compared(many, many);
  expect(sentence(equal.lines[0] as ComparisonLine, equal)).toContain("under 1 point would be missed");
});

test("words, test and interval say the same, also where all items differ by the same amount", () => {
  for (const items of [2, 3, 4, 5, 6, 8, 12])
    for (const replicates of [1, 2])
      for (const lost of [0, 1, Math.ceil(items / 2), items - 1, items]) {
        const side = (isB: boolean): ConversationScore[] =>
          Array.from({ length: items * replicates }, (_, i) => {
            const isLost = isB && Math.floor(i / replicates) < lost;
            return score({
              row: `r${Math.floor(i / replicates)}`,
              replicate: i % replicates,
              outcomes: { ok: !isLost, held: isLost ? 2 : 3 },
            });
          });
        const { lines, a, b } = compared(side(false), side(true));
        for (const line of lines) {
          const words = sentence(line, { a, b });
          const { low, high } = line.interval ?? { low: 0, high: 0 };
          const excludesZero = low > 0 || high < 0;
          expect([words, words.includes("no difference can be told")]).toEqual([words, !excludesZero]);
          expect([words, (line.p ?? 1) < 0.05]).toEqual([words, excludesZero]);
          expect([words, line.interval === null || low < high]).toEqual([words, true]);
        }
      }
});
