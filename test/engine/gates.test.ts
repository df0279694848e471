import { END, parseScenario, runScenarios } from "elenchus";
import { memoryStore } from "elenchus/store";
import { expect, test } from "vitest";
import { memoryModel } from "./held.ts";

/** The subject may ask back; only answers are verified. */
const scenario = parseScenario({
  name: "ask or answer",
  entry: "ask",
  nodes: {
    ask: {
      question: {
        question: "What is the dose?",
        rawAnswer: "5",
        template: {
          fields: {
            kind: {
              type: "enum",
              values: ["answer", "question"],
              description: "whether the reply answers or asks back",
              truth: "answer",
              extract: { type: "regex", pattern: "^(answer|question)", flags: "i" },
            },
            dose: {
              type: "number",
              description: "the dose",
              truth: 5,
              extract: { type: "number" },
            },
          },
          verify: { when: { "parsed.kind": "answer" } },
        },
      },
    },
  },
  edges: [
    { source: "ask", target: END, when: { verify_result: true } },
    { source: "ask", target: "ask", when: { "node_visits.ask": { lt: 4 } } },
    { source: "ask", target: END },
  ],
  outcomes: {
    solved: { lastAttempt: { verify_result: true } },
    questions: { countTurns: { where: { "parsed.kind": "question" } } },
    first_attempt: { firstMatchIndex: { where: { "parsed.kind": "answer" } } },
    wrong: { countTurns: { verifyResult: false } },
  },
});

const replies = ["Question: how heavy are you?", "Answer: 3", "Question: how old?", "Answer: 5"];

test("a turn that the gate leaves out is neither right nor wrong, in results, stores and tables", async () => {
  const store = memoryStore();
  const subjects = memoryModel("subject", (_, call) => replies[call - 1] ?? "");
  const [result] = await runScenarios({ scenarios: scenario, subjects, store, run: "gated" }).results;
  expect(result?.turns.map(({ verifyResult, notVerified }) => [verifyResult, notVerified])).toEqual([
    [null, true],
    [false, undefined],
    [null, true],
    [true, undefined],
  ]);
  expect(Object.entries(result?.outcomes ?? {}).map(([name, { value }]) => [name, value])).toEqual([
    ["solved", true],
    ["questions", 2],
    ["first_attempt", 1],
    ["wrong", 1],
  ]);
  expect(store.results("gated")[0]?.turns).toEqual({
    passed: 1,
    failed: 1,
    unreadable: 0,
    unjudged: 0,
    unverified: 0,
    notVerified: 2,
  });
});

test.each([
  [{ "parsed.kin": "answer" }, 'The template has no field "kin". It has kind.'],
  [{ turn: 1 }, 'A gate looks at parsed.<field> or refused, not at "turn".'],
  [{}, "condition"],
  ["() => true", "Expected"],
])("a gate that cannot work is an issue: %j", (when, message) => {
  const fields = { kind: { type: "string", description: "", truth: "answer" } };
  const question = { question: "?", rawAnswer: "", template: { fields, verify: { when } } };
  expect(() => parseScenario({ name: "s", entry: "a", nodes: { a: { question } } })).toThrow(message);
});
