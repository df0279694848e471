import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Rng } from "../../src/core/rng.ts";
import type { ScenarioDefinition } from "../../src/core/scenario/definition.ts";
import { memoryStore } from "../../src/engine/journal/store/memory-store.ts";
import type { Store } from "../../src/engine/journal/store/store.ts";
import type { RunOptions } from "../../src/engine/run/run-options.ts";
import { runScenarios } from "../../src/engine/run/run-scenarios.ts";
import { planRun } from "../../src/insight/analysis/plan/plan-run.ts";
import { startModelServer } from "../model-servers/model-server.ts";
import { OPENAI } from "../model-servers/openai-server.ts";
import { type PackItem, packItems } from "../packs/pack-items.ts";

const SUBJECT = "gpt-5-mini";
const JUDGE = "gpt-5-nano";

/** A tokenizer of its own kind, which knows nothing of ours: pieces of words, numbers and signs. */
function tokensIn(text: string): number {
  return text.match(/[A-Za-z]{1,7}|\d{1,3}|[^\sA-Za-z\d]+/g)?.length ?? 0;
}

/** A model that knows the right answers to some questions, is right as often as it is told to, and counts what it is asked. */
async function startSubject(items: readonly PackItem[], right: number) {
  const answers = new Map<string, { readonly right: string; readonly wrong: readonly string[] }>();
  for (const { row, definition } of items)
    for (const { question } of Object.values(definition.nodes))
      answers.set(question.question.trim(), {
        right: `The answer is ${question.rawAnswer}.`,
        wrong: [row.wrong].flat(2).map((wrong) => `The answer is ${wrong}.`),
      });
  const counted = { calls: { [SUBJECT]: 0, [JUDGE]: 0 }, tokens: 0 };
  const server = await startModelServer({
    ...OPENAI,
    answer(path, body, served) {
      const { model } = body as { readonly model: typeof SUBJECT | typeof JUDGE };
      const { texts, instructions = "", lastUser } = OPENAI.read(body);
      const sent = [instructions, ...texts];
      const schema = JSON.stringify((body as { text?: unknown; response_format?: unknown }).text ?? "");
      const text = model === JUDGE ? judged(lastUser, schema) : reply(sent, lastUser);
      const usage = {
        input: tokensIn(sent.join("\n")) + tokensIn(schema) + 4 * sent.length,
        output: tokensIn(text),
      };
      counted.calls[model]++;
      counted.tokens += usage.input + usage.output;
      return OPENAI.answer(path, body, { ...served, text, usage });
    },
  });
  onTestFinished(() => server.close());
  const reply = (sent: readonly string[], question: string): string => {
    const rng = new Rng(JSON.stringify(sent));
    const { right: truth, wrong } = answers.get(question.trim()) ?? { right: "Nothing.", wrong: [] };
    const said = rng.happens(right) ? truth : (wrong[0] ?? "Something else.");
    // Some replies are hard to read for rules.
    const isVague = rng.happens(0.15);
    const ending = " I have gone over it once more, and I am as sure of it as one can be.".repeat(
      1 + rng.below(3),
    );
    return isVague
      ? `There is more to it than meets the eye, and I would rather not say.${ending}`
      : `${said}${ending}`;
  };
  /** How long its replies are, in the mean over all questions. */
  const questions = [...answers.keys()];
  const lengths = questions.map((question) => tokensIn(reply(["how long?", question], question)));
  const replyTokens = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return { server, counted, replyTokens };
}

/** Finds nothing, which is an answer, too. */
function judged(_request: string, schema: string): string {
  const { format } = JSON.parse(schema === '""' ? "{}" : schema) as {
    format?: { schema?: { properties?: { fields?: { properties?: object } } } };
  };
  const names = Object.keys(format?.schema?.properties?.fields?.properties ?? {});
  return JSON.stringify({ fields: Object.fromEntries(names.map((name) => [name, null])) });
}

async function taken(options: RunOptions): Promise<void> {
  for await (const _ of runScenarios({ ...options, keepResults: false }));
}

function optionsFor(
  scenarios: readonly ScenarioDefinition[],
  server: { readonly url: string },
  store: Store,
): RunOptions {
  return {
    scenarios,
    subjects: `openai/${SUBJECT}`,
    store,
    environment: { OPENAI_API_KEY: "not-needed", OPENAI_BASE_URL: `${server.url}/v1` },
  };
}

function off(forecast: number, real: number): number {
  return Math.abs(forecast - real) / real;
}

describe.each(["pressure", "repair", "disclosure"])(
  "the forecast for pack:%s against a served model",
  (pack) => {
    let items: readonly PackItem[];
    let scenarios: readonly ScenarioDefinition[];
    beforeAll(async () => {
      items = await packItems(pack);
      scenarios = [...new Set(items.map(({ scenario }) => scenario))];
    });

    test("is within 15 % of what the run then takes, from stated assumptions", async () => {
      const { server, counted, replyTokens } = await startSubject(items, 0.8);
      const options = { ...optionsFor(scenarios, server, memoryStore()), judge: "rules", replicates: 3 };
      // What a person knows of the model: how often it is right, how much it says, and how much of that is hard to read.
      const plan = await planRun(options, {
        assumptions: { right: 0.8, unreadable: 0.25, reply: replyTokens },
      });
      // Without them, what is expected depends on how often replies are right: the truth lies between the extremes.
      const { extremes, turns } = await planRun(options);
      const { right, wrong } = extremes ?? { right: { turns: 0 }, wrong: { turns: turns.most + 1 } };
      await taken(options);
      expect(counted.calls[SUBJECT]).toBeGreaterThan(Math.min(right.turns, wrong.turns));
      expect(counted.calls[SUBJECT]).toBeLessThan(Math.max(right.turns, wrong.turns));
      expect(counted.calls[SUBJECT]).toBe(server.requests.length);
      expect(off(plan.calls.expected, counted.calls[SUBJECT])).toBeLessThan(0.15);
      // 22 items of different lengths, each with one reply: tokens vary more than calls.
      expect(off(plan.tokens.expected, counted.tokens)).toBeLessThan(0.2);
      expect(plan.calls.least).toBeLessThanOrEqual(counted.calls[SUBJECT]);
      expect(plan.calls.most).toBeGreaterThanOrEqual(counted.calls[SUBJECT]);
    });

    test("is within 15 % with a judge, from an earlier run, and counts exactly what the store has", async () => {
      const { server, counted } = await startSubject(items, 0.7);
      const store = memoryStore();
      const options = { ...optionsFor(scenarios, server, store), judge: `openai/${JUDGE}` };
      await taken({ ...options, replicates: 1, run: "pilot" });
      const before = { calls: server.requests.length, tokens: counted.tokens };
      const more = { ...options, replicates: 3 };
      const plan = await planRun(more);
      expect(plan.from?.runs).toEqual(["pilot"]);
      expect(plan.cached.calls).toBe(before.calls);
      await taken({ ...more, run: "more" });
      const calls = server.requests.length - before.calls;
      expect(off(plan.calls.expected, calls)).toBeLessThan(0.15);
      expect(off(plan.tokens.expected, counted.tokens - before.tokens)).toBeLessThan(0.15);
      // Now everything is stored.
      const again = await planRun(more, { from: "pilot" });
      expect(again.calls).toEqual({ least: 0, expected: 0, most: 0 });
      expect(again.cached.calls).toBe(server.requests.length);
      expect(again.cached.conversations).toBe(3 * items.length);
    });
  },
);
