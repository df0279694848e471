import { expect, test } from "vitest";
import { CapturedOutput } from "../../../../test/captured-terminal.ts";
import { statusIs } from "../../../core/outcomes/outcome-helpers.ts";
import { question, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { Scenario } from "../../../core/scenario/scenario.ts";
import type { RunSummary } from "../../../engine/journal/store/store.ts";
import { type RunEnding, reportEnding } from "./run-ending.ts";
import { thresholdsOf, usableThresholds } from "./thresholds.ts";

function scenarioWith(outcome: string): ScenarioDefinition {
  return new Scenario(`about ${outcome}`)
    .addNode("ask", { question: question({ question: "Who?", rawAnswer: "" }) })
    .addOutcome(outcome, statusIs("completed"))
    .setEntry("ask")
    .validate();
}

const held = scenarioWith("held_firm");
const repaired = scenarioWith("repaired");
const all = async (): Promise<readonly ScenarioDefinition[]> => [held, repaired];

test("thresholds of settings, by rate or by the lower bound", () => {
  expect(thresholdsOf({ failUnder: { held_firm: "90%", repaired: "0.5:lower" } })).toEqual([
    { outcome: "held_firm", minimum: 0.9, by: "rate" },
    { outcome: "repaired", minimum: 0.5, by: "lower" },
  ]);
});

test("an outcome that no scenario has is refused, with the nearest that one has", async () => {
  const settings = { failUnder: { held_frm: "0.9" } };
  await expect(usableThresholds(settings, { chosen: [held], all }, new CapturedOutput())).rejects.toThrow(
    'A threshold is set for the outcome "held_frm", which no scenario has. Did you mean "held_firm"?',
  );
});

test("a threshold whose scenarios are not chosen is left out, and that is said", async () => {
  const messages = new CapturedOutput();
  const settings = { failUnder: { held_firm: "0.9", repaired: "0.5" } };
  const usable = await usableThresholds(settings, { chosen: [held], all }, messages);
  expect(usable.map(({ outcome }) => outcome)).toEqual(["held_firm"]);
  expect(messages.text).toBe(
    "The threshold of repaired is left out: none of the chosen scenarios has this outcome.\n",
  );
});

interface Ending {
  readonly code: number;
  readonly text: string;
}

/** How a run of 20 conversations ended in which all that was tried now failed. */
function givenUpWith(statuses: RunSummary["statuses"], unreadable = 0): Ending {
  const messages = new CapturedOutput();
  const failure = { category: "authentication", stage: "subject", message: "The key is wrong." } as const;
  const summary = {
    run: "monday",
    parent: null,
    start: { conversations: 20, judges: ["rules"], configuration: {} },
    statuses,
    judges: [],
    unjudged: 0,
    unreadable,
  };
  const ending: RunEnding = {
    // Only these parts are read.
    summary: summary as unknown as RunSummary,
    interrupted: false,
    givenUp: failure,
    brokenJudge: undefined,
    unreadableStored: 0,
    firstFailure: failure,
    quiet: false,
  };
  return { code: reportEnding(ending, messages), text: messages.text };
}

test("a run in which nothing works is an error; one of which some is done is one only if something is left", () => {
  const nothing = givenUpWith({ error: 10, cancelled: 10 });
  expect(nothing.code).toBe(2);
  expect(nothing.text).toContain("error: 10 of 20 conversations ended in an error, so the run was stopped.");
  const left = givenUpWith({ completed: 5, error: 10, cancelled: 5 });
  expect(left.code).toBe(2);
  expect(left.text).toContain("so the run was stopped.");
  // The rest was tried again and failed again: nothing is left, and the results are those of a run with errors.
  const retried = givenUpWith({ completed: 12, error: 8 });
  expect(retried.code).toBe(0);
  expect(retried.text).toBe(
    "8 conversations ended in an error. Try again: elenchus resume monday --retry-errors\n",
  );
  const most = givenUpWith({ completed: 8, error: 12 });
  expect(most.code).toBe(2);
  expect(most.text).toContain("error: 12 of 20 conversations ended in an error.");
});

test("answers of the judge that could not be read are asked for again with a flag, which is said", () => {
  expect(givenUpWith({ completed: 20 }, 3)).toEqual({
    code: 0,
    text: "3 conversations had unreadable answers of the judge. Try again: elenchus resume monday --retry-unreadable\n",
  });
  expect(givenUpWith({ completed: 20 }).text).toBe("");
});
