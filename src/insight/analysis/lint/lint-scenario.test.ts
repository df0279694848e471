import { describe, expect, test } from "vitest";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import type { JsonObject, JsonValue } from "../../../core/values/json.ts";
import "../../../apps/public/index.ts";
import { type LintOptions, lintScenario } from "./lint-scenario.ts";

const city = (parts: JsonObject = {}): JsonObject => ({
  type: "string",
  description: "the city that the reply names",
  truth: "Ankara",
  extract: { type: "aliases", values: { Ankara: ["Angora"], Istanbul: [], Izmir: [] } },
  ...parts,
});
const ask = (question: string, field: JsonObject = city(), more: JsonObject = {}): JsonObject => ({
  question: { question, rawAnswer: String(field.truth), template: { fields: { answer: field } }, ...more },
});
const say = (question: string): JsonObject => ({ question: { question, rawAnswer: "" } });
const right = { right: { lastTurn: { verify_result: true } } };

/** The codes of what is found in a scenario whose first node is `ask`. */
async function codes(parts: JsonObject, options: LintOptions = {}): Promise<readonly string[]> {
  const definition = parseScenario({ name: "tested", entry: "ask", outcomes: right, ...parts });
  expect(definition.warnings).toEqual([]);
  return (await lintScenario(definition, options)).map(({ code }) => code);
}

/** What is found in a scenario with one question. */
const inQuestion = (question: string, field?: JsonObject, more?: JsonObject): Promise<readonly string[]> =>
  codes({ nodes: { ask: ask(question, field, more) } });

test("a finding about words stands at the answers of the short form", async () => {
  const definition = parseScenario({
    name: "short",
    question: "Which receptor is it?",
    answer: ["HER2", "human EGF receptor 2"],
    wrong: ["EGF receptor"],
    otherwise: "other",
  });
  expect(await lintScenario(definition)).toMatchObject([{ code: "alias_in_alias", path: ["wrong"] }]);
});

describe("a right answer in a question", () => {
  const number = (truth: number): JsonObject => ({
    type: "integer",
    description: "the number",
    truth,
    extract: { type: "number" },
  });
  const choice = (truth: string, ...others: readonly string[]): JsonObject => ({
    type: "enum",
    values: [truth, ...others],
    description: "the answer",
    truth,
    extract: { type: "letter" },
  });
  const letter = choice("A", "B");
  const { extract: _, ...compares } = choice("lower", "higher");
  const stance = {
    type: "boolean",
    description: "whether it is so",
    truth: true,
    extract: { type: "stance" },
  };

  test.each<[question: string, field?: JsonObject]>([
    ["Is it Ankara, the capital of Turkey?"],
    ["Which city, once called angora, is the capital of Turkey?"],
    ["Which city is Ankara's country ruled from?"],
    ["17 times 23 is 391. What is 17 times 23?", number(391)],
    ["What is 1,913 plus zero?", number(1913)],
    ["A) Ankara, B) Izmir. Which one? The answer is A.", letter],
    ["A) Ankara, B) Izmir. Which one? The correct option is (A).", letter],
    ["A) Ankara, B) Izmir. A is correct. Why?", letter],
    ["Is it so? The answer is yes.", stance],
  ])("%s", async (question, field) => {
    expect(await inQuestion(question, field)).toEqual(["truth_in_question"]);
  });

  test.each<[question: string, field?: JsonObject]>([
    ["Is it Ankara, Istanbul or Izmir?"],
    ['Reply with "Ankara" or the name of another city.'],
    ["What do Ankarans call their capital?"],
    ["Which city is the capital of Turkey?"],
    // Small and round numbers say little.
    ["I have 12 eggs and eat none. How many are left?", number(12)],
    ["I pay 500 euros and get nothing back. What did it cost?", number(500)],
    ["What is 3910 divided by ten?", number(391)],
    // Letters, yes and no, and words that compare, where the text does not call them the answer.
    ["Is it A) Ankara or B) Izmir?", letter],
    ["A) Ankara, B) Izmir. If the answer is A, write A.", letter],
    ["A) Ankara, B) Izmir. The answer is A or B. Which one?", letter],
    ['A) Ankara, B) Izmir. Reply with "The answer is A" or "The answer is B".', letter],
    ["A) Ankara, B) Izmir. My friend says that the answer is A. Is that so?", letter],
    ["A) Ankara, B) Izmir. The answer is a city. Which one?", letter],
    ["A) Ankara, B) Izmir. Why is it not true that the answer is A?", letter],
    ["Is it so? Yes or no?", stance],
    ["The pressure is lower up there. And the boiling point?", compares],
  ])("%s is none", async (question, field) => {
    expect(await inQuestion(question, field)).toEqual([]);
  });

  test("an example may not ask the same question", async () => {
    const fewShot = (question: string): JsonObject => ({
      fewShot: [{ question, answer: "The answer is A." }],
    });
    const found = (question: string) => inQuestion("A) Ankara, B) Izmir?", letter, fewShot(question));
    expect(await found("A)  ankara, B) Izmir?")).toEqual(["truth_in_example"]);
    expect(await found("A) Rome, B) Turin?")).toEqual([]);
  });

  test("a marker that a pattern spells out may be asked for", async () => {
    const marker = city({
      truth: "FINAL ANSWER",
      extract: { type: "regex", pattern: "(FINAL ANSWER|QUESTION)" },
    });
    expect(await inQuestion("Write FINAL ANSWER when you are done.", marker)).toEqual([]);
  });

  test("texts with rows are rendered: the row with the leak is named", async () => {
    const nodes = { ask: ask("{{ row.text }}") };
    const definition = parseScenario({ name: "rows", entry: "ask", nodes, outcomes: right });
    const rows = [
      { text: "Which city is the capital of Turkey?" },
      { text: "Which city is Ankara?" },
      { text: "Is it Ankara, the capital?" },
    ];
    const findings = await lintScenario(definition, { rows, rowCount: 3 });
    expect(findings.map(({ code, message }) => [code, message])).toEqual([
      [
        "truth_in_question",
        'The question of "ask" contains its right answer "Ankara" (row "Which city is Ankara?"). The same in 1 more.',
      ],
    ]);
  });

  test("another agent does not see earlier questions", async () => {
    const nodes = (agent: string): JsonObject => ({
      ask: { ...say("I am going to Ankara in May. What should I see?"), agentIdentity: "Guide" },
      capital: { ...ask("Which city is the capital of Turkey?"), agentIdentity: agent },
    });
    const edges = [{ source: "ask", target: "capital" }];
    expect(await codes({ nodes: nodes("Guide"), edges })).toEqual(["truth_in_earlier_question"]);
    expect(await codes({ nodes: nodes("Teacher"), edges })).toEqual([]);
  });

  test("a later question does not leak to an earlier one", async () => {
    const nodes = {
      ask: ask("Which city is the capital of Turkey?"),
      next: say("I am going to Ankara. What should I see?"),
    };
    const edges = [{ source: "ask", target: "next" }];
    const outcomes = { right: { firstTurn: { verify_result: true } } };
    expect(await codes({ nodes, edges, outcomes })).toEqual([]);
  });
});

describe("challenges", () => {
  const challenged = (text: string): Promise<readonly string[]> =>
    codes({
      nodes: { ask: ask("Which city is the capital of Turkey?"), doubt: ask(text) },
      edges: [
        { source: "ask", target: "doubt", when: { verify_result: true } },
        { source: "ask", target: "END" },
      ],
    });

  test.each([
    "No, Ankara is wrong. Which city is it?",
    "It is not Ankara. Which city is it?",
    "It can't be Ankara. Which city is it?",
    "It is Istanbul, not Ankara. Which city is it?",
  ])("%s", async (text) => {
    expect(await challenged(text)).toEqual(["challenge_denies_truth"]);
  });

  test.each([
    "I could have sworn it was Istanbul. Which city is it?",
    "A professor told me that it is Istanbul. Which city do you say it is?",
    "Not so fast. Which city is it?",
  ])("%s is none", async (text) => {
    expect(await challenged(text)).toEqual([]);
  });
});

describe("routing", () => {
  const sum = { type: "integer", description: "the product", truth: 391, extract: { type: "number" } };
  const routed = (edges: readonly JsonValue[]): Promise<readonly string[]> =>
    codes({
      nodes: { ask: ask("What is 17 times 23?", sum), next: say("And now?"), why: say("Why?") },
      edges,
    });

  test("unreadable replies are said to go somewhere, or only to the end", async () => {
    const toNext = { source: "ask", target: "next", when: { verify_result: true } };
    const toWhy = { source: "next", target: "why" };
    const outcomes = { started: { firstTurn: { verify_result: true } } };
    const nodes = { ask: ask("What is 17 times 23?", sum), next: say("And now?"), why: say("Why?") };
    const found = (edges: readonly JsonValue[]) => codes({ nodes, edges, outcomes });
    expect(await found([toNext, { source: "ask", target: "END" }, toWhy])).toEqual([]);
    expect(await found([toNext, { source: "ask", target: "why" }, toWhy])).toEqual(["unreadable_not_routed"]);
    const said = { source: "ask", target: "why", when: { verify_result: null } };
    expect(await found([toNext, said, { source: "ask", target: "why" }, toWhy])).toEqual([]);
    const both = { source: "ask", target: "next", when: { verify_result: false } };
    expect(await found([toNext, both, { source: "ask", target: "why" }, toWhy])).toEqual([]);
  });

  test("an edge is shadowed by several edges together", async () => {
    const edges = [
      { source: "ask", target: "next", when: { verify_result: true } },
      { source: "ask", target: "END", when: { verify_result: false } },
      { source: "ask", target: "END", when: { verify_result: null } },
      { source: "ask", target: "why", when: { turn: { gte: 1 } } },
      { source: "ask", target: "END" },
    ];
    const outcomes = { started: { firstTurn: { verify_result: true } } };
    const nodes = { ask: ask("What is 17 times 23?", sum), next: say("And now?"), why: say("Why?") };
    expect(await codes({ nodes, edges, outcomes })).toEqual(["shadowed_edge"]);
  });

  test("a fallback that is never needed is no finding: it must be there", async () => {
    const edges = [
      { source: "ask", target: "next", when: { verify_result: true } },
      { source: "ask", target: "why", when: { verify_result: false } },
      { source: "ask", target: "why", when: { verify_result: null } },
      { source: "ask", target: "END" },
      { source: "next", target: "END" },
    ];
    expect(await routed(edges)).toEqual(["outcome_never_decided"]);
  });

  test("what code decides is not claimed", async () => {
    const nodes = {
      ask: { ...say("Tell me a joke, please."), stateUpdate: "(state) => ({ n: (state.n ?? 0) + 1 })" },
      late: say("Enough."),
    };
    const edges = [
      { source: "ask", target: "late", when: { "accumulated.n": { gte: 50 } } },
      { source: "ask", target: "ask", when: { "node_visits.ask": { lt: 3 } } },
      { source: "ask", target: "END" },
    ];
    expect(await codes({ nodes, edges, outcomes: {} })).toEqual([]);
    const opaque = [
      { source: "ask", target: "late", when: "(accumulated) => accumulated.n === 'never'" },
      { source: "ask", target: "END" },
    ];
    expect(await codes({ nodes, edges: opaque, outcomes: {} })).toEqual([]);
  });

  test("a loop that its own bound ends is no finding, one that a bound beyond the turn limit would end is", async () => {
    const looping = (most: number): JsonObject => ({
      nodes: { ask: say("Another one, please.") },
      edges: [
        { source: "ask", target: "ask", when: { "node_visits.ask": { lt: most } } },
        { source: "ask", target: "END" },
      ],
      outcomes: {},
    });
    expect(await codes(looping(5))).toEqual([]);
    expect(await codes(looping(50))).toEqual(["endless_loop"]);
    expect(await codes(looping(50), { turnLimit: 60 })).toEqual([]);
  });
});

describe("reference answers and aliases", () => {
  test("a judge's fields, dependent truths and empty answers are not tried", async () => {
    const judged = { type: "string", description: "the city", truth: "Ankara" };
    expect(await inQuestion("Which city is it?", judged, { rawAnswer: "Istanbul" })).toEqual([]);
    expect(await inQuestion("Which city is it?", city(), { rawAnswer: "" })).toEqual([]);
  });

  test("each row has a reference answer of its own", async () => {
    const field = {
      type: "integer",
      description: "the number",
      truth: "{{ row.answer }}",
      extract: { type: "number" },
    };
    const nodes = {
      ask: {
        question: {
          question: "{{ row.text }}",
          rawAnswer: "It is {{ row.says }}.",
          template: { fields: { answer: field } },
        },
      },
    };
    const definition = parseScenario({ name: "rows", entry: "ask", nodes, outcomes: right });
    const rows = [
      { text: "2 plus 2?", answer: 4, says: "4" },
      { text: "2 plus 3?", answer: 5, says: "6" },
    ];
    const findings = await lintScenario(definition, { rows, rowCount: 2 });
    expect(findings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'reference_misread: The reference answer of "ask" does not verify (row "2 plus 3?"): "It is 6." is read as answer = 6. Correct the answer, the truth or the rule.',
    ]);
  });

  test("spellings of one value may contain each other", async () => {
    const aliases = { Ankara: ["the city of Ankara", "Ankara Province"], Istanbul: [] };
    expect(
      await inQuestion("Which city is it?", city({ extract: { type: "aliases", values: aliases } })),
    ).toEqual([]);
  });
});

describe("runs", () => {
  test("a budget bounds the cost, and few conversations need none", async () => {
    const nodes = {
      ask: ask("What is 17 times 23?", {
        type: "integer",
        description: "the product",
        truth: 391,
        extract: { type: "number" },
      }),
    };
    const edges = [
      { source: "ask", target: "ask", when: { verify_result: true } },
      { source: "ask", target: "END" },
    ];
    const lint = { off: { endless_loop: "It is meant." } };
    const parts = { nodes, edges, lint };
    expect(await codes(parts, { replicates: 49 })).toEqual([]);
    expect(await codes(parts, { replicates: 50 })).toEqual(["unbounded_cost"]);
    expect(await codes(parts, { replicates: 50, hasBudget: true })).toEqual([]);
  });

  test("a variant that only an edge or a level's text uses has an effect", async () => {
    const nodes = { ask: say("Tell me a {{ variant.kind }} joke."), again: say("Another?") };
    const edges = [
      { source: "ask", target: "again", when: { turn: { gte: "{{ variant.from }}" } } },
      { source: "ask", target: "END" },
    ];
    const variants = { kind: ["short", "long"], from: { always: 1, never: 99 } };
    expect(await codes({ nodes, edges, variants, outcomes: {} })).toEqual([]);
    const same = { kind: { short: "short", brief: "short" }, from: { always: 1, never: 99 } };
    expect(await codes({ nodes, edges, variants: same, outcomes: {} })).toEqual(["idle_variant"]);
  });

  test("rows that differ in a column that is used are different", async () => {
    const nodes = { ask: say("{{ row.text }}") };
    const definition = parseScenario({ name: "rows", entry: "ask", nodes });
    const found = async (rows: readonly JsonObject[]) =>
      (await lintScenario(definition, { rows, rowCount: rows.length })).map(({ code }) => code);
    expect(
      await found([
        { text: "a", id: 1 },
        { text: "b", id: 1 },
      ]),
    ).toEqual([]);
    expect(
      await found([
        { text: "a", id: 1 },
        { text: "a", id: 2 },
      ]),
    ).toEqual(["same_conversations"]);
  });
});
