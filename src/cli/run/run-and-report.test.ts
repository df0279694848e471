import { expect, test } from "vitest";
import { CapturedOutput } from "../../../test/captured-terminal.ts";
import { statusIs } from "../../core/outcomes/outcome-helpers.ts";
import { question, type ScenarioDefinition } from "../../core/scenario/definition.ts";
import { Scenario } from "../../core/scenario/scenario.ts";
import { thresholdsOf, usableThresholds } from "./run-and-report.ts";

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
