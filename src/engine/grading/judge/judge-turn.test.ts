import { expect, test } from "vitest";
import { llmTrait } from "../../../core/templates/rubric.ts";
import { template } from "../../../core/templates/template.ts";
import { type JudgePlan, judgePlans, plannedRequest } from "./judge-request.ts";
import { type JudgeAnswer, type JudgeModel, joinParts, judgePart } from "./judge-turn.ts";

const [PLAN] = judgePlans(
  {
    template: template({
      city: { type: "string", description: "the capital", truth: "Canberra" },
      why: { type: "string", description: "the reason", truth: "x", evidence: true },
    }),
    traits: [llmTrait("polite", { kind: "boolean" })],
    refusal: true,
  },
  "together",
);
const INPUT = {
  question: "What is the capital?",
  reply: "Sydney.",
  rawAnswer: "",
  marker: "k3J9xQ2mZ81LpVt7",
};

const FIELDS = '{"city": "Sydney", "why": {"quote": "because", "value": "x"}}';
const GOOD = `{"fields": ${FIELDS}, "traits": {"polite": true}, "refused": false}`;

/** A judge that gives its answers in their order. */
function scripted(...answers: readonly (string | Error)[]): JudgeModel {
  let next = 0;
  return async (): Promise<JudgeAnswer> => {
    const answer = answers[next++];
    if (answer === undefined) throw new Error("nobody expected this call");
    if (answer instanceof Error) throw answer;
    return { text: answer };
  };
}

function judged(judge: JudgeModel, signal?: AbortSignal): ReturnType<typeof judgePart> {
  const request = plannedRequest(PLAN as JudgePlan, INPUT);
  return judgePart(judge, request, { reply: INPUT.reply, ...(signal === undefined ? {} : { signal }) });
}

test("one call gives fields, traits and refusal", async () => {
  const { judgement, calls } = await judged(scripted(GOOD));
  expect(judgement).toEqual({
    status: "read",
    parsed: { city: "Sydney", why: null },
    quotes: {},
    notes: { why: "the quote that the judge gave is not in the reply" },
    rubric: { polite: true },
    refused: false,
  });
  expect(calls.map(({ error, answer }) => ({ error, text: answer.text }))).toEqual([
    { error: undefined, text: GOOD },
  ]);
});

test("an answer that cannot be read is repaired once", async () => {
  const { judgement, calls } = await judged(scripted("Sydney!", GOOD));
  expect(judgement).toMatchObject({ status: "read", parsed: { city: "Sydney" } });
  expect(calls).toMatchObject([{ error: expect.stringContaining("no JSON object") }, {}]);
  const [first, second] = calls.map(({ request }) => request.messages[0]?.content ?? "");
  expect(second?.startsWith(first ?? "?")).toBe(true);
  expect(calls[1]).not.toHaveProperty("error");
});

test("what cannot be repaired is unreadable: null, with the raw texts", async () => {
  const { judgement, calls } = await judged(scripted("Sydney!", '{"fields": {}}'));
  expect(judgement).toMatchObject({
    status: "unreadable",
    parsed: { city: null, why: null },
    notes: { city: expect.stringContaining("could not be read"), why: expect.any(String) },
    rubric: { polite: null },
    refused: null,
  });
  expect(judgement).not.toHaveProperty("unread");
  expect(calls.map(({ answer }) => answer.text)).toEqual(["Sydney!", '{"fields": {}}']);
  expect(calls.every(({ error }) => error !== undefined)).toBe(true);
});

test("one bad field costs that field, not all: the good parts of both answers count", async () => {
  const bad = (fields: object): string =>
    JSON.stringify({ fields, traits: { polite: true }, refused: false });
  const judge = scripted(bad({ city: ["Sydney"], why: null }), bad({ city: {}, why: 5 }));
  expect((await judged(judge)).judgement).toMatchObject({
    status: "unreadable",
    parsed: { city: null, why: null },
    rubric: { polite: true },
    refused: false,
    unread: { fields: ["city"], traits: [] },
  });
  const { judgement } = await judged(scripted(bad({ city: "Sydney", why: 5 }), "?"));
  expect(judgement).toMatchObject({ parsed: { city: "Sydney", why: null }, unread: { fields: ["why"] } });
});

test("an error of the model is no judgement, neither at once nor in the repair", async () => {
  const down = new Error("503");
  await expect(judged(scripted(down))).rejects.toBe(down);
  await expect(judged(scripted("?", down))).rejects.toBe(down);
});

test("the signal reaches the model", async () => {
  const { signal } = new AbortController();
  const signals: unknown[] = [];
  const judge: JudgeModel = async (_request, options) => {
    signals.push(options.signal);
    return { text: GOOD };
  };
  await judged(judge, signal);
  await judged(judge);
  expect(signals).toEqual([signal, undefined]);
});

test("parts that were judged apart are one judgement, unreadable if one of them is", async () => {
  const { judgement } = await judged(scripted(GOOD));
  const other = { ...joinParts([]), status: "unreadable", parsed: { more: 1 }, refused: null } as const;
  expect(joinParts([other, judgement])).toMatchObject({
    status: "unreadable",
    parsed: { city: "Sydney", more: 1 },
    refused: false,
  });
});
