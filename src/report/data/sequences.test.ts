import { expect, test } from "vitest";
import type { ConversationScore } from "../../journal/store/store.ts";
import type { TurnVerdict } from "../../journal/turn.ts";
import { PLAIN_STYLE } from "../../terminal/terminal.ts";
import { survivalSvg } from "../graph/survival-svg.ts";
import { curveText, sequencesText } from "../text/sequences-text.ts";
import { noise, noiseAdvice } from "./noise.ts";
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
    },
    ...{ variant: null, arm: null, parent: null, item: `["s","r${row}"]`, scenarioHash: "h", status },
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
  expect(survivalSvg({ subjects: [], logRank: null })).not.toMatch(/NaN|Infinity/);
});

test("noise is split between items and replicates, and the advice follows from it", () => {
  const make = (values: readonly (readonly boolean[])[]): readonly ConversationScore[] =>
    values.flatMap((own, row) =>
      own.map((ok, i) => ({ ...scoreOf("a", row, "R"), replicate: i + 1, outcomes: new Map([["ok", ok]]) })),
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
  expect(apart && noiseAdvice(apart)).toMatch(
    /^most would help twice as many items \(29 % narrower\); twice as many replicates \(0 %/,
  );
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
  const [single] = noise(make([[true], [false]]), FACTS);
  expect(single && noiseAdvice(single)).toContain("--replicates 3");
});
