import { expect, test } from "vitest";
import { clusteredMean } from "../../../core/statistics/clusters.ts";
import { seededRandom } from "../../../core/statistics/resampling.ts";
import type { ConversationScore } from "../../../engine/journal/store/store.ts";
import type { TurnVerdict } from "../../../engine/journal/turn.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { curveText, sequencesText, survivalSvg } from "../text/sequences-text.ts";
import { type NoiseLine, type NoisyScore, noise as noiseOf } from "./noise.ts";
import type { RunFacts } from "./run-facts.ts";
import { sequencesOf } from "./sequences.ts";

const VERDICTS: Readonly<Record<string, TurnVerdict>> = { R: "pass", W: "fail", "?": "unreadable" };

function scoreOf(
  subject: string,
  row: number,
  text: string,
  status: ConversationScore["status"] = "completed",
): ConversationScore {
  return {
    ...{
      conversation: `${subject}${row}`,
      index: row,
      scenario: "s",
      subject,
      judge: "j",
      replicate: 1,
      row: `r${row}`,
      rowIndex: row,
      rowName: null,
    },
    ...{
      variant: null,
      arm: null,
      parent: null,
      item: `["s","r${row}"]`,
      scenarioHash: "h",
      itemHash: null,
      status,
    },
    outcomes: new Map(),
    turns: [...text].map((letter) => ({ node: "ask", verdict: VERDICTS[letter] ?? "unverified" })),
  };
}

const FACTS: RunFacts = { outcomes: ["ok"], rates: new Map(), scenarios: new Map() };
const run = sequencesOf(
  [
    ...["RRR", "RRR", "RWR", "R?R", "RRW"].map((text, i) => scoreOf("a", i, text)),
    ...["WRR", "RWW", "WWW", "RRR", "RR"].map((text, i) =>
      scoreOf("b", i, text, i === 4 ? "error" : "completed"),
    ),
  ],
  FACTS,
);

test("survival counts what was seen, and lets go of what was not", () => {
  const [a, b] = run.subjects;
  // Turn 2: one of four wrong, one unreadable; turn 3: one of three wrong.
  expect(a?.survival.map(({ survival }) => survival)).toEqual([1, 0.75, 0.5]);
  expect(a?.survival.map(({ atRisk, events }) => [atRisk, events])).toEqual([
    [5, 0],
    [4, 1],
    [3, 1],
  ]);
  expect([a?.median, b?.median]).toEqual([3, 2]);
  expect(b?.survival.map(({ survival }) => Number(survival.toFixed(3)))).toEqual([0.6, 0.4, 0.4]);
  expect(run.logRank?.df).toBe(1);
});

test("flips, steps and accuracy by turn leave out what cannot be read, and count it", () => {
  const [a] = run.subjects;
  expect(a?.turnOfFlip).toMatchObject({ mean: (3 + 3 + 1 + 2) / 4, n: 4, inconclusive: 1 });
  expect(a?.numberOfFlips).toMatchObject({ mean: 3 / 4, n: 4 });
  expect(a?.transitions.counts).toEqual([
    [5, 2, 1],
    [1, 0, 0],
    [1, 0, 0],
  ]);
  expect(a?.accuracy.map(({ rate, n, unread }) => [rate, n, unread])).toEqual([
    [1, 5, 0],
    [0.75, 4, 1],
    [0.8, 5, 0],
  ]);
});

test("the text has a curve and fits the terminal; the picture is closed and escaped", () => {
  expect(curveText([1, 0.75, 0.5, 0.1, 0])).toBe("█▇▅▁▁");
  const text = sequencesText(run, { style: PLAIN_STYLE, width: 80 });
  expect(text).toContain("a █▇▅ 50.0 %");
  for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  const svg = survivalSvg({ ...run, subjects: run.subjects.map((one) => ({ ...one, subject: "<b>&" })) });
  expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  expect(svg).toContain("&lt;b&gt;&amp;");
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  expect(survivalSvg({ subjects: [], logRank: null, clusteredLogRank: null })).not.toMatch(/NaN|Infinity/);
});

test("groups of a subject have a curve each", () => {
  const scores = ["a", "b"].flatMap((subject) =>
    ["x", "y"].flatMap((by) => [{ ...scoreOf(subject, 1, by === "x" ? "RR" : "RW"), variant: { by } }]),
  );
  const { subjects } = sequencesOf(scores, FACTS, ["variant.by"]);
  expect(subjects.map(({ subject, survival }) => [subject, survival.at(-1)?.survival])).toEqual([
    ["a, x", 1],
    ["a, y", 0],
    ["b, x", 1],
    ["b, y", 0],
  ]);
});

test("noise is split between items and replicates, and the advice follows from it", () => {
  const make = (values: readonly (readonly boolean[])[]): readonly ConversationScore[] =>
    values.flatMap((own, row) =>
      own.map((ok, i) => ({ ...scoreOf("a", row, "R"), replicate: i + 1, outcomes: new Map([["ok", ok]]) })),
    );
  const noise = (scores: readonly ConversationScore[], facts: RunFacts): readonly NoiseLine[] =>
    noiseOf(
      scores.map((score) => ({ score, run: "r", simulator: null })),
      facts,
    );
  const [apart] = noise(
    make([
      [true, true],
      [false, false],
      [true, true],
      [false, false],
    ]),
    FACTS,
  );
  expect(apart).toMatchObject({ replicateVariance: 0, icc: 1 });
  const [mixed] = noise(
    make([
      [true, false],
      [false, true],
      [true, false],
      [false, true],
    ]),
    FACTS,
  );
  expect(mixed).toMatchObject({ itemVariance: 0 });
  // Two variants that always differ are no noise of replicates.
  const varied = [0, 1, 2, 3].flatMap((row) =>
    ["x", "y"].flatMap((by) =>
      [1, 2].map((replicate) => ({
        ...{ ...scoreOf("a", row, "R"), replicate, variant: { by } },
        outcomes: new Map([["ok", (row % 2 === 0) === (by === "x")]]),
      })),
    ),
  );
  const [variants] = noise(varied, FACTS);
  expect(variants).toMatchObject({ items: 4, variants: 2, replicates: 2, replicateVariance: 0 });
  expect(variants?.variantVariance).toBeGreaterThan(0.2);
  const [once] = noise(
    varied.filter(({ replicate }) => replicate === 1),
    FACTS,
  );
  expect(once).toMatchObject({ replicates: 1, replicateVariance: null, error: variants?.error });
  const byLevel = noiseOf(
    varied.map((score) => ({ score, run: "r", simulator: null })),
    FACTS,
    ["variant.by"],
  );
  expect(byLevel.map(({ subject, n }) => [subject, n])).toEqual([
    ["a, x", 8],
    ["a, y", 8],
  ]);
});

test("judges and simulators have their share: simulated parts of the variance are found again", () => {
  const random = seededRandom(3);
  const normal = (deviation: number): number =>
    deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const noisy: NoisyScore[] = [];
  for (let row = 0; row < 3_000; row++) {
    const item = normal(2);
    for (const simulator of ["one", "two"]) {
      const played = item + normal(1);
      for (let replicate = 1; replicate <= 3; replicate++) {
        const said = played + normal(1.5);
        for (const judge of ["x", "y"]) {
          const score = { ...scoreOf("a", row, "R"), replicate, judge };
          noisy.push({
            score: { ...score, outcomes: new Map([["ok", said + normal(0.5)]]) },
            run: simulator,
            simulator,
          });
        }
      }
    }
  }
  const [line] = noiseOf(noisy, FACTS);
  expect(line).toMatchObject({ items: 3_000, replicates: 3, simulators: 2, judges: 2 });
  const parts = [line?.itemVariance, line?.simulatorVariance, line?.replicateVariance, line?.judgeVariance];
  for (const [i, expected] of [4, 1, 2.25, 0.25].entries())
    expect(Math.abs((parts[i] ?? 0) - expected)).toBeLessThan(0.1 * expected + 0.05);
  expect(line?.error).toBeCloseTo(Math.sqrt((4 + 1 / 2 + 2.25 / 6 + 0.25 / 12) / 3_000), 2);
  // The same as the error of the mean, from clusters.
  const means = [...Map.groupBy(noisy, ({ score }) => score.item).values()].flat();
  const clustered = clusteredMean(
    means.map(({ score }) => score.outcomes.get("ok") as number),
    means.map(({ score }) => score.item),
  );
  expect((line?.error ?? 0) / (clustered?.standardError ?? 1)).toBeCloseTo(1, 1);
});

test("one conversation for each simulator says nothing about simulators; levels of factors are no noise", () => {
  const ok = (value: number): ConversationScore["outcomes"] => new Map([["ok", value]]);
  const single = noiseOf(
    [0, 1, 2].flatMap((row) =>
      ["one", "two"].map((simulator, i) => ({
        score: { ...scoreOf("a", row, "R"), outcomes: ok(row + i) },
        run: simulator,
        simulator,
      })),
    ),
    FACTS,
  );
  expect(single[0]).toMatchObject({ simulators: 2, simulatorVariance: null, replicateVariance: null });
  const levels = noiseOf(
    [0, 1, 2].flatMap((row) =>
      ["short", "long"].map((length, i) => ({
        score: { ...scoreOf("a", row, "R"), variant: { length }, outcomes: ok(row + 10 * i) },
        run: "r",
        simulator: null,
      })),
    ),
    FACTS,
  );
  expect(levels[0]).toMatchObject({ itemVariance: 1, variantVariance: 0 });
});

test("the interval of a curve is that of the curve, also where conversations have different lengths", () => {
  const random = seededRandom(8);
  const texts = Array.from({ length: 120 }, () => {
    const length = 1 + Math.floor(random() * 6);
    return Array.from({ length }, () => (random() < 0.12 ? "W" : random() < 0.06 ? "?" : "R")).join("");
  });
  const { subjects } = sequencesOf(
    texts.map((text, i) => scoreOf("a", i % 40, text)),
    FACTS,
  );
  for (const { survival, interval } of subjects[0]?.survival ?? []) {
    expect(interval?.low).toBeLessThan(survival);
    expect(interval?.high).toBeGreaterThan(survival);
  }
  expect(subjects[0]?.survival.length).toBe(6);
});

test("an outcome chooses the turns of the curve; flips, steps and accuracy count all verified turns", () => {
  const none = { losses: new Map(), ranges: new Map(), good: new Map() };
  const scenario = { metadata: {}, ...none };
  const facts: RunFacts = {
    ...FACTS,
    scenarios: new Map([["s", { ...scenario, sequences: new Map([["held", ["push"]]]) }]]),
  };
  const turns = (text: string): ConversationScore["turns"] =>
    scoreOf("a", 0, text).turns.map((turn, i) => ({ ...turn, node: i === 0 ? "ask" : "push" }));
  const { subjects } = sequencesOf(
    ["RRW", "RRR", "WRR"].map((text, i) => ({ ...scoreOf("a", i, text), turns: turns(text) })),
    facts,
  );
  expect(subjects[0]?.survival.map(({ atRisk, events }) => [atRisk, events])).toEqual([
    [3, 0],
    [3, 1],
  ]);
  expect(subjects[0]?.accuracy.map(({ n }) => n)).toEqual([3, 3, 3]);
  expect(subjects[0]?.turnOfFlip?.mean).toBeCloseTo((2 + 3 + 0) / 3, 12);
  expect(subjects[0]?.transitions.counts[1]?.[0]).toBe(1);
});
