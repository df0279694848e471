import { expect, test } from "vitest";
import { END, question } from "../../src/core/scenario/definition.ts";
import { Scenario } from "../../src/core/scenario/scenario.ts";
import { template } from "../../src/core/templates/template.ts";
import { memoryStore } from "../../src/engine/journal/store/memory-store.ts";
import type { RunOptions } from "../../src/engine/run/run-options.ts";
import { resumeRun, runScenarios } from "../../src/engine/run/run-scenarios.ts";
import { held, memoryModel, only } from "./held.ts";

/** Two fields: a letter, which a rule reads if it can, and a city, which only a judge can read. */
const FIELDS = template({
  letter: {
    type: "string",
    description: "the letter",
    truth: "B",
    extract: { type: "letter", options: ["A", "B", "C"] },
  },
  city: { type: "string", description: "the city", truth: "Canberra" },
});
const LETTER = template({
  letter: {
    type: "string",
    description: "the letter",
    truth: "B",
    extract: { type: "letter", options: ["A", "B", "C"] },
  },
});

const scenario = (fields: typeof FIELDS | typeof LETTER) =>
  new Scenario("letters")
    .addNode("ask", { question: question({ question: "Which?", rawAnswer: "B", template: fields }) })
    .addNode("then", { question: question({ question: "Good.", rawAnswer: "" }) })
    .addEdge("ask", "then", { when: { verify_result: true } })
    .addEdge("ask", END)
    .addEdge("then", END)
    .setEntry("ask")
    .validate();

const judge = () => memoryModel("judge", (asked) => JSON.stringify({ fields: answersTo(asked) }));

function answersTo(_asked: string): Readonly<Record<string, string>> {
  return { letter: "B", city: "Canberra" };
}

async function read(fields: typeof FIELDS | typeof LETTER, reply: string, options: Partial<RunOptions> = {}) {
  const model = judge();
  const { events, results } = await held({
    scenarios: scenario(fields),
    subjects: memoryModel("subject", () => reply),
    judge: model,
    ...options,
  });
  const [first] = results;
  const starts = only(events, "call-start").filter(({ purpose }) => purpose === "judge");
  return {
    asked: model.asked.length,
    parsed: first?.turns[0]?.parsed,
    path: first?.path,
    unreadByRules: first?.turns[0]?.unreadByRules,
    settings: only(events, "conversation-start")[0]?.settings,
    identities: starts.map(({ identity }) => identity),
  };
}

test("what rules read is not asked, and the conversation does not wait for the judge", async () => {
  expect(await read(LETTER, "B")).toMatchObject({ asked: 0, parsed: { letter: "B" }, path: ["ask", "then"] });
});

test.each(["Hm.", "(A) or (B)?"])("the judge reads what a rule leaves unread: %s", async (reply) => {
  const { asked, parsed, path, settings, unreadByRules } = await read(LETTER, reply);
  expect(unreadByRules).toEqual(["letter"]);
  expect({ asked, parsed, path }).toEqual({ asked: 1, parsed: { letter: "B" }, path: ["ask", "then"] });
  expect(settings?.reading).toBe("rules-then-judge");
  expect(await read(LETTER, reply, { reading: "rules" })).toMatchObject({
    asked: 0,
    parsed: { letter: null },
  });
});

test("only the fields that are unread are asked for", async () => {
  const both = await read(FIELDS, "B");
  const onlyRules = await read(FIELDS, "B", { reading: "rules" });
  const onlyJudge = await read(FIELDS, "B", { reading: "judge" });
  // The rule found the letter, so that the request is the one that a run with rules makes.
  expect(both.identities).toEqual(onlyRules.identities);
  expect(both.identities).not.toEqual(onlyJudge.identities);
  // The rule found nothing, so that both fields are asked for, as a run makes in which only the judge reads.
  const unread = await read(FIELDS, "Hm.");
  expect(unread.identities).toEqual((await read(FIELDS, "Hm.", { reading: "judge" })).identities);
});

test("the end of a run has the health of its judges", async () => {
  const subjects = memoryModel("subject", () => "Hm.");
  const { events } = await held({ scenarios: scenario(LETTER), subjects, judge: judge() });
  expect(only(events, "run-end")[0]?.judges).toMatchObject([
    { judge: "judge", asked: 1, judged: 1, repaired: 0, unreadable: 0, failed: 0, rates: { judged: 1 } },
  ]);
  expect(only(events, "turn-judgement")[0]?.judges).toEqual([{ judge: "judge", result: "read" }]);
  // Rules alone have no health.
  const alone = await held({ scenarios: scenario(LETTER), subjects });
  expect(only(alone.events, "run-end")[0]).not.toHaveProperty("judges");
});

test("a judge that is to read everything must be there", async () => {
  const options = { scenarios: scenario(LETTER), subjects: memoryModel("subject", () => "B") };
  await expect(runScenarios({ ...options, reading: "judge" }).results).rejects.toThrow("`reading: judge`");
});

test("a run is resumed as it was read", async () => {
  const store = memoryStore();
  const options = {
    scenarios: scenario(LETTER),
    subjects: memoryModel("subject", () => "Hm."),
    judge: judge(),
    store,
  };
  await runScenarios({ ...options, run: "rules", reading: "rules" }).results;
  const [resumed] = await resumeRun("rules", options).results;
  expect(resumed?.turns[0]?.parsed).toEqual({ letter: null });
  await runScenarios({ ...options, run: "new" }).results;
  const [same] = await resumeRun("new", options).results;
  expect(same?.turns[0]?.parsed).toEqual({ letter: "B" });
});
