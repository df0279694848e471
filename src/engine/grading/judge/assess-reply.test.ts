import { describe, expect, test } from "vitest";
import type { Question } from "../../../core/scenario/definition.ts";
import { functionTrait, llmTrait, metricTrait, regexTrait } from "../../../core/templates/rubric.ts";
import { template } from "../../../core/templates/template.ts";
import { assessReply, type ReplyToAssess } from "./assess-reply.ts";
import type { JudgeModel } from "./judge-turn.ts";

const question: Question = {
  question: "What is the capital of Australia, and since when?",
  rawAnswer: "Canberra, since 1913.",
  template: template({
    city: { type: "string", description: "the city named", truth: "Canberra" },
    year: { type: "integer", description: "the year named", truth: 1913, extract: { type: "number" } },
  }),
};
const input: ReplyToAssess = { question, reply: "The answer is 1913.", marker: "0123456789abcdef" };

/** A judge that gives these answers, one after the other. */
function judgeSaying(...answers: unknown[]): JudgeModel & { readonly calls: string[] } {
  const calls: string[] = [];
  const judge: JudgeModel = async ({ messages }) => {
    calls.push(messages[0]?.content ?? "");
    const answer = answers[Math.min(calls.length, answers.length) - 1];
    return { text: JSON.stringify(answer), usage: { inputTokens: 10, outputTokens: 2 } };
  };
  return Object.assign(judge, { calls });
}

describe("assessReply", () => {
  test("rules and a judge read, code decides", async () => {
    const judge = judgeSaying({ fields: { city: "canberra" } });
    const assessment = await assessReply(judge, input);
    expect(assessment).toMatchObject({
      verifyResult: true,
      score: 1,
      parsed: { city: "canberra", year: 1913 },
      status: "read",
      refused: null,
    });
    expect(assessment.calls).toMatchObject([{ answer: { usage: { inputTokens: 10, outputTokens: 2 } } }]);
    expect(judge.calls).toHaveLength(1);
  });

  test("without a judge, what needs one is null", async () => {
    const assessment = await assessReply(null, input);
    expect(assessment).toMatchObject({ verifyResult: null, score: 0.5, parsed: { year: 1913 }, calls: [] });
  });

  test("a template that rules can read costs no call", async () => {
    const judge = judgeSaying({});
    const { year } = (question.template?.fields ?? {}) as Record<string, never>;
    await assessReply(judge, {
      ...input,
      question: { ...question, template: template({ year: year as never }) },
    });
    expect(judge.calls).toEqual([]);
  });

  test("a judge reads what rules leave unread; with `rules` it does not, with `judge` it reads everything", async () => {
    const judge = judgeSaying({ fields: { city: "Canberra", year: 1913 } });
    const silent = { ...input, reply: "Canberra; ask me another time since when." };
    expect(await assessReply(judge, silent)).toMatchObject({ verifyResult: true, parsed: { year: 1913 } });
    expect(await assessReply(judge, { ...silent, reading: "rules" })).toMatchObject({
      verifyResult: null,
      parsed: { city: "Canberra", year: null },
    });
    expect(judge.calls[0]).not.toContain("cut off");
    await assessReply(judge, { ...input, reading: "judge" });
    expect(await assessReply([judge, judge], silent)).toMatchObject({ verifyResult: true });
    // It ends in the middle of a calculation: no rule reads it, and the judge is told.
    await assessReply(judge, { ...silent, reply: "Canberra. 1900 + 1", finish: "length" });
    expect(judge.calls.at(-1)).toContain("It was cut off before its end");
  });

  test("who declines to answer has not answered rightly", async () => {
    const judge = judgeSaying({ fields: { city: null }, refused: true });
    const assessment = await assessReply(judge, { ...input, detectRefusal: true });
    expect(assessment).toMatchObject({ verifyResult: false, score: 0, refused: true });
  });

  test("an answer that cannot be read twice is no verdict, and keeps the raw text", async () => {
    const judge = judgeSaying("nonsense");
    const assessment = await assessReply(judge, input);
    expect(assessment).toMatchObject({
      verifyResult: null,
      status: "unreadable",
      parsed: { city: null, year: 1913 },
    });
    expect(assessment.calls.map(({ answer }) => answer.text)).toEqual(['"nonsense"', '"nonsense"']);
  });

  test("an error of the model is passed on", async () => {
    const judge: JudgeModel = async () => {
      throw new Error("503");
    };
    await expect(assessReply(judge, input)).rejects.toThrow("503");
  });

  test("traits of all kinds become values", async () => {
    const traits = [
      llmTrait("polite", { kind: "boolean" }),
      llmTrait("certain", { kind: "score", min: 0, max: 3 }),
      regexTrait("digits", { pattern: "\\d" }),
      functionTrait("length", (reply) => reply.length),
      metricTrait("coverage", { expected: ["names a year", "names a city"] }),
    ];
    const judge = judgeSaying({
      fields: { city: "Canberra" },
      traits: { polite: true, certain: 0, coverage: { expected_1: true, expected_2: false } },
    });
    const { rubric } = await assessReply(judge, { ...input, traits });
    expect(rubric).toEqual({ polite: true, certain: 0, digits: true, length: 19, coverage: 2 / 3 });
  });

  test("a question without a template has no verdict", async () => {
    const speaks = { question: "Thank you.", rawAnswer: "" };
    expect(await assessReply(null, { ...input, question: speaks })).toMatchObject({
      verifyResult: null,
      score: null,
      fields: {},
    });
  });

  test("several judges decide together", async () => {
    const says = (city: string | null): JudgeModel => judgeSaying({ fields: { city } });
    const assessment = await assessReply([says("Canberra"), says("canberra"), says("Sydney")], input);
    expect(assessment.verifyResult).toBe(true);
    expect(assessment.calls).toHaveLength(3);
    const split = await assessReply([says("Canberra"), says("Sydney")], input);
    expect(split.verifyResult).toBe(null);
  });

  test("what is judged apart is asked at the same time, and each part once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked: string[] = [];
    const judge: JudgeModel = async ({ schema }) => {
      // Each call waits for the other one to begin.
      if (asked.push(JSON.stringify(schema)) === 2) resolve();
      await promise;
      return {
        text: JSON.stringify(schema).includes("polite")
          ? '{"traits": {"polite": true}}'
          : '{"fields": {"city": "Canberra"}}',
      };
    };
    const traits = [llmTrait("polite", { kind: "boolean" })];
    const assessment = await assessReply(judge, { ...input, traits, judging: "separate" });
    expect(assessment).toMatchObject({ verifyResult: true, rubric: { polite: true }, status: "read" });
    expect(asked).toHaveLength(2);
  });
});
