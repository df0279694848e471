import { question, runScenarios, Scenario } from "elenchus";
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
  expect(results.map(({ row, subject: name, replicate }) => [row, name, replicate])).toEqual([
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
      expect.stringContaining('In scenario "sums", row 1, field "sum" of node "ask" has a wrong truth'),
      'In scenario "sums", row 2, the question of node "ask" uses {{row.b}}, but the row has only a, sum.',
    ],
  });
  await expect(
    runScenarios({ allowUnread: true, scenarios: sums, subjects: subject }).results,
  ).rejects.toThrow("but the run has no rows");
  expect(subject.asked).toEqual([]);
});

test("a scenario without variables takes rows, too", async () => {
  const { results } = await held({ scenarios: chainOf(1), subjects: "sim/steadfast", rows });
  expect(results.map(({ row }) => row)).toEqual([0, 1]);
});
