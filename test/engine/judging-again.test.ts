import {
  countTurns,
  END,
  ModelError,
  resumeRun,
  runScenarios,
  Scenario,
  type ScenarioDefinition,
} from "elenchus";
import { memoryStore } from "elenchus/store";
import { describe, expect, test } from "vitest";
import { chainOf, judgedQuestion, letterQuestion, memoryModel, yesJudge } from "./held.ts";

/** The second question depends on the verdict on the first. */
const branching: ScenarioDefinition = new Scenario("branching")
  .addNode("a", { question: judgedQuestion("First?") })
  .addNode("good", { question: judgedQuestion("Good. Second?") })
  .addNode("bad", { question: judgedQuestion("Bad. Second?") })
  .addEdge("a", "good", { when: { verify_result: true } })
  .addEdge("a", "bad")
  .addEdge("good", END)
  .addEdge("bad", END)
  .setEntry("a")
  .validate();

describe("with a store", () => {
  const subjects = memoryModel("s", () => "yes");
  const counts = { judged: 2, repaired: 0, unreadable: 0, failed: 0, reasons: [] };

  test("a panel is counted once, however often it is asked", async () => {
    const store = memoryStore();
    let isBroken = true;
    const weak = memoryModel("weak", (message) => {
      if (isBroken) throw new ModelError("bad_request", "not today");
      return yesJudgeSays(message);
    });
    const judge = { panel: [yesJudge("strong"), weak] };
    const options = { scenarios: chainOf(2), store, subjects, judge };
    await runScenarios({ ...options, run: "one" }).results;
    expect(store.run("one")).toMatchObject({
      unjudged: 1,
      judges: [
        { judge: "strong", judged: 2, failed: 0 },
        { judge: "weak", judged: 0, failed: 2 },
      ],
    });
    // Still broken: what fails again is counted once, too.
    await resumeRun("one", { ...options, retryErrors: true }).results;
    expect(store.run("one")?.judges).toMatchObject([{ judged: 2 }, { judged: 0, failed: 2 }]);
    isBroken = false;
    await resumeRun("one", { ...options, retryErrors: true }).results;
    expect(store.run("one")).toMatchObject({
      unjudged: 0,
      judges: [
        { judge: "strong", ...counts },
        { judge: "weak", ...counts },
      ],
    });
    store.close();
  });

  test("turns after one that is judged again count once", async () => {
    const store = memoryStore();
    let calls = 0;
    const judge = memoryModel("judge", (message) => {
      if (++calls === 1) throw new ModelError("bad_request", "not today");
      return yesJudgeSays(message);
    });
    const options = { scenarios: branching, store, subjects, judge };
    const [lost] = await runScenarios({ ...options, run: "one" }).results;
    expect(lost?.path).toEqual(["a", "bad"]);
    expect(store.run("one")?.judges).toMatchObject([{ judged: 1, failed: 1 }]);
    const [found] = await resumeRun("one", { ...options, retryErrors: true }).results;
    expect(found?.path).toEqual(["a", "good"]);
    expect(store.run("one")?.judges).toMatchObject([counts]);
    store.close();
  });

  test("answers that could not be read are asked for again only on request", async () => {
    const store = memoryStore();
    let isBroken = true;
    const judge = memoryModel("judge", (message) => (isBroken ? "Well." : yesJudgeSays(message)));
    const options = { scenarios: chainOf(2), store, subjects, judge };
    await runScenarios({ ...options, run: "one" }).results;
    expect(store.run("one")).toMatchObject({ unreadable: 1, judges: [{ judged: 0, unreadable: 2 }] });
    expect([...store.conversations("one")]).toMatchObject([{ unreadableJudgements: 2, failedJudgements: 0 }]);
    isBroken = false;
    const asked = judge.asked.length;
    await resumeRun("one", { ...options, retryErrors: true }).results;
    expect(judge.asked.length).toBe(asked);
    const [read] = await resumeRun("one", { ...options, retryUnreadable: true }).results;
    expect(read?.turns.map(({ verifyResult }) => verifyResult)).toEqual([true, true]);
    expect(store.run("one")).toMatchObject({ unreadable: 0, judges: [counts] });
    expect(judge.asked.length).toBe(asked + 2);
    await resumeRun("one", { ...options, retryUnreadable: true }).results;
    expect(judge.asked.length).toBe(asked + 2);
    store.close();
  });
});

function yesJudgeSays(message: string): string {
  const [, reply = ""] = /The reply to record[\s\S]*?\n([\s\S]*?)\n[^\n]*\n\nThe quoted/.exec(message) ?? [];
  return JSON.stringify({ fields: { right: reply.includes("yes") } });
}

test("a scenario that asks whether replies are refusals needs a judge, and nothing else may read it", async () => {
  const asksForRefusal = new Scenario("refusals")
    .addNode("ask", { question: letterQuestion("A or B?") })
    .addEdge("ask", END)
    .addOutcome("declined", countTurns({ where: { refused: true } }))
    .setEntry("ask")
    .validate();
  const options = { scenarios: asksForRefusal, subjects: memoryModel("s", () => "B") };
  await expect(runScenarios(options).results).rejects.toThrow(
    'Scenario "refusals" needs a judge: only a model can tell whether a reply declines to answer (`refused`).',
  );
  const [allowed] = await runScenarios({ ...options, allowUnread: true }).results;
  expect(allowed?.outcomes.declined).toMatchObject({ value: 0, status: "inconclusive" });
  const judge = memoryModel("judge", () => JSON.stringify({ refused: false }));
  const [judged] = await runScenarios({ ...options, judge }).results;
  expect(judged?.outcomes.declined).toMatchObject({ value: 0, status: "decided" });
  // What is not looked for needs nobody.
  const plain = { scenarios: chainOfLetters, subjects: options.subjects };
  expect(await runScenarios(plain).results).toHaveLength(1);
});

const chainOfLetters = new Scenario("letters")
  .addNode("ask", { question: letterQuestion("A or B?") })
  .setEntry("ask")
  .validate();
