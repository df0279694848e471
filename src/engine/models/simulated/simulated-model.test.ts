import { describe, expect, test } from "vitest";
import { definition as branching } from "../../../../examples/branching.ts";
import { definition as errorCorrection } from "../../../../examples/error-correction.ts";
import { definition as linear } from "../../../../examples/linear.ts";
import { definition as looping } from "../../../../examples/looping.ts";
import { definition as disclosure } from "../../../../examples/progressive-disclosure.ts";
import { definition as sycophancy } from "../../../../examples/sycophancy-resistance.ts";
import type { Truth } from "../../../core/logic/kleene.ts";
import type { Question } from "../../../core/scenario/definition.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import type { ExtractRule } from "../../../core/templates/extract-rule.ts";
import { type Template, type TemplateField, template, truthFrom } from "../../../core/templates/template.ts";
import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import { assessReply } from "../../grading/judge/assess-reply.ts";
import type { Message } from "../message.ts";
import type { CallContext, ModelReply, SimulatedModel } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { recalledMemory, simulatedModel, writtenMemory } from "./simulated-model.ts";
import { scriptsFor } from "./simulated-text.ts";

function contextAt(turn: number, parts: Partial<CallContext> = {}): CallContext {
  return {
    signal: new AbortController().signal,
    purpose: "subject",
    scenario: "test",
    conversation: "test/1",
    node: "ask",
    turn,
    replicate: 1,
    seed: 1_000 + turn,
    ...parts,
  };
}

function questionOf(
  fields: Readonly<Record<string, TemplateField>>,
  parts: Partial<Question> = {},
): Question {
  const question = { question: "Which is it?", rawAnswer: "", template: template(fields), ...parts };
  return frozenCopy(question, () => {}) as Question;
}

function ask(
  model: SimulatedModel,
  question: Question,
  context: CallContext,
  { messages = [{ role: "user", content: question.question }], state = INITIAL_STATE }: Asked = {},
): Promise<ModelReply> {
  return model.simulate({ messages }, context, { question, state });
}

interface Asked {
  readonly messages?: readonly Message[];
  readonly state?: ScenarioState;
}

/** Plays one question again and again, as a run would: each reply becomes part of the messages. */
async function play(
  reference: string,
  questions: readonly Question[],
  parts: Partial<CallContext> = {},
): Promise<readonly (ModelReply & { readonly verdict: Truth })[]> {
  const model = simulatedModel(reference);
  const messages: Message[] = [];
  const replies: (ModelReply & { readonly verdict: Truth })[] = [];
  for (const [index, question] of questions.entries()) {
    messages.push({ role: "user", content: question.question });
    const seed = 1_000 * (parts.replicate ?? 1) + index;
    const reply = await ask(model, question, contextAt(index + 1, { seed, ...parts }), { messages });
    const { verifyResult } = await assessReply(null, { question, reply: reply.text, marker: "-" });
    replies.push({ ...reply, verdict: verifyResult });
    const native = reply.native === undefined ? {} : { native: reply.native };
    messages.push({ role: "assistant", content: reply.text, ...native });
  }
  return replies;
}

const RULES: Readonly<Record<string, TemplateField & { readonly extract: ExtractRule }>> = {
  letter: {
    type: "enum",
    values: ["A", "B", "C", "D"],
    description: "the option chosen",
    truth: "C",
    extract: { type: "letter" },
  },
  number: { type: "number", description: "the total", truth: 12.5, extract: { type: "number" } },
  regex: {
    type: "string",
    description: "the code",
    truth: "K42",
    extract: { type: "regex", pattern: "code\\s*=\\s*([A-Z]\\d+)" },
  },
  aliases: {
    type: "string",
    description: "the protein",
    truth: "BCL-2",
    extract: { type: "aliases", values: { "BCL-2": ["bcl2"], "MCL-1": ["mcl1"], "BCL-XL": [] } },
  },
  stance: { type: "boolean", description: "whether it holds", truth: false, extract: { type: "stance" } },
  date: {
    type: "date",
    description: "the day",
    truth: "2024-02-29",
    extract: { type: "regex", pattern: "(\\d{4}-\\d{2}-\\d{2})" },
  },
};

describe.each(Object.entries(RULES))("with the rule %s", (name, field) => {
  const question = questionOf({ [name]: field });
  const four = [question, question, question, question];
  const verdicts = async (reference: string): Promise<readonly Truth[]> =>
    (await play(reference, four)).map(({ verdict }) => verdict);

  test.each([
    ["sim/steadfast", [true, true, true, true]],
    ["sim/sycophant", [true, false, false, false]],
    ["sim/sycophant?after=3", [true, true, true, false]],
    ["sim/sycophant?after=0", [false, false, false, false]],
    ["sim/stubborn", [false, false, false, false]],
    ["sim/learner", [false, true, true, true]],
    ["sim/learner?after=2", [false, false, true, true]],
    ["sim/waverer?flip=0", [true, true, true, true]],
    ["sim/waverer?flip=1", [true, false, true, false]],
    ["sim/silent", [null, null, null, null]],
    ["sim/silent?empty=0", [null, null, null, null]],
    ["sim/flaky?fail=0", [true, true, true, true]],
  ])("%s", async (reference, expected) => {
    expect(await verdicts(reference)).toEqual(expected);
  });

  test("every replicate reads the same and says it in other words", async () => {
    for (const [reference, verdict] of [
      ["sim/steadfast", true],
      ["sim/stubborn", false],
    ] as const) {
      const texts = new Set<string>();
      for (let replicate = 1; replicate <= 8; replicate++) {
        for (const reply of await play(reference, four, { replicate })) {
          expect([reply.text, reply.verdict]).toEqual([reply.text, verdict]);
          texts.add(reply.text);
        }
      }
      expect(texts.size).toBeGreaterThan(16);
    }
  });
});

test("the stubborn one stays with one wrong answer", async () => {
  const question = questionOf({ total: RULES.number as TemplateField });
  const replies = await play("sim/stubborn", [question, question, question]);
  const numbers = replies.map(({ text }) => /-?\d+(?:\.\d+)?/.exec(text)?.[0]);
  expect(new Set(numbers)).toEqual(new Set(["13.5"]));
});

test("the author's wrong answers are used, unless they are right", async () => {
  const city: TemplateField = { type: "string", description: "the city", truth: "Canberra" };
  const question = questionOf({ city }, { metadata: { wrongAnswers: ["canberra ", "Melbourne"] } });
  const [reply] = await play("sim/stubborn", [question]);
  expect(reply?.text).toContain("Melbourne");
});

test("who gives in takes up what the challenger proposes, and apologises", async () => {
  const { ask: first, doubt, recover } = sycophancy.nodes;
  const questions = [first, doubt, recover].map((node) => (node as { question: Question }).question);
  const [right, wrong, later] = await play("sim/sycophant", questions);
  expect(right?.text).toContain("Canberra");
  expect(wrong?.text).toContain("Sydney");
  expect(wrong?.text).toMatch(/sorry|apolog/i);
  expect(later?.text).toContain("Sydney");
});

test("who learns gives thanks", async () => {
  const question = questionOf({ letter: RULES.letter as TemplateField });
  const replies = await play("sim/learner", [question, question]);
  expect(replies[1]?.text).toMatch(/thank|grateful/i);
});

test("turns that nothing verifies do not count", async () => {
  const question = questionOf({ letter: RULES.letter as TemplateField });
  const chat = frozenCopy({ question: "Hello!", rawAnswer: "Hello." }, () => {}) as Question;
  const replies = await play("sim/sycophant", [chat, chat, question, chat, question]);
  expect(replies.map(({ verdict }) => verdict)).toEqual([null, null, true, null, false]);
  expect(replies[0]?.text).toContain("Hello.");
});

test("where nothing verifies the reply, a waverer keeps its mind for the next turn that does", async () => {
  const question = questionOf({ letter: RULES.letter as TemplateField });
  const chat = frozenCopy({ question: "Go on.", rawAnswer: "Yes?" }, () => {}) as Question;
  const replies = await play("sim/waverer?flip=1", [question, chat, chat, question, chat, question]);
  expect(replies.map(({ verdict }) => verdict)).toEqual([true, null, null, false, null, true]);
});

test("a wrong answer is wrong in every field that can be wrong", async () => {
  const number = (truth: number, pattern: string): TemplateField => ({
    type: "integer",
    description: "a number",
    truth,
    check: { type: "numeric_tolerance", tolerance: 5, mode: "absolute" },
    extract: { type: "regex", pattern },
  });
  const question = questionOf({ first: number(10, "first: (\\d+)"), second: number(20, "second: (\\d+)") });
  const [reply] = await play("sim/stubborn", [question]);
  const { fields } = await assessReply(null, { question, reply: reply?.text ?? "", marker: "-" });
  expect([fields.first?.result, fields.second?.result]).toEqual([false, false]);
});

test("how often a waverer changes its mind follows from `flip`", async () => {
  const question = questionOf({ letter: RULES.letter as TemplateField });
  let flips = 0;
  for (let replicate = 1; replicate <= 100; replicate++) {
    const replies = await play("sim/waverer", Array(11).fill(question), { replicate });
    for (let turn = 1; turn < replies.length; turn++) {
      if (replies[turn]?.verdict !== replies[turn - 1]?.verdict) flips++;
    }
  }
  // 1,000 draws of 0.3: 300, with a standard deviation of 14.5; the draws are seeded, so this never varies.
  expect(flips).toBeGreaterThan(240);
  expect(flips).toBeLessThan(360);
});

test("a silent subject is silent as often as asked", async () => {
  const question = questionOf({ letter: RULES.letter as TemplateField });
  const always = await play("sim/silent?empty=1", [question, question]);
  expect(always.map(({ text }) => text)).toEqual(["", ""]);
  const never = await play("sim/silent?empty=0", [question, question]);
  expect(never.every(({ text }) => text !== "")).toBe(true);
});

describe("a flaky subject", () => {
  const question = questionOf({ letter: RULES.letter as TemplateField });

  /** What each of ten attempts comes to. */
  async function attempts(model: SimulatedModel, turn: number): Promise<readonly string[]> {
    const outcomes: string[] = [];
    for (let attempt = 0; attempt < 10; attempt++) {
      const outcome = await ask(model, question, contextAt(turn)).then(
        () => "reply",
        (error: ModelError) => (error.passing ? error.category : `not passing: ${error.category}`),
      );
      outcomes.push(outcome);
      if (outcome === "reply") break;
    }
    return outcomes;
  }

  test("fails now and again, differently on each attempt, and the same way in each run", async () => {
    const runs = await Promise.all(
      [1, 2].map(async () => {
        const model = simulatedModel("sim/flaky?fail=0.5");
        const turns: (readonly string[])[] = [];
        for (let turn = 1; turn <= 40; turn++) turns.push(await attempts(model, turn));
        return turns;
      }),
    );
    expect(runs[0]).toEqual(runs[1]);
    const categories = new Set(runs[0]?.flat());
    expect(categories.size).toBe(6);
    expect(runs[0]?.every((outcomes) => outcomes.at(-1) === "reply")).toBe(true);
    expect(runs[0]?.some((outcomes) => outcomes.length > 2)).toBe(true);
  });

  test("never recovers where its failure is permanent", async () => {
    const model = simulatedModel("sim/flaky?permanent=1");
    expect(await attempts(model, 1)).toEqual(Array(10).fill("not passing: permission"));
  });
});

test("the same call gives the same reply, in whatever order and however often it is made", async () => {
  const question = questionOf({
    letter: RULES.letter as TemplateField,
    total: RULES.number as TemplateField,
  });
  const calls = Array.from({ length: 30 }, (_, index) =>
    contextAt(1 + (index % 5), { replicate: 1 + (index % 3), seed: index, node: `node ${index % 2}` }),
  );
  const once = simulatedModel("sim/waverer");
  const forwards = [];
  for (const context of calls) forwards.push(await ask(once, question, context));
  const again = simulatedModel("sim/waverer");
  const backwards = [];
  // Another question object, so that nothing prepared is shared.
  const other = questionOf({ letter: RULES.letter as TemplateField, total: RULES.number as TemplateField });
  for (const context of calls.toReversed()) backwards.push(await ask(again, other, context));
  expect(backwards.toReversed()).toEqual(forwards);
  const reseeded = simulatedModel("sim/waverer", { seed: 7 });
  const texts = await Promise.all(calls.map((context) => ask(reseeded, question, context)));
  expect(texts).not.toEqual(forwards);
});

const EXAMPLES = [branching, disclosure, looping, linear, errorCorrection, sycophancy];

test.each(EXAMPLES.map((definition) => [definition.name, definition] as const))(
  "can answer every question of the example %s, rightly and wrongly",
  (_, { nodes }) => {
    for (const { question } of Object.values(nodes)) {
      for (const right of [true, false]) {
        const script = scriptsFor(question)?.script({ right, proposed: [], state: INITIAL_STATE });
        expect([question.question, right, script?.isSound]).toEqual([question.question, right, true]);
      }
    }
  },
);

test("a truth that depends on the past is looked up in the state", async () => {
  const letter: TemplateField = {
    ...(RULES.letter as TemplateField),
    truth: truthFrom("accumulated.side", { cases: { left: "A", right: "D" }, otherwise: "B" }),
  };
  const question = questionOf({ letter });
  for (const [side, expected] of [
    ["left", "A"],
    ["right", "D"],
    ["up", "B"],
  ]) {
    const state = { ...INITIAL_STATE, accumulated: { side } };
    const reply = await ask(simulatedModel("sim/steadfast"), question, contextAt(1), { state });
    const { parsed, verifyResult } = await assessReply(null, {
      question,
      reply: reply.text,
      state,
      marker: "-",
    });
    expect([parsed.letter, verifyResult]).toEqual([expected, true]);
  }
});

test("checks on the raw reply are met, and missed", async () => {
  const question = questionOf({
    cites: {
      type: "string",
      description: "the source",
      truth: null,
      check: { type: "trace_contains", substring: "[WHO 2019]" },
    },
    long: {
      type: "string",
      description: "the length",
      truth: null,
      check: { type: "trace_length", min: 60, unit: "words" },
    },
    letter: RULES.letter as TemplateField,
  });
  expect((await play("sim/steadfast", [question, question])).map(({ verdict }) => verdict)).toEqual([
    true,
    true,
  ]);
  expect((await play("sim/stubborn", [question])).map(({ verdict }) => verdict)).toEqual([false]);
});

test("a hostile question gives a reply all the same", async () => {
  const throwing: Template = {
    fields: { letter: RULES.letter as TemplateField },
    verify: () => {
      throw new Error("no");
    },
  };
  const empty: Template = { fields: {} };
  const impossible = template({
    text: {
      type: "string",
      description: "",
      truth: "x",
      check: { type: "regex_match", pattern: "a{1,9}b(" },
    },
  });
  for (const given of [throwing, empty, impossible]) {
    const question = {
      question: "",
      rawAnswer: "",
      template: given,
      metadata: { wrongAnswers: [null, {}, 3] },
    };
    for (const name of ["steadfast", "stubborn", "silent"]) {
      const reply = await ask(simulatedModel(`sim/${name}`), question, contextAt(1));
      expect(typeof reply.text).toBe("string");
    }
  }
});

test("usage is estimated, the price is nothing, and what was asked is not changed", async () => {
  const model = simulatedModel("sim/steadfast");
  const question = questionOf({ letter: RULES.letter as TemplateField });
  const request = {
    instructions: "x".repeat(40),
    messages: [{ role: "user", content: "y".repeat(41) }],
  } as const;
  const before = structuredClone(request);
  const { usage, text, finish } = await model.simulate(request, contextAt(1), {
    question,
    state: INITIAL_STATE,
  });
  expect(usage).toEqual({ inputTokens: 21, outputTokens: Math.ceil(text.length / 4) });
  expect([finish, model.price, model.account]).toEqual(["stop", null, "sim"]);
  expect(request).toEqual(before);
});

test("waiting can be cancelled, and a cancelled call is not begun", async () => {
  const model = simulatedModel("sim/steadfast", { latency: 60_000 });
  const question = questionOf({ letter: RULES.letter as TemplateField });
  const controller = new AbortController();
  const reply = ask(model, question, contextAt(1, { signal: controller.signal }));
  controller.abort();
  await expect(reply).rejects.toMatchObject({ category: "cancelled" });
  await expect(ask(model, question, contextAt(1, { signal: controller.signal }))).rejects.toBeInstanceOf(
    ModelError,
  );
});

function remembering(native?: JsonValue): Message {
  return { role: "assistant", content: "…", ...(native === undefined ? {} : { native }) };
}

test("what a reply remembers is recalled later, whoever spoke since", () => {
  const memory = { unverified: 2, changes: 1 };
  const { native } = writtenMemory(memory);
  expect(
    recalledMemory([
      remembering(native),
      { role: "user", content: "?" },
      remembering({ provider: "openai" }),
    ]),
  ).toEqual(memory);
  expect(
    recalledMemory([remembering(native), remembering(writtenMemory({ unverified: 3, changes: 1 }).native)]),
  ).toEqual({
    unverified: 3,
    changes: 1,
  });
});

test("with nothing to remember, nothing is written", () => {
  expect(writtenMemory({ unverified: 0, changes: 0 })).toEqual({});
  expect(recalledMemory([])).toEqual({ unverified: 0, changes: 0 });
});

test("what somebody else wrote there does no harm", () => {
  for (const sim of [null, 3, "x", { unverified: -1, changes: "many" }, { unverified: 1e300 }]) {
    expect(recalledMemory([remembering({ sim })])).toEqual({ unverified: 0, changes: 0 });
  }
});
