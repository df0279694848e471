import { expect, test } from "vitest";
import { chainOf, memoryModel } from "../../../../test/engine/held.ts";
import { END, question } from "../../../core/scenario/definition.ts";
import { Scenario } from "../../../core/scenario/scenario.ts";
import { template } from "../../../core/templates/template.ts";
import type { RunEvent } from "../../../engine/journal/run-event.ts";
import { type ErrorCategory, ModelError } from "../../../engine/models/model-error.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { stopIfAllFail } from "./run-ending.ts";

/** Holds 100 conversations, one at a time, whose calls fail as told; undefined answers. */
async function hold(
  failureOf: (call: number) => ErrorCategory | undefined,
): Promise<{ readonly asked: number; readonly givenUp: string | undefined; readonly ended: number }> {
  const subject = memoryModel("subject", (_message, call) => {
    const category = failureOf(call);
    if (category !== undefined) throw new ModelError(category, "It does not work.");
    return "yes";
  });
  const { run, trouble } = stopIfAllFail(
    runScenarios({
      allowUnread: true,
      scenarios: chainOf(1),
      subjects: subject,
      replicates: 100,
      concurrency: 1,
      retries: { connection: { retries: 0, baseMs: 1, capMs: 1 } },
      patienceMs: 0,
    }),
  );
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  const ended = events.filter(({ type }) => type === "conversation-end").length;
  return { asked: subject.asked.length, givenUp: trouble.givenUp?.category, ended };
}

test.each(["authentication", "connection"] as const)(
  "a run whose first ten conversations end with %s asks no more",
  async (category) => {
    const { asked, givenUp, ended } = await hold(() => category);
    expect(givenUp).toBe(category);
    // Some more have begun when the tenth is seen.
    expect(asked).toBeLessThan(50);
    expect(ended).toBe(100);
  },
);

test("one answer is hope enough", async () => {
  const { asked, givenUp } = await hold((call) => (call === 5 ? undefined : "authentication"));
  expect([asked, givenUp]).toEqual([100, undefined]);
});

test("what may pass is tried to the end", async () => {
  const { asked, givenUp } = await hold(() => "tool");
  expect([asked, givenUp]).toEqual([100, undefined]);
});

test.each<[string, string, boolean]>([
  ["no answer can be read", "Well.", true],
  ["one field of every answer cannot be read", '{"fields":{"city":"Canberra","people":"many"}}', false],
])("a judge of which %s", async (_, answer, isBroken) => {
  const fields = template({
    city: { type: "string", description: "the city", truth: "Canberra" },
    people: { type: "integer", description: "how many people live there", truth: 3 },
  });
  const scenario = new Scenario("cities")
    .addNode("ask", { question: question({ question: "?", rawAnswer: "", template: fields }) })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();
  const { run, trouble } = stopIfAllFail(
    runScenarios({
      scenarios: scenario,
      subjects: memoryModel("subject", () => "Canberra."),
      judge: memoryModel("judge", () => answer),
      replicates: 30,
      concurrency: 1,
    }),
  );
  let ended = 0;
  for await (const event of run)
    if (event.type === "conversation-end") ended += event.status === "completed" ? 1 : 0;
  expect([trouble.brokenJudge !== undefined, ended === 30]).toEqual([isBroken, !isBroken]);
});
