import { describe, expect, test } from "vitest";
import { END, question } from "../../../core/scenario/definition.ts";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import { Scenario } from "../../../core/scenario/scenario.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { Model } from "../../../engine/models/model.ts";
import type { RunOptions } from "../../../engine/run/run-options.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { planRun, type RunPlan } from "./plan-run.ts";

/** Read by a rule. */
const letter = {
  type: "enum",
  values: ["A", "B"],
  description: "the letter",
  truth: "B",
  extract: { type: "letter" },
} as const;
/** Read by a judge. */
const polite = { type: "boolean", description: "whether it is polite", truth: true } as const;

function asked(text: string, fields: object = { letter }): ReturnType<typeof question> {
  return question({ question: text, rawAnswer: "B", template: { fields: fields as never } });
}

/** Asks up to three times, until the answer is right. */
const loop = new Scenario("loop")
  .addNode("ask", { question: asked("A or B?") })
  .addEdge("ask", END, { when: { verify_result: true } })
  .addEdge("ask", "ask", { when: { "node_visits.ask": { lt: 3 } } })
  .addEdge("ask", END)
  .setEntry("ask")
  .validate();

const linear = new Scenario("linear")
  .addNode("one", { question: asked("A or B?", { polite }) })
  .addNode("two", { question: asked("Really?", { polite }) })
  .addEdge("one", "two")
  .addEdge("two", END)
  .setEntry("one")
  .validate();

function callsOf(plan: RunPlan, role: string): readonly (readonly [string, number])[] {
  return plan.models
    .filter((one) => one.role === role)
    .map(({ model, calls }) => [model, calls.expected] as const);
}

const subjects = "openai/gpt-5-mini";

describe("planRun", () => {
  test("expects exactly what the assumed chances come to, also in loops", async () => {
    const { turns, calls, conversations } = await planRun({
      scenarios: loop,
      subjects,
      judge: "rules",
      replicates: 10,
    });
    expect(conversations).toEqual({ least: 10, expected: 10, most: 10 });
    expect(turns).toEqual({ least: 10, expected: 17.5, most: 30 });
    expect(calls).toEqual(turns);
    const right = await planRun(
      { scenarios: loop, subjects, replicates: 10 },
      { assumptions: { right: 0.9 } },
    );
    expect(right.turns.expected).toBeCloseTo(10 * (1 + 0.1 + 0.01), 9);
    expect(right.turns.most).toBe(30);
    const at = await planRun({ scenarios: loop, subjects }, { assumptions: { rightAt: { ask: 1 } } });
    expect(at.turns).toEqual({ least: 1, expected: 1, most: 3 });
  });

  test("counts what the subject's own model reads", async () => {
    const plan = await planRun({ scenarios: loop, subjects }, { assumptions: { unread: 0.5, right: 1 } });
    expect(plan.judgesItself).toBe(true);
    expect(callsOf(plan, "judge")).toEqual([[subjects, 0.5]]);
    expect(plan.calls).toEqual({ least: 1, expected: 1.5, most: 9 });
  });

  test("the turn limit cuts loops off", async () => {
    const { turns } = await planRun({ scenarios: loop, subjects, turnLimit: 2 });
    expect(turns).toEqual({ least: 1, expected: 1.5, most: 2 });
  });

  test("a reply that rules cannot read goes to the judge", async () => {
    const plan = await planRun(
      { scenarios: loop, subjects, judge: "openai/gpt-5-nano" },
      { assumptions: { right: 1, unread: 0.3 } },
    );
    expect(callsOf(plan, "judge")).toEqual([["openai/gpt-5-nano", 0.3]]);
    // At most all three replies are left to the judge, and each of its answers must be repaired.
    expect(plan.models.find(({ role }) => role === "judge")?.calls).toMatchObject({ least: 0, most: 6 });
    const all = await planRun(
      { scenarios: loop, subjects, judge: "openai/gpt-5-nano", reading: "judge" },
      { assumptions: { right: 1 } },
    );
    expect(callsOf(all, "judge")).toEqual([["openai/gpt-5-nano", 1]]);
  });

  test("conversations that differ only in the judge share their replies; each member of a panel is asked", async () => {
    const judge = [
      "openai/gpt-5-nano",
      { panel: ["openai/gpt-5", "openai/gpt-5.1", "openai/gpt-5-nano"], name: "panel" },
    ];
    const plan = await planRun({ scenarios: linear, subjects, judge, replicates: 4 });
    expect(plan.conversations.expected).toBe(8);
    expect(callsOf(plan, "subject")).toEqual([["openai/gpt-5-mini", 8]]);
    expect(callsOf(plan, "judge")).toEqual([
      ["openai/gpt-5-nano", 16],
      ["openai/gpt-5", 8],
      ["openai/gpt-5.1", 8],
    ]);
  });

  test("the prefix of a fork is counted once, and its arms are conversations", async () => {
    const forked = parseScenario({
      version: 1,
      name: "forked",
      entry: "ask",
      nodes: {
        ask: { question: { question: "A or B?", rawAnswer: "B" } },
        left: { question: { question: "Left?", rawAnswer: "B" } },
        right: { question: { question: "Right?", rawAnswer: "B" } },
      },
      edges: [
        { source: "ask", fork: ["left", "right"] },
        { source: "left", target: "END" },
        { source: "right", target: "right", when: { "node_visits.right": { lt: 2 } } },
        { source: "right", target: "END" },
      ],
    });
    const { conversations, turns, calls } = await planRun({ scenarios: forked, subjects, replicates: 5 });
    expect(conversations.expected).toBe(15);
    expect(turns).toEqual({ least: 20, expected: 20, most: 20 });
    expect(calls).toEqual(turns);
  });

  test("counts rows, variants and the calls of a simulated user", async () => {
    const simulated = parseScenario({
      version: 1,
      name: "user",
      entry: "talk",
      nodes: { talk: { user: { instructions: "You are {{ row.who }}.", done: "they answered" } } },
      edges: [
        { source: "talk", target: "END", when: { "user.done": true } },
        { source: "talk", target: "talk", when: { "node_visits.talk": { lt: 2 } } },
        { source: "talk", target: "END" },
      ],
      dataset: { rows: [{ who: "Ann" }, { who: "Bob" }, { who: "Cleo" }] },
    });
    const options = { scenarios: simulated, subjects, simulator: "openai/gpt-5-nano", replicates: 2 };
    const plan = await planRun(options);
    expect(plan.conversations.expected).toBe(6);
    expect(callsOf(plan, "subject")).toEqual([["openai/gpt-5-mini", 9]]);
    expect(callsOf(plan, "simulator")).toEqual([["openai/gpt-5-nano", 9]]);
  });

  test("of many rows some at even distances stand for all", async () => {
    const rows = Array.from({ length: 120 }, (_, index) => ({
      id: index,
      text: "word ".repeat((index * 7) % 31),
    }));
    const scenario = parseScenario({
      version: 1,
      name: "rows",
      entry: "ask",
      dataset: { rows, id: "id" },
      nodes: { ask: { question: { question: "{{ row.text }}?", rawAnswer: "B" } } },
      edges: [
        { source: "ask", target: "ask", when: { "node_visits.ask": { lt: 3 } } },
        { source: "ask", target: "END" },
      ],
    });
    const whole = await planRun({ scenarios: scenario, subjects });
    let exact = 0;
    for (let first = 0; first < rows.length; first += 40) {
      const dataset = { rows: rows.slice(first, first + 40), id: "id" };
      exact += (await planRun({ scenarios: scenario, subjects, dataset })).tokens.expected;
    }
    expect(Math.abs(whole.tokens.expected / exact - 1)).toBeLessThan(0.02);
    expect(whole.notes).toHaveLength(1);
  });

  test("a function that cannot be analysed is named, never guessed", async () => {
    const outside = { limit: 2 };
    const opaque = new Scenario("opaque")
      .addNode("ask", { question: asked("A or B?") })
      .addEdge("ask", END, { when: () => outside.limit > 1 })
      .addEdge("ask", "ask", { when: { "node_visits.ask": { lt: 2 } } })
      .addEdge("ask", END)
      .setEntry("ask")
      .validate();
    const { notes, turns } = await planRun({ scenarios: opaque, subjects });
    expect(notes).toEqual([
      'It is not known what the condition of the edge from "ask" to the end in scenario "opaque" does: each way is taken as equally likely.',
    ]);
    expect(turns).toEqual({ least: 1, expected: 1.5, most: 2 });
  });

  test("a model without a price has tokens only", async () => {
    const { cost, unpriced, tokens } = await planRun({
      scenarios: loop,
      subjects: "https://example.com/answer",
    });
    expect(unpriced).toEqual(["example.com/answer"]);
    expect(cost.expected).toBe(0);
    expect(tokens.expected).toBeGreaterThan(100);
  });

  test("needs no key, and refuses what a run refuses", async () => {
    await expect(planRun({ scenarios: linear, subjects, judge: "rules" })).rejects.toThrow("needs a judge");
    await expect(planRun({ scenarios: loop, subjects, replicates: 0 })).rejects.toThrow("`replicates`");
    await expect(planRun({ scenarios: loop, subjects: "opnai/gpt-5" })).rejects.toThrow("opnai");
  });
});

/** Answers A to the first question and B afterwards; asked by its own words, it says the same again. */
function scripted(name: string): Model {
  return {
    name,
    identity: { name },
    account: "local",
    reply: async ({ messages }) => ({ text: messages.length > 1 ? "B" : "A", finish: "stop" }),
  };
}

describe("what the store has", () => {
  test("is counted exactly, and only the rest is forecast", async () => {
    const store = memoryStore();
    const options: RunOptions = { scenarios: loop, subjects: scripted("subject"), store };
    await runScenarios({ ...options, replicates: 2, turnLimit: 1 }).results;
    // Of three conversations, two have their first answer, which is wrong.
    const plan = await planRun({ ...options, replicates: 3 }, { from: null });
    expect(plan.cached).toEqual({ calls: 2, conversations: 0 });
    expect(plan.turns).toEqual({ least: 2 * 2 + 1, expected: 2 * 2.5 + 1.75, most: 9 });
    expect(plan.calls).toEqual({ least: 2 * 1 + 1, expected: 2 * 1.5 + 1.75, most: 2 * 2 + 3 });
    await runScenarios({ ...options, replicates: 3 }).results;
    const whole = await planRun({ ...options, replicates: 3 });
    expect(whole.cached).toEqual({ calls: 6, conversations: 3 });
    expect(whole.calls).toEqual({ least: 0, expected: 0, most: 0 });
    const fresh = await planRun({ ...options, replicates: 3, fresh: true });
    expect(fresh.cached.calls).toBe(0);
  });

  test("an answer of a judge that is missing is made; what comes after it is used again", async () => {
    const store = memoryStore();
    const judge: Model = {
      name: "judge",
      identity: { name: "judge" },
      account: "local",
      reply: async () => ({ text: '{"fields":{"polite":true}}', finish: "stop" }),
    };
    const options: RunOptions = {
      scenarios: linear,
      subjects: scripted("subject"),
      judge,
      store,
      replicates: 3,
    };
    await runScenarios(options).results;
    const other = { ...judge, name: "other", identity: { name: "other" } };
    const plan = await planRun({ ...options, judge: other });
    expect(plan.cached).toEqual({ calls: 6, conversations: 0 });
    expect(callsOf(plan, "subject")).toEqual([["subject", 0]]);
    expect(callsOf(plan, "judge")).toEqual([["other", 6]]);
  });

  test("what is left of a run that is resumed, without what is finished", async () => {
    const store = memoryStore();
    const options: RunOptions = { scenarios: loop, subjects: scripted("subject"), store };
    // Each conversation takes two calls.
    await runScenarios({ ...options, replicates: 5, run: "cut", concurrency: 1, budget: { calls: 5 } })
      .results;
    const { conversations, calls, cached } = await planRun(options, {
      resumes: { run: "cut" },
      from: null,
    });
    expect(conversations.expected).toBe(3);
    expect(calls).toEqual({ least: 1 + 2, expected: 1.5 + 2 * 1.75, most: 2 + 2 * 3 });
    expect(cached.calls).toBe(1);
  });
});

describe("earlier runs in the store", () => {
  const other = new Scenario("other")
    .addNode("ask", { question: asked("What about A and B?") })
    .addEdge("ask", END, { when: { verify_result: true } })
    .addEdge("ask", "ask", { when: { "node_visits.ask": { lt: 2 } } })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();

  test("of the same scenario say how likely each reply is at each visit; of others, how often the subject is right", async () => {
    const store = memoryStore();
    const options: RunOptions = { scenarios: loop, subjects: scripted("subject"), store, fresh: true };
    await runScenarios({ ...options, replicates: 6, run: "pilot" }).results;
    const same = await planRun({ ...options, replicates: 10 });
    // The first reply was always wrong, the second always right.
    expect(same.from).toEqual({ runs: ["pilot"], conversations: 6 });
    expect(same.turns).toEqual({ least: 10, expected: 20, most: 30 });
    // Half of its replies were right.
    const elsewhere = await planRun({ ...options, scenarios: other, replicates: 10 });
    expect(elsewhere.from?.runs).toEqual(["pilot"]);
    expect(elsewhere.turns.expected).toBe(15);
    expect(elsewhere.extremes).toBeNull();
    const unknown = await planRun({ ...options, scenarios: other, subjects: scripted("unknown") });
    expect(unknown.from).toBeNull();
    expect(unknown.turns.expected).toBe(1.5);
    expect(unknown.extremes).toMatchObject({ right: { turns: 1 }, wrong: { turns: 2 } });
  });
});

describe("the length of replies", () => {
  test("is that of few-shot examples or of a long reference answer, and at most what the model may say", async () => {
    const outputOf = async (
      parts: object,
      model: RunOptions["subjects"] = subjects,
    ): Promise<number | undefined> => {
      const scenario = new Scenario("long")
        .addNode("ask", { question: question({ question: "Why?", rawAnswer: "So.", ...parts }) })
        .setEntry("ask")
        .validate();
      const { models } = await planRun({ scenarios: scenario, subjects: model });
      return models[0]?.outputTokens.expected;
    };
    expect(await outputOf({})).toBe(150);
    expect(await outputOf({ rawAnswer: "word".repeat(400) })).toBe(400);
    expect(await outputOf({ fewShot: [{ question: "How?", answer: "word".repeat(20) }] })).toBe(20);
    const brief = { model: subjects, parameters: { maxOutputTokens: 64 } };
    expect(await outputOf({}, brief as never)).toBe(64);
  });
});
