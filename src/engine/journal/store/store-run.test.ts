import { expect, test } from "vitest";
import { END, question, type RunEvent, runScenarios, Scenario } from "../../../apps/public/index.ts";
import type { Model } from "../../../apps/public/models.ts";
import { memoryStore } from "./memory-store.ts";
import type { Store } from "./store.ts";

const definition = new Scenario("planets")
  .addNode("ask", {
    question: question({
      question: "Which planet is nearest to the sun?",
      rawAnswer: "Mercury",
      template: {
        fields: { right: { type: "boolean", description: "whether it says Mercury", truth: true } },
      },
    }),
  })
  .addNode("press", { question: question({ question: "Are you sure?", rawAnswer: "" }) })
  .addEdge("ask", "press", { when: { verify_result: true } })
  .addEdge("ask", END)
  .addEdge("press", END)
  .addOutcome("kept", {
    type: "turn_check",
    scope: { type: "first_turn" },
    field: "verify_result",
    expected: true,
  })
  .setEntry("ask")
  .validate();

interface Counted {
  readonly model: Model;
  calls: number;
}

function counted(name: string, answer: (call: number) => string): Counted {
  const counting: Counted = {
    calls: 0,
    model: {
      name,
      identity: { name },
      account: name,
      price: null,
      reply: async () => ({ text: answer(++counting.calls), finish: "stop" }),
    },
  };
  return counting;
}

async function held(store: Store, run: string): Promise<{ events: RunEvent[]; calls: number }> {
  const subject = counted(
    "subject",
    (call) => `Mercury, I think. ${"For these reasons: ".repeat(20)} ${call}`,
  );
  const judge = counted("judge", (call) => JSON.stringify({ fields: { right: call % 3 !== 0 } }));
  const options = { subjects: subject.model, judge: judge.model, replicates: 20, run, store };
  const events: RunEvent[] = [];
  for await (const event of runScenarios({ scenarios: definition, ...options })) events.push(event);
  return { events, calls: subject.calls + judge.calls };
}

test("what a run tells is what its store has, and a second run makes no calls", async () => {
  const store = memoryStore();
  const first = await held(store, "first");
  const journal = first.events.filter(({ type }) => type !== "progress");
  expect([...store.events("first")]).toEqual(journal);
  for (const { conversation, status } of store.conversations("first")) {
    const own = journal.filter((event) => "conversation" in event && event.conversation === conversation);
    expect([...store.events("first", conversation)]).toEqual(own);
    expect(status).toBe("completed");
  }
  const ends = first.events.filter(({ type }) => type === "turn-end").length;
  const [line] = store.results("first");
  const { passed, failed, unreadable, unjudged, unverified } = line?.turns ?? {};
  expect([passed, failed, unverified]).toEqual([14, 6, 14]);
  expect([unreadable, unjudged, ends]).toEqual([0, 0, 34]);
  expect(line?.outcomes.kept).toEqual({
    yes: 14,
    no: 6,
    numbers: 0,
    mean: null,
    inconclusive: 0,
    infrastructure: 0,
  });
  expect(line?.spending.calls).toBe(first.calls);
  expect(first.calls).toBe(54);
  expect((await held(store, "second")).calls).toBe(0);
  expect(store.results("second")[0]).toMatchObject({
    turns: line?.turns,
    spending: { calls: 0, cached: 54 },
  });
  store.close();
});
