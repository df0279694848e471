import { expect, test } from "vitest";
import { z } from "zod";
import { END, question } from "../../../core/scenario/definition.ts";
import { Scenario } from "../../../core/scenario/scenario.ts";
import { minimumDetectableDifference } from "../../../core/statistics/noise.ts";
import { template } from "../../../core/templates/template.ts";
import { verified } from "../../../core/templates/verified.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import type { JudgeOption, RunOptions, SubjectOption } from "../../../engine/run/run-options.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { judgeReportText } from "../text/statistics-text.ts";
import { assumptionsOf, detectionPlans } from "./detection.ts";
import { judgeReport, readLabels } from "./judge-agreement.ts";

test("labels are read from CSV, and a mistake is named with its line", () => {
  const text =
    '\uFEFFconversation,turn,field,value\r\nc1,1,verify_result,TRUE\n\n"c""2",2,city,"Wagga, Wagga"\nc3,3,n,4.5\nc4,1,city,\n';
  expect(
    readLabels(text, "l.csv").map(({ conversation, turn, field, value }) => [
      conversation,
      turn,
      field,
      value,
    ]),
  ).toEqual([
    ["c1", 1, "verify_result", true],
    ['c"2', 2, "city", "Wagga, Wagga"],
    ["c3", 3, "n", 4.5],
    ["c4", 1, "city", null],
  ]);
  expect(readLabels("conversation,turn,field,value\n\nc1,1,x,1\n", "l.csv")[0]?.line).toBe(3);
  expect(() => readLabels("conversation,turn,value\n", "l.csv")).toThrow(
    "l.csv:1: The first line must name the columns conversation, turn, field, value; field is missing.",
  );
  expect(() => readLabels("conversation,turn,field,value\nc,0,x,1\n", "l.csv")).toThrow(
    'l.csv:2: The turn must be a whole number from 1, not "0".',
  );
  expect(() => readLabels("conversation,turn,field,value\n,1,x,1\n", "l.csv")).toThrow(
    "l.csv:2: A label needs",
  );
  expect(() => readLabels('conversation,turn,field,value\n"c,1,x,1\n', "l.csv")).toThrow(
    "cannot be read as CSV",
  );
  expect(() => readLabels("", "l.csv")).toThrow("l.csv:1");
});

const STORE = memoryStore();

const MIXED = (messages: readonly object[]): string =>
  Number(/\d/.exec(JSON.stringify(messages.at(-1)))?.[0]) % 3 === 0 ? "Sydney." : "Canberra.";

/** Nine questions; every third reply is wrong. */
async function hold(run = "r", subjects: RunOptions["subjects"] = MIXED): Promise<void> {
  if (STORE.run(run) !== undefined) return;
  const city = { type: "aliases", values: { Canberra: [], Sydney: [] } } as const;
  const scenarios = Array.from({ length: 9 }, (_, i) =>
    new Scenario(`s${i}`)
      .addNode("ask", {
        question: question({
          question: `Capital of Australia? ${i}`,
          rawAnswer: "Canberra",
          template: template({
            city: verified(z.string(), { description: "the city", truth: "Canberra", extract: city }),
          }),
        }),
      })
      .addEdge("ask", END)
      .setEntry("ask")
      .addOutcome("right", {
        type: "turn_check",
        scope: { type: "first_turn" },
        field: "verify_result",
        expected: true,
      })
      .addRate("never", { of: "right", given: { not: "right" } })
      .validate(),
  );
  await runScenarios({ scenarios, subjects, store: STORE, run, replicates: 2 }).results;
}

test("a judge is compared with persons, and rates are corrected for its errors", async () => {
  await hold();
  const conversations = [...STORE.scores("r", { turns: true })];
  // The person disagrees with one verdict of each kind.
  const labels = conversations.map(({ conversation, turns }, i) => {
    const judged = turns[0]?.verdict === "pass";
    return { conversation, turn: 1, field: "verify_result", value: i < 2 ? !judged : judged };
  });
  const report = judgeReport(STORE, "r", [
    ...labels,
    { conversation: conversations[0]?.conversation ?? "", turn: 1, field: "city", value: "sydney" },
  ]);
  expect(report.judges).toBeNull();
  expect(report.panel).toEqual([]);
  expect(report.fields.map(({ field, n, agreed }) => [field, n, agreed])).toEqual([
    ["verify_result", 18, 16],
    ["city", 1, 1],
  ]);
  const [rate] = report.corrected;
  expect(rate).toMatchObject({ n: 18, raw: 12 / 18 });
  expect(rate?.corrected).not.toBeNull();
  const text = judgeReportText(report, { style: PLAIN_STYLE, width: 80 });
  expect(text).toContain("verify_result: 88.9 % equal");
  expect(text).not.toMatch(/NaN|undefined/);
});

test("a rate of turns that all came out the same gets no surer by knowing the errors of the judge", async () => {
  await hold("two", [
    { model: MIXED, name: "mixed" },
    { model: () => "Canberra.", name: "right" },
  ]);
  const labels = [...STORE.scores("two", { turns: true })].map(({ conversation, turns }, i) => {
    const judged = turns[0]?.verdict === "pass";
    return { conversation, turn: 1, field: "verify_result", value: i % 6 === 0 ? !judged : judged };
  });
  const { corrected } = judgeReport(STORE, "two", labels);
  const { raw, rawInterval, interval } = corrected.find(({ subject }) => subject === "right") ?? {};
  expect(raw).toBe(1);
  expect(interval?.low).toBeLessThanOrEqual(rawInterval?.low ?? 0);
});

/**
 * Two subjects, right in 80 % and 60 % of 100 rows, and two judges: `careful` misses 10 % of the right replies and 20 % of the wrong ones,
 * `lenient` no right one and 50 % of the wrong ones. Politeness is read with the same errors.
 */
async function holdTwoJudges(): Promise<Store> {
  const store = memoryStore();
  const asked = new Scenario("two")
    .addNode("ask", {
      question: question({
        question: "Number {{ row.n }}?",
        rawAnswer: "",
        template: template({ right: verified(z.boolean(), { description: "is it right", truth: true }) }),
        rubric: { traits: [{ type: "llm", kind: "boolean", name: "polite", description: "is it polite" }] },
      }),
    })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();
  const subject = (name: string, right: number): SubjectOption => ({
    name,
    model: (messages) => {
      const n = Number(/Number (\d+)/.exec(JSON.stringify(messages))?.[1]);
      return `case ${n} ${n % 10 < right}`;
    },
  });
  const judge = (name: string, misread: (tens: number, isRight: boolean) => boolean): JudgeOption => ({
    name,
    model: (messages) => {
      const [, n, said] = /case (\d+) (true|false)/.exec(JSON.stringify(messages)) ?? [];
      const value = (said === "true") !== misread(Math.floor(Number(n) / 10), said === "true");
      return JSON.stringify({ fields: { right: value }, traits: { polite: value } });
    },
  });
  await runScenarios({
    scenarios: asked,
    rows: Array.from({ length: 100 }, (_, n) => ({ n })),
    subjects: [subject("strong", 8), subject("weak", 6)],
    judge: [
      judge("careful", (tens, isRight) => (isRight ? tens === 0 : tens < 2)),
      judge("lenient", (tens, isRight) => !isRight && tens < 5),
    ],
    store,
    run: "r",
  }).results;
  return store;
}

test("rates are corrected for the errors of each judge alone, for verdicts, boolean fields and boolean traits", async () => {
  const store = await holdTwoJudges();
  const labels = [...store.scores("r")].flatMap(({ conversation, subject, rowIndex }) =>
    ["verify_result", "right", "polite"].map((field) => ({
      ...{ conversation, turn: 1, field },
      value: (rowIndex ?? 0) % 10 < (subject === "strong" ? 8 : 6),
    })),
  );
  const report = judgeReport(store, "r", labels);
  // By hand: 0.8 × 0.9 + 0.2 × 0.2 = 0.76, and (0.76 + 0.8 − 1)/(0.9 + 0.8 − 1) = 0.8.
  const expected = [
    ["careful", "strong", 0.76, 0.8],
    ["careful", "weak", 0.62, 0.6],
    ["lenient", "strong", 0.9, 0.8],
    ["lenient", "weak", 0.8, 0.6],
  ];
  for (const name of ["verify_result", "right", "rubric.polite"]) {
    const own = report.corrected.filter(({ field }) => field === name);
    expect(own.map(({ judge, subject }) => [judge, subject])).toEqual(expected.map((one) => one.slice(0, 2)));
    for (const [i, { raw, corrected, n }] of own.entries()) {
      expect(n).toBe(100);
      expect(raw).toBeCloseTo(expected[i]?.[2] as number, 12);
      expect(corrected).toBeCloseTo(expected[i]?.[3] as number, 12);
    }
  }
  expect(report.fields.map(({ judge, field, n, agreed }) => [judge, field, n, agreed])).toEqual([
    ...["verify_result", "right", "rubric.polite"].map((field) => ["careful", field, 200, 174]),
    ...["verify_result", "right", "rubric.polite"].map((field) => ["lenient", field, 200, 170]),
  ]);
  const text = judgeReportText(report, { style: PLAIN_STYLE, width: 100 });
  expect(text).toContain("rubric.polite, judge careful: 87.0 % equal");
  expect(text).toContain("strong, judge lenient: 90.0 % (95 %");
  // Labels of one judge say nothing about another.
  const careful = judgeReport(store, "r", labels, { judge: "careful" });
  expect(careful.corrected).toEqual(report.corrected.filter(({ judge }) => judge === "careful"));
  expect(careful.fields).toEqual(report.fields.filter(({ judge }) => judge === "careful"));
  expect(careful.judges).toBeNull();
  // The errors on replies of one subject are used with `--subject`.
  expect(judgeReport(store, "r", labels, { subject: "weak" }).fields[0]).toMatchObject({ n: 100 });
});

test("a label for a turn that never was counts nowhere, and no labels are said in words", async () => {
  await hold();
  const [{ conversation } = { conversation: "" }] = [...STORE.scores("r")];
  expect(
    judgeReport(STORE, "r", [{ conversation, turn: 9, field: "verify_result", value: true }]).fields,
  ).toEqual([]);
  expect(judgeReportText(judgeReport(STORE, "r", []), { style: PLAIN_STYLE, width: 80 })).toContain(
    "no labels by persons",
  );
});

test("a plan takes rate and variance from a run, and its items detect what was asked", async () => {
  await hold();
  const { outcome, assumptions } = assumptionsOf(STORE, "r", "right");
  expect([outcome, assumptions.rate, assumptions.icc]).toEqual(["right", 2 / 3, 1]);
  const given = { rate: 0.7, icc: 0.6, correlation: 0.5, power: 0.8 };
  for (const { replicates, items } of detectionPlans(0.05, given)) {
    const plan = { p: 0.7, replicates, icc: 0.6, power: 0.8, alpha: 0.05, correlation: 0.5 };
    expect(minimumDetectableDifference({ ...plan, items: items ?? 0 })).toBeLessThanOrEqual(0.05 + 1e-12);
    expect(minimumDetectableDifference({ ...plan, items: (items ?? 0) - 1 })).toBeGreaterThan(0.05);
  }
  // A rate with a condition is planned with the conversations that meet it, here with none that is right.
  expect(assumptionsOf(STORE, "r").outcome).toBe("never");
  expect(assumptionsOf(STORE, "r").assumptions).not.toHaveProperty("rate");
  expect(() => assumptionsOf(STORE, "r", "wright")).toThrow('Did you mean "right"?');
});
