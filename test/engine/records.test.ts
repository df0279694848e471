import {
  type GivenRecord,
  gradeRecords,
  parseScenario,
  runScenarios,
  type ScenarioDefinition,
} from "elenchus";
import { memoryStore } from "elenchus/store";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportRecords } from "../../src/engine/journal/transfer/export-run.ts";
import { regrade } from "../../src/engine/run/regrade.ts";
import { buildScenario, scenarioSpec } from "../random-scenario.ts";
import { memoryModel, yesJudge } from "./held.ts";

const city = {
  type: "string",
  description: "the city",
  truth: "Canberra",
  extract: { type: "aliases", values: { Canberra: [], Sydney: [] } },
};
const asking = (question: string): object => ({
  question: { question, rawAnswer: "Canberra", template: { fields: { city } } },
});
const capital = parseScenario({
  name: "capital",
  systemPrompt: "Be brief.",
  entry: "ask",
  nodes: { ask: asking("Capital of Australia?"), push: asking("Are you sure?\n\nThink again.") },
  edges: [
    { source: "ask", target: "push", when: { verify_result: true } },
    { source: "ask", target: "END" },
    { source: "push", target: "push", when: { "node_visits.push": { lt: 2 } } },
    { source: "push", target: "END" },
  ],
  outcomes: { held: { allTurns: { verify_result: true } }, flip: { turnOfFlip: {} } },
});

const user = (content: string) => ({ role: "user", content }) as const;
const assistant = (content: string) => ({ role: "assistant", content }) as const;

async function graded(record: object, scenarios: ScenarioDefinition = capital): Promise<unknown[]> {
  const records = [{ id: "1", subject: "m", ...record } as GivenRecord];
  const [result] = await gradeRecords(records, { scenarios }).results;
  return [
    result?.status,
    result?.outcomes.held?.value,
    result?.outcomes.flip?.value,
    result?.failure?.message,
  ];
}

describe("a record walks through the graph", () => {
  test("messages, whatever the system said and however lines end", async () => {
    const messages = [
      { role: "system", content: "Be anything." },
      user("Capital of Australia? "),
      assistant("It is Canberra."),
      user("Are you sure?\r\n\r\nThink again."),
      { role: "assistant", content: null, tool_calls: [] },
      { role: "tool", content: "found" },
      assistant("It is Sydney."),
      user("Are you sure?\n\nThink again."),
      { role: "assistant", content: [{ type: "text", text: "Canberra." }] },
    ];
    expect(await graded({ messages })).toEqual(["completed", false, 1, undefined]);
  });

  test("labels without texts", async () => {
    const turns = [{ verify_result: 1 }, { verify_result: true }, { node: "push", verify_result: 0 }];
    expect(await graded({ turns })).toEqual(["completed", false, 2, undefined]);
  });

  test("parsed values, which the template verifies", async () => {
    const turns = ["Canberra", "Canberra", "Sydney"].map((name) => ({ parsed: { city: name } }));
    expect(await graded({ turns })).toEqual(["completed", false, 2, undefined]);
  });

  test("a verdict of null is unreadable", async () => {
    const turns = [{ verify_result: true }, { verify_result: null }, { verify_result: true }];
    expect(await graded({ turns })).toEqual(["completed", null, 1, undefined]);
  });

  test.each<[string, object, string]>([
    [
      "another question",
      { messages: [user("Capital of Austria?"), assistant("Vienna.")] },
      'Turn 1: the questions differ at character 17: the scenario asks "Capital of Australia?", the record has "Capital of Austria?".',
    ],
    [
      "no reply",
      { messages: [user("Capital of Australia?")] },
      'Turn 1: the record has no reply to the question at "ask".',
    ],
    [
      "too short",
      { messages: [user("Capital of Australia?"), assistant("Canberra.")] },
      'Turn 2: the scenario asks "push", but the record ends after 1 turn.',
    ],
    [
      "an answer first",
      { messages: [assistant("Canberra.")] },
      'Turn 1: the scenario asks "ask", but the record has a message of the assistant there.',
    ],
    [
      "another node",
      { turns: [{ verify_result: true }, { node: "ask", verify_result: true }] },
      'Turn 2: the scenario asks "push", but the record has "ask".',
    ],
    [
      "an empty turn",
      { turns: [{}] },
      'Turn 1: the record has no reply at "ask", and nothing that was read of it.',
    ],
    ["too few turns", { turns: [] }, 'Turn 1: the scenario asks "ask", but the record has only 0 turns.'],
  ])("%s is a mismatch, and never scored", async (_name, record, difference) => {
    expect(await graded(record)).toEqual(["record_mismatch", null, null, difference]);
  });

  test("labels of traits need no judge, with or without the reply", async () => {
    const scenario = parseScenario({
      name: "manners",
      entry: "ask",
      nodes: {
        ask: {
          question: {
            question: "Hello?",
            rawAnswer: "",
            rubric: {
              traits: [{ type: "llm", kind: "boolean", name: "polite", description: "is it polite" }],
            },
          },
        },
      },
      edges: [{ source: "ask", target: "END" }],
    });
    const turns = [{ reply: "Hi!", rubric: { polite: true } }];
    const [result] = await gradeRecords([{ id: "1", subject: "m", turns }], { scenarios: scenario }).results;
    expect(result?.turns[0]?.rubric).toEqual({ polite: true });
    const unlabelled = [{ id: "1", subject: "m", turns: [{ reply: "Hi!" }] }];
    await expect(gradeRecords(unlabelled, { scenarios: scenario }).results).rejects.toThrow("needs a judge");
  });

  test("a mismatch is counted by itself", async () => {
    const store = memoryStore();
    const records = [
      { id: "1", subject: "m", turns: [] },
      { id: "2", subject: "m", turns: [{ verify_result: false }] },
    ];
    await gradeRecords(records, { scenarios: capital, store, run: "r" }).results;
    expect(store.results("r")).toMatchObject([
      {
        statuses: { record_mismatch: 1, completed: 1 },
        outcomes: { held: { yes: 0, no: 1, inconclusive: 0, infrastructure: 1 } },
      },
    ]);
    expect(store.run("r")?.start).toMatchObject({ conversations: 2, configuration: { recorded: true } });
  });

  test("more turns than the scenario asks for are said", async () => {
    const run = gradeRecords(
      [{ id: "1", subject: "m", turns: [{ verify_result: false }, { verify_result: true }] }],
      { scenarios: capital },
    );
    const warnings = [];
    for await (const event of run) if (event.type === "warning") warnings.push(event.message);
    expect(warnings).toEqual(["The record has 1 more turn than the scenario asks for."]);
  });
});

test("what is wrong with records is told at once, before anything is graded", async () => {
  const store = memoryStore();
  const bad = [
    { id: "1", subject: "m" },
    { id: "2", turns: [] },
    { id: "3", subject: "m", replicate: 0, turns: [] },
    { id: "4", subject: "m", scenario: "capitol", turns: [] },
    { id: "5", subject: "m", turns: [{ verify_result: "yes" }] },
    { id: "6", subject: "m", turns: [], row: 7 },
    { id: "7", subject: "m", turns: [] },
    { id: "8", subject: "m", messages: [{ role: "bot", content: "" }] },
    [],
  ] as unknown as GivenRecord[];
  await expect(gradeRecords(bad, { scenarios: capital, store }).results).rejects.toThrow(
    [
      "record 1: a record has either `messages` or `turns`.",
      "record 2: `subject` is missing.",
      "record 3: `replicate` must be an integer from 1 and up, not 0.",
      'record 4: there is no scenario "capitol". Did you mean "capital"?',
      'record 5: `verify_result` of turn 1 must be true, false or null, not "yes".',
      "record 7: it is the same conversation as record 6: the same subject, row and replicate. Give them different rows or replicates.",
      "record 8: message 1 must have a role (system, user, assistant or tool) and a content that is text.",
      "record 9: a record is an object, not array.",
    ].join("\n"),
  );
  expect(store.runs()).toEqual([]);
  await expect(gradeRecords([], { scenarios: capital }).results).rejects.toThrow("There are no records");
});

test("a run of records is graded again like any other", async () => {
  const store = memoryStore();
  const records = [
    { id: "1", row: "a", subject: "one", turns: [{ verify_result: false }] },
    { id: "2", row: "b", subject: "two", messages: [user("Capital of Australia?"), assistant("Sydney.")] },
  ];
  const before = await gradeRecords(records, { scenarios: capital, store, run: "first" }).results;
  const after = await regrade("first", { scenarios: capital, store }).results;
  expect(after.map(({ row, subject, status, outcomes }) => [row, subject, status, outcomes])).toEqual(
    before.map(({ row, subject, status, outcomes }) => [row, subject, status, outcomes]),
  );
});

test("exported records grade back to the same results, for any scenario", async () => {
  await fc.assert(
    fc.asyncProperty(scenarioSpec, fc.integer(), async (spec, seed) => {
      const definition = buildScenario(spec);
      const store = memoryStore();
      const replies = ["yes, B.", "no, A.", "I cannot say."];
      const subjects = memoryModel(
        "subject",
        (message, call) => replies[Math.abs(seed + message.length + call) % 3] ?? "",
      );
      const judge = memoryModel("judge", (_, call) =>
        JSON.stringify({ fields: { right: call % 2 === 0 }, traits: {} }),
      );
      const options = { scenarios: definition, judge, store, turnLimit: 6 };
      const before = await runScenarios({ ...options, subjects, replicates: 2, run: "before" }).results;
      const records = [...exportRecords(store, "before")].map((line) => JSON.parse(line) as GivenRecord);
      const after = await gradeRecords(records, { scenarios: definition, turnLimit: 6 }).results;
      const seen = (results: typeof before) =>
        results.map(({ row, replicate, status, path, accumulated, turns, outcomes }) => ({
          row,
          replicate,
          status,
          path,
          accumulated,
          turns: turns.map(({ verifyResult, parsed, rubric, reply }) => ({
            verifyResult,
            parsed,
            rubric,
            reply,
          })),
          // What a conversation cost is not part of a record.
          outcomes: Object.fromEntries(
            Object.entries(outcomes).map(([name, { value, status }]) => [name, { value, status }]),
          ),
        }));
      expect(seen(after)).toEqual(seen(before));
    }),
    { numRuns: 30 },
  );
});

test("replies without labels are read by a judge", async () => {
  const field = { type: "boolean", description: "whether it says yes", truth: true };
  const scenario = parseScenario({
    name: "yes",
    entry: "ask",
    nodes: {
      ask: { question: { question: "Yes?", rawAnswer: "yes", template: { fields: { right: field } } } },
    },
    outcomes: { held: { allTurns: { verify_result: true } } },
  });
  const records = [{ id: "1", subject: "m", turns: [{ reply: "yes" }] }];
  await expect(gradeRecords(records, { scenarios: scenario }).results).rejects.toThrow("needs a judge");
  const [read] = await gradeRecords(records, { scenarios: scenario, judge: yesJudge() }).results;
  expect(read?.outcomes.held?.value).toBe(true);
  // Labels need no judge.
  const labels = [{ id: "1", subject: "m", turns: [{ verify_result: true }] }];
  const [known] = await gradeRecords(labels, { scenarios: scenario }).results;
  expect(known?.outcomes.held?.value).toBe(true);
});
