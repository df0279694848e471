import { expect, test } from "vitest";
import { llmTrait } from "../../../core/templates/rubric.ts";
import { template } from "../../../core/templates/template.ts";
import type { JudgeInput } from "./judge-request.ts";
import { type JudgeAnswer, type JudgeModel, judgeTurn } from "./judge-turn.ts";

const INPUT: JudgeInput = {
  question: "What is the capital of Australia?",
  reply: "Sydney.",
  template: template({
    city: { type: "string", description: "the capital", truth: "Canberra" },
    why: { type: "string", description: "the reason", truth: "x", evidence: true },
  }),
  traits: [llmTrait("polite", { kind: "boolean" })],
  detectRefusal: true,
  marker: "k3J9xQ2mZ81LpVt7",
};

const FIELDS = '{"city": "Sydney", "why": {"quote": "because", "value": "x"}}';
const GOOD = `{"fields": ${FIELDS}, "traits": {"polite": true}, "refused": false}`;
const USAGE = { inputTokens: 100, outputTokens: 10 };

/** A judge that gives its answers in their order. */
function scripted(...answers: readonly (string | Error)[]): JudgeModel {
  let next = 0;
  return async (): Promise<JudgeAnswer> => {
    const answer = answers[next++];
    if (answer === undefined) throw new Error("nobody expected this call");
    if (answer instanceof Error) throw answer;
    return { text: answer, usage: USAGE };
  };
}

test("one call gives fields, traits and refusal", async () => {
  const { calls, ...judgement } = await judgeTurn(scripted(GOOD), INPUT);
  expect(judgement).toEqual({
    status: "read",
    parsed: { city: "Sydney", why: null },
    quotes: {},
    notes: { why: "the quote that the judge gave is not in the reply" },
    rubric: { polite: true },
    refused: false,
    usage: USAGE,
  });
  expect(calls.map(({ error, repaired, answer }) => ({ error, repaired, text: answer.text }))).toEqual([
    { error: undefined, repaired: false, text: GOOD },
  ]);
});

test("an answer that cannot be read is repaired once", async () => {
  const judgement = await judgeTurn(scripted("Sydney!", GOOD), INPUT);
  expect(judgement).toMatchObject({ status: "read", parsed: { city: "Sydney" } });
  expect(judgement.usage).toEqual({ inputTokens: 200, outputTokens: 20 });
  expect(judgement.calls).toMatchObject([
    { repaired: false, error: expect.stringContaining("no JSON object") },
    { repaired: true },
  ]);
  const [first, second] = judgement.calls.map(({ request }) => request.messages[0]?.content ?? "");
  expect(second?.startsWith(first ?? "?")).toBe(true);
  expect(judgement.calls[1]).not.toHaveProperty("error");
});

test("what cannot be repaired is unreadable: null, with the raw texts", async () => {
  const judgement = await judgeTurn(scripted("Sydney!", '{"fields": {}}'), INPUT);
  expect(judgement).toMatchObject({
    status: "unreadable",
    parsed: { city: null, why: null },
    notes: {
      city: "the answer of the judge could not be read",
      why: "the answer of the judge could not be read",
    },
    rubric: { polite: null },
    refused: null,
  });
  expect(judgement.calls.map(({ answer }) => answer.text)).toEqual(["Sydney!", '{"fields": {}}']);
  expect(judgement.calls.every(({ error }) => error !== undefined)).toBe(true);
});

test("one bad field costs that field, not all: the good parts of both answers count", async () => {
  const bad = (fields: object): string =>
    JSON.stringify({ fields, traits: { polite: true }, refused: false });
  const judge = scripted(bad({ city: ["Sydney"], why: null }), bad({ city: {}, why: 5 }));
  expect(await judgeTurn(judge, INPUT)).toMatchObject({
    status: "unreadable",
    parsed: { city: null, why: null },
    notes: { city: "the answer of the judge could not be read" },
    rubric: { polite: true },
    refused: false,
    unread: { fields: ["city"], traits: [] },
  });
  const partly = await judgeTurn(scripted(bad({ city: "Sydney", why: 5 }), "?"), INPUT);
  expect(partly).toMatchObject({ parsed: { city: "Sydney", why: null }, unread: { fields: ["why"] } });
});

test("what other calls gave is kept", async () => {
  const judge = scripted(`{"fields": ${FIELDS}, "refused": false}`, "?", "?");
  const judgement = await judgeTurn(judge, INPUT, { judging: "separate" });
  expect(judgement).toMatchObject({
    status: "unreadable",
    parsed: { city: "Sydney" },
    rubric: { polite: null },
  });
  expect(judgement.refused).toBe(false);
  expect(judgement.calls.map(({ request }) => request.task.traits.map(({ name }) => name))).toEqual([
    [],
    ["polite"],
    ["polite"],
  ]);
});

test("calls run side by side", async () => {
  let running = 0;
  let open: () => void = () => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const judge: JudgeModel = async ({ schema }) => {
    // Each call waits for the other one to begin.
    if (++running === 2) open();
    await both;
    const isTrait = JSON.stringify(schema).includes("polite");
    return { text: isTrait ? '{"traits": {"polite": true}}' : `{"fields": ${FIELDS}, "refused": false}` };
  };
  const judgement = await judgeTurn(judge, INPUT, { judging: "separate" });
  expect(judgement).toMatchObject({ status: "read", rubric: { polite: true }, usage: null });
});

test("nothing to judge takes no call", async () => {
  expect(await judgeTurn(scripted(), { question: "?", reply: "!", marker: INPUT.marker })).toEqual({
    status: "read",
    parsed: {},
    quotes: {},
    notes: {},
    rubric: {},
    refused: null,
    calls: [],
    usage: { inputTokens: 0, outputTokens: 0 },
  });
});

test("an error of the model is no judgement, neither at once nor in the repair", async () => {
  const down = new Error("503");
  await expect(judgeTurn(scripted(down), INPUT)).rejects.toBe(down);
  await expect(judgeTurn(scripted("?", down), INPUT)).rejects.toBe(down);
});

test("an error is passed on when all calls have come to rest", async () => {
  const down = new Error("503");
  let finished = false;
  const judge: JudgeModel = async ({ schema }) => {
    if (JSON.stringify(schema).includes("city")) throw down;
    await new Promise((resolve) => setImmediate(resolve));
    finished = true;
    return { text: '{"traits": {"polite": true}}' };
  };
  await expect(judgeTurn(judge, INPUT, { judging: "separate" })).rejects.toBe(down);
  expect(finished).toBe(true);
});

test("the signal reaches the model", async () => {
  const { signal } = new AbortController();
  const signals: unknown[] = [];
  const judge: JudgeModel = async (_request, options) => {
    signals.push(options.signal);
    return { text: GOOD };
  };
  await judgeTurn(judge, INPUT, { signal });
  await judgeTurn(judge, INPUT);
  expect(signals).toEqual([signal, undefined]);
});
