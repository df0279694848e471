import {
  allTurns,
  END,
  ModelError,
  question,
  resumeRun,
  runScenarios,
  Scenario,
  template,
  truthFrom,
} from "elenchus";
import { semanticMatch } from "elenchus/checks";
import { memoryStore } from "elenchus/store";
import { expect, test } from "vitest";
import type { AiSdkEmbeddingModel } from "../../src/engine/models/providers/language-model.ts";
import { held, judgedQuestion, memoryModel, only } from "./held.ts";

/** Counts letters: texts with the same letters mean the same. */
function letters(text: string): number[] {
  const counts = Array.from({ length: 26 }, () => 0);
  for (const letter of text.toLowerCase().match(/[a-z]/g) ?? []) {
    const place = letter.charCodeAt(0) - 97;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

const ANSWER = template({
  answer: {
    type: "string",
    description: "what the reply says",
    truth: "listen",
    check: semanticMatch({ threshold: 0.9 }),
    extract: { type: "regex", pattern: "it is (\\w+)" },
  },
});

const scenario = new Scenario("meanings")
  .addNode("ask", { question: question({ question: "Which word?", rawAnswer: "listen", template: ANSWER }) })
  .addNode("right", { question: question({ question: "Right.", rawAnswer: "" }) })
  .addNode("wrong", { question: question({ question: "Wrong.", rawAnswer: "" }) })
  .addEdge("ask", "right", { when: { verify_result: true } })
  .addEdge("ask", "wrong", { when: { verify_result: false } })
  .addEdge("ask", END)
  .addEdge("right", END)
  .addEdge("wrong", END)
  .addOutcome("knew", allTurns({ verify_result: true }, { node: "ask" }))
  .setEntry("ask")
  .validate();

const saying = (reply: string) => memoryModel("subject", () => reply);

test.each([
  ["it is silent", true, ["ask", "right"]],
  ["it is canberra", false, ["ask", "wrong"]],
  ["no idea", null, ["ask"]],
])("%s: the verdict is %s, and routing waits for it", async (reply, verdict, path) => {
  const { results, events } = await held({ scenarios: scenario, subjects: saying(reply), embedder: letters });
  expect(results[0]?.turns[0]?.verifyResult).toBe(verdict);
  expect(results[0]?.path).toEqual(path);
  if (verdict === false)
    expect(results[0]?.turns[0]?.fields.answer?.reason).toMatch(/^its meaning is too far .* 0.9 is needed$/);
  // A reply that says nothing has no meaning to compare.
  expect(only(events, "call-start").filter(({ model }) => model === "letters")).toHaveLength(
    verdict === null ? 0 : 2,
  );
});

test("vectors are kept: another run, and other replicates, ask for nothing again", async () => {
  const store = memoryStore();
  let calls = 0;
  const counting = (text: string): number[] => {
    calls++;
    return letters(text);
  };
  const options = { scenarios: scenario, subjects: saying("it is silent"), embedder: counting, store };
  await held({ ...options, replicates: 3, concurrency: 1, run: "one" });
  expect(calls).toBe(2);
  await held({ ...options, replicates: 3, run: "two" });
  expect(calls).toBe(2);
  expect(store.run("one")?.start.configuration.embedder).toMatchObject({ provider: "function" });
  expect(store.run("one")?.judges).toMatchObject([{ judge: "counting", judged: 3 }]);
});

test("an embedder that fails is no wrong answer; its turns are compared on request", async () => {
  const store = memoryStore();
  let isBroken = true;
  const embedder = (text: string): number[] => {
    if (isBroken) throw new ModelError("bad_request", "not today");
    return letters(text);
  };
  const options = { scenarios: scenario, subjects: saying("it is silent"), embedder, store };
  const { results } = await held({ ...options, run: "one" });
  expect(results[0]?.turns[0]).toMatchObject({ verifyResult: null, judgeFailure: { message: "not today" } });
  expect(results[0]?.outcomes.knew).toMatchObject({ value: null, status: "inconclusive" });
  expect([...store.results("one")][0]?.turns).toMatchObject({ unjudged: 1, unreadable: 0, failed: 0 });
  isBroken = false;
  const [again] = await resumeRun("one", { ...options, retryErrors: true }).results;
  expect(again?.path).toEqual(["ask", "right"]);
});

test("a model of the AI SDK, with its tokens counted and its budget kept", async () => {
  const model: AiSdkEmbeddingModel = {
    specificationVersion: "v4",
    provider: "acme",
    modelId: "meaning-1",
    doEmbed: async ({ values }: { values: string[] }) => ({
      embeddings: values.map(letters),
      usage: { tokens: 7 },
    }),
  };
  const { events } = await held({ scenarios: scenario, subjects: saying("it is silent"), embedder: model });
  const judged = only(events, "turn-judgement").find(({ judgement }) => judgement.similarities !== undefined);
  expect(judged?.judgement.similarities?.answer).toBeCloseTo(1);
  expect(judged?.spending).toMatchObject({ calls: 2, tokens: 14 });
  const tight = {
    scenarios: scenario,
    subjects: saying("it is silent"),
    embedder: model,
    budget: { calls: 2 },
  };
  expect((await held(tight)).results[0]?.status).toBe("budget_exhausted");
});

test("the judge reads first, and a truth may depend on the past", async () => {
  const definition = new Scenario("both")
    .addNode("a", { question: judgedQuestion("First?") })
    .addNode("b", {
      question: question({
        question: "Second?",
        rawAnswer: "",
        template: template({
          right: {
            type: "string",
            description: "x",
            truth: truthFrom("node_results.a.verify_result", {
              cases: { true: "silent", false: "canberra" },
            }),
            check: semanticMatch(),
          },
        }),
      }),
    })
    .addEdge("a", "b")
    .addEdge("b", END)
    .setEntry("a")
    .validate();
  const judge = memoryModel("judge", (message) =>
    JSON.stringify({ fields: { right: message.includes("Second?") ? "listen" : true } }),
  );
  const { results } = await held({
    scenarios: definition,
    subjects: saying("yes"),
    judge,
    embedder: letters,
  });
  expect(results[0]?.turns.map(({ verifyResult }) => verifyResult)).toEqual([true, true]);
});

test("without an embedding model it is refused before the run, and elsewhere than in fields always", async () => {
  await expect(runScenarios({ scenarios: scenario, subjects: saying("") }).results).rejects.toThrow(
    'In scenario "meanings", field "answer" of node "ask" uses semantic_match, which needs an embedding model. Name one, such as --embedder openai/text-embedding-3-small',
  );
  const elsewhere = new Scenario("elsewhere")
    .addNode("ask", { question: question({ question: "Which?", rawAnswer: "" }) })
    .addOutcome("said", {
      type: "turn_check",
      scope: { type: "last_turn" },
      field: "reply",
      expected: "listen",
      verifyWith: semanticMatch(),
    })
    .setEntry("ask")
    .validate();
  const run = runScenarios({ scenarios: elsewhere, subjects: saying(""), embedder: letters });
  await expect(run.results).rejects.toThrow(
    'the outcome "said" uses semantic_match, which works only in fields',
  );
});
