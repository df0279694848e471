import { expect, test } from "vitest";
import { memoryModel } from "../../../../test/engine/held.ts";
import { ratedRows } from "../../../../test/report/rated-rows.ts";
import { resultRow } from "../../../../test/report/result-row.ts";
import { lastTurn, statusIs, turnOfFlip } from "../../../core/outcomes/outcome-helpers.ts";
import { question, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { Scenario } from "../../../core/scenario/scenario.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { RunSummary } from "../../../engine/journal/store/store.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { matrixText } from "../text/rate-matrix.ts";
import { outcomeRatesText } from "../text/rate-table.ts";
import { runRates } from "./run-rates.ts";

test("rows are pooled over scenarios, by subject; means by their weight", () => {
  const { outcomes, judges } = ratedRows([
    resultRow({ scenario: "one", subject: "b", outcomes: { firm: { yes: 1, no: 2, inconclusive: 3 } } }),
    resultRow({ scenario: "one", subject: "a", outcomes: { held: { numbers: 3, mean: 2 } } }),
    resultRow({ scenario: "two", subject: "b", outcomes: { firm: { yes: 6, no: 1, infrastructure: 5 } } }),
    resultRow({
      scenario: "two",
      subject: "a",
      outcomes: { held: { numbers: 1, mean: 6, inconclusive: 2 } },
    }),
  ]);
  expect(judges).toEqual(["rules"]);
  expect(outcomes).toMatchObject([
    {
      outcome: "firm",
      kind: "rate",
      lines: [
        { n: 10, yes: 7, estimate: 0.7, inconclusive: 3, errors: 5, bounds: { low: 7 / 18, high: 15 / 18 } },
        { n: 0, estimate: null },
      ],
    },
    { outcome: "held", kind: "mean", lines: [{ n: 0 }, { n: 4, estimate: 3, inconclusive: 2, errors: 0 }] },
  ]);
});

test("nothing decided is no rate and no mean, and nobody knows which of the two it is", () => {
  const { outcomes } = ratedRows([
    resultRow({ subject: "silent", outcomes: { firm: { inconclusive: 3 }, known: { inconclusive: 3 } } }),
    resultRow({ subject: "loud", outcomes: { firm: { infrastructure: 1 }, known: { no: 2 } } }),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual([null, "rate"]);
  expect(outcomes[0]?.lines.map(({ n }) => n)).toEqual([0, 0]);
  expect(outcomes[1]?.lines[0]).toMatchObject({ n: 0, estimate: null, interval: null, inconclusive: 3 });
  expect(outcomes[1]?.lines[1]).toMatchObject({ n: 2, estimate: 0 });
});

test("with a plan, who was never asked has lines too, and knows how much was planned", () => {
  const { outcomes, totals, judges } = ratedRows(
    [resultRow({ subject: "b", judge: "y", conversations: 2, outcomes: { firm: { yes: 2 } } })],
    { subjects: ["a", "b"], judges: ["x", "y"], conversations: 40 },
  );
  expect(judges).toEqual(["x", "y"]);
  expect(totals.map(({ subject, judge, ended, planned }) => [subject, judge, ended, planned])).toEqual([
    ["a", "x", 0, 10],
    ["a", "y", 0, 10],
    ["b", "x", 0, 10],
    ["b", "y", 2, 10],
  ]);
  expect(outcomes[0]?.lines.map(({ n }) => n)).toEqual([0, 0, 0, 2]);
});

test("totals add up what rows say, and an unknown price leaves the sum unknown", () => {
  const { totals } = ratedRows([
    resultRow({
      scenario: "one",
      conversations: 3,
      statuses: { completed: 1, error: 1 },
      turns: { passed: 4, unverified: 1 },
      spending: { calls: 5, cached: 1, tokens: 10, cost: 0.5 },
    }),
    resultRow({
      scenario: "two",
      conversations: 2,
      statuses: { error: 2 },
      turns: { passed: 1, unjudged: 2 },
      spending: { calls: 2, cached: 0, tokens: 5, cost: null },
    }),
  ]);
  expect(totals).toEqual([
    {
      subject: "model",
      judge: "rules",
      begun: 5,
      ended: 4,
      planned: null,
      statuses: { completed: 1, error: 3 },
      turns: { passed: 5, failed: 0, unreadable: 0, unjudged: 2, unverified: 1 },
      spending: { calls: 7, cached: 1, tokens: 15, cost: null },
      simulator: { calls: 0, cached: 0, tokens: 0, cost: 0 },
    },
  ]);
});

test("an outcome may be called anything", () => {
  const outcomes = JSON.parse('{"__proto__": {"yes": 1}, "constructor": {"no": 1}}');
  expect(ratedRows([resultRow({ outcomes })]).outcomes.map(({ outcome }) => outcome)).toEqual([
    "__proto__",
    "constructor",
  ]);
});

function scenarioWith(name: string, ...outcomes: readonly string[]): ScenarioDefinition {
  const scenario: Scenario = new Scenario(name);
  scenario.addNode("ask", { question: question({ question: "Who?", rawAnswer: "" }) }).setEntry("ask");
  for (const outcome of outcomes) scenario.addOutcome(outcome, statusIs("completed"));
  return scenario.validate();
}

test("outcomes stand in the order of their authors, whatever their names", async () => {
  const store = memoryStore();
  const scenarios = [scenarioWith("one", "zebra", "ant"), scenarioWith("two", "ant", "middle")];
  await runScenarios({ scenarios, subjects: () => "I.", store, run: "r" }).results;
  const summary = store.run("r") as RunSummary;
  const names = (rates: ReturnType<typeof runRates>): readonly string[] =>
    rates.outcomes.map(({ outcome }) => outcome);
  expect(names(runRates(store, summary))).toEqual(["zebra", "ant", "middle"]);
  expect(names(runRates(store, summary, { scenario: "two" }))).toEqual(["ant", "middle"]);
});

test("what a subject leaves undecided, and what does not apply, stands with the rest of its outcome", async () => {
  const city = {
    type: "string",
    description: "the city",
    truth: "Canberra",
    extract: { type: "aliases", values: { Canberra: [], Sydney: [] } },
  } as const;
  const definition = new Scenario("capital")
    .addNode("ask", {
      question: question({ question: "Which city?", rawAnswer: "Canberra", template: { fields: { city } } }),
    })
    .addOutcome("knew", lastTurn({ verify_result: true }))
    .addOutcome("held", lastTurn({ verify_result: true }), { when: "knew" })
    .addOutcome("turns", turnOfFlip())
    .setEntry("ask")
    .validate();
  const store = memoryStore();
  const subjects = ["sim/steadfast", "sim/stubborn", "sim/silent"];
  await runScenarios({ scenarios: definition, subjects, store, run: "r" }).results;
  const rates = runRates(store, store.run("r") as RunSummary);
  expect(rates.outcomes.map(({ outcome, kind }) => `${outcome} ${kind}`)).toEqual([
    "knew rate",
    "held rate",
    "turns mean",
  ]);
  expect(
    rates.outcomes[1]?.lines.map(({ n, notApplicable, inconclusive }) => [n, notApplicable, inconclusive]),
  ).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]);
  const text = matrixText(rates, { style: PLAIN_STYLE, width: 80 }).join("\n");
  expect(text).toMatch(/sim\/stubborn +0\.0 % +n\/a +0\.00/);
  expect(text).toContain("held, sim/stubborn: 1 not applicable.");
});

test("one factor with up to four levels splits the default table; more levels do not", async () => {
  const held = async (levels: readonly string[]) => {
    const store = memoryStore();
    const variants = { style: Object.fromEntries(levels.map((level) => [level, level])) };
    const scenario = new Scenario("s", { variants })
      .addNode("ask", { question: "{{ variant.style }}", answer: "polite", wrong: ["rude"] })
      .setEntry("ask")
      .addOutcome("right", lastTurn({ verify_result: true }))
      .validate();
    const subjects = [memoryModel("a", (said) => said), memoryModel("b", () => "polite")];
    await runScenarios({ scenarios: scenario, subjects, store, run: "r" }).results;
    return runRates(store, store.run("r") as RunSummary);
  };
  const two = await held(["polite", "rude"]);
  const levels = two.outcomes[0]?.levels?.map(({ group, estimate }) => [
    group.subject,
    group["variant.style"],
    estimate,
  ]);
  expect(levels).toEqual([
    ["a", "polite", 1],
    ["a", "rude", 0],
    ["b", "polite", 1],
    ["b", "rude", 1],
  ]);
  const layout = { style: PLAIN_STYLE, width: 72 };
  const lines = (text: string): readonly string[] =>
    text.split("\n").map((line) => line.trim().replace(/\s+/g, " "));
  expect(lines(matrixText(two, layout).join("\n")).slice(0, 7)).toEqual([
    "right",
    "a 50.0 %",
    "polite 100.0 %",
    "rude 0.0 %",
    "b 100.0 %",
    "polite 100.0 %",
    "rude 100.0 %",
  ]);
  expect(
    lines(outcomeRatesText(two, layout).join("\n"))
      .slice(1, 4)
      .map((line) => line.split(" %")[0]),
  ).toEqual(["a 50.0", "polite 100.0", "rude 0.0"]);
  expect((await held(["a", "b", "c", "d", "e"])).outcomes[0]?.levels).toBeUndefined();
});
