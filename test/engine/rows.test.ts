import { parseScenario, question, runScenarios, Scenario } from "elenchus";
import { expect, test } from "vitest";
import { chainOf, held, memoryModel } from "./held.ts";

const sums = new Scenario("sums")
  .addNode("ask", {
    question: question({
      question: "What is {{row.a}} plus {{ row.b }}?",
      rawAnswer: "{{row.sum}}",
      template: {
        fields: {
          sum: {
            type: "integer",
            description: "the sum of {{row.a}} and {{row.b}}",
            truth: "{{row.sum}}",
            extract: { type: "number" },
          },
        },
      },
    }),
  })
  .setEntry("ask")
  .validate();

const rows = [
  { a: 1, b: 2, sum: 3 },
  { a: 20, b: 22, sum: 42 },
];

test("one graph, many rows: values stand in questions and truths, with their types", async () => {
  const subject = memoryModel("subject", () => "It is 42.");
  const { results } = await held({
    scenarios: sums,
    subjects: [subject, "sim/steadfast"],
    rows,
    replicates: 2,
  });
  expect(results.map(({ rowIndex, subject: name, replicate }) => [rowIndex, name, replicate])).toEqual([
    [0, "subject", 1],
    [0, "subject", 2],
    [0, "sim/steadfast", 1],
    [0, "sim/steadfast", 2],
    [1, "subject", 1],
    [1, "subject", 2],
    [1, "sim/steadfast", 1],
    [1, "sim/steadfast", 2],
  ]);
  expect(results.map(({ turns }) => turns[0]?.verifyResult)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(results[4]?.turns[0]?.questionText).toBe("What is 20 plus 22?");
});

test("what a row lacks, or has of the wrong type, is told before the first call", async () => {
  const subject = memoryModel("subject", () => "3");
  const wrong = [
    { a: 1, b: 2, sum: "three" },
    { a: 1, sum: 1 },
  ];
  await expect(
    runScenarios({ allowUnread: true, scenarios: sums, subjects: subject, rows: wrong }).results,
  ).rejects.toMatchObject({
    problems: [
      expect.stringContaining(
        'In scenario "sums", row 1, column "sum": field "sum" of node "ask" has a wrong truth',
      ),
      'In scenario "sums", row 2: it has no "b", which a text uses.',
    ],
  });
  await expect(
    runScenarios({ allowUnread: true, scenarios: sums, subjects: subject }).results,
  ).rejects.toThrow("the run has no rows; give the scenario a dataset");
  expect(subject.asked).toEqual([]);
});

test("empty and equal cells are told before the first call, one line for many rows", async () => {
  const subject = memoryModel("subject", () => "");
  const city = (question: string): object => ({
    question: {
      question,
      rawAnswer: "{{ row.right }}",
      template: {
        fields: {
          city: {
            type: "string",
            description: "the city",
            truth: "{{ row.right }}",
            extract: { type: "aliases", values: { "{{ row.right }}": [], "{{ row.wrong }}": [] } },
          },
        },
      },
    },
  });
  const cities = parseScenario({
    name: "cities",
    entry: "ask",
    nodes: { ask: city("{{ row.q }}"), push: city("Is it {{ row.wrong }}?") },
    edges: [
      { source: "ask", target: "push" },
      { source: "push", target: "END" },
    ],
  });
  const lacks = [" ", null, "", "", "", "", ""].map((right) => ({ q: "Where?", right, wrong: "Bonn" }));
  const rows = [
    { q: "Where?", right: "Rome", wrong: "Milan" },
    { q: "", right: "", wrong: null },
    { q: "Where?", right: "Rome", wrong: "rome" },
    { q: "Where?", right: "Rome", wrong: "" },
    { q: " ", right: "Rome", wrong: "Milan" },
    ...lacks,
  ];
  const run = runScenarios({ scenarios: cities, subjects: subject, rows });
  await expect(run.results).rejects.toMatchObject({
    problems: [
      "row 2: all of its columns are empty.",
      'row 3, columns "right" and "wrong": they are the same, but different answers of field "city" of node "ask".',
      'row 4, column "wrong": it is empty, but it is an answer of field "city" of node "ask".',
      'row 5, column "q": the question of node "ask" comes to an empty text.',
      'row 6, column "right": it is empty, but it is the right answer of field "city" of node "ask". The same in rows 7, 8, 9, 10, 11 and 1 more.',
    ].map((problem) => `In scenario "cities", ${problem}`),
  });
  expect(subject.asked).toEqual([]);
});

test("a scenario that uses no row is run once, not once for each row", async () => {
  const { results } = await held({
    scenarios: [chainOf(1, "plain"), sums, chainOf(1, "last")],
    subjects: "sim/steadfast",
    rows,
    replicates: 2,
  });
  expect(
    results.map(({ scenario, rowIndex, replicate, index }) => [scenario, rowIndex, replicate, index]),
  ).toEqual([
    ["plain", undefined, 1, 0],
    ["plain", undefined, 2, 1],
    ["sums", 0, 1, 2],
    ["sums", 0, 2, 3],
    ["sums", 1, 1, 4],
    ["sums", 1, 2, 5],
    ["last", undefined, 1, 6],
    ["last", undefined, 2, 7],
  ]);
});

test("a list of rows without any row is refused", () => {
  expect(() => runScenarios({ scenarios: sums, subjects: "sim/steadfast", rows: [] })).toThrow(
    "Expected `rows` to be at least one row",
  );
});

test("what is random in a simulated subject depends on the row", async () => {
  const same = Array.from({ length: 40 }, () => ({ a: 1, b: 2, sum: 3 }));
  const { results } = await held({ scenarios: sums, subjects: "sim/silent?empty=0.5", rows: same });
  expect(new Set(results.map(({ turns }) => turns[0]?.reply)).size).toBeGreaterThan(1);
});
