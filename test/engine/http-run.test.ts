import type { RunOptions, SubjectOption } from "elenchus";
import { httpModel } from "elenchus/models";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DEFAULTS } from "../../src/core/defaults.ts";
import type { Clock } from "../../src/core/environment.ts";
import { sleepBy, systemClock } from "../../src/engine/run/calls/clock.ts";
import { anthropicServer } from "../model-servers/anthropic-server.ts";
import { googleServer } from "../model-servers/google-server.ts";
import {
  contentText,
  type Fault,
  type ModelServer,
  startModelServer,
} from "../model-servers/model-server.ts";
import { openaiServer } from "../model-servers/openai-server.ts";
import { KEY } from "../model-servers/server-harness.ts";
import { chainOf, held, only } from "./held.ts";

type Served = Pick<RunOptions, "environment"> & { readonly subjects: SubjectOption };

/** Each kind of model, its server, and how a run names it. */
const KINDS: readonly (readonly [string, () => Promise<ModelServer>, (url: string) => Served])[] = [
  ["openai-compatible", openaiServer, compatible],
  ["openai", openaiServer, openai],
  ["anthropic", anthropicServer, anthropic],
  ["google", googleServer, google],
  ["http", openaiServer, endpoint],
];

function compatible(url: string): Served {
  const environment = { OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`, OPENAI_COMPATIBLE_API_KEY: KEY };
  return { subjects: "openai-compatible/local", environment };
}

function openai(url: string): Served {
  return {
    subjects: "openai/gpt-5-mini",
    environment: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY },
  };
}

function anthropic(url: string): Served {
  const environment = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY };
  return { subjects: "anthropic/claude-sonnet-4-5", environment };
}

function google(url: string): Served {
  const environment = { GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`, GEMINI_API_KEY: KEY };
  return { subjects: "google/gemini-2.5-flash", environment };
}

function endpoint(url: string): Served {
  const environment = { AGENT_KEY: KEY };
  const name = "agent";
  return {
    subjects: httpModel({ url: `${url}/v1/chat/completions`, name, keyVariable: "AGENT_KEY", environment }),
  };
}

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly response_format?: { readonly type: string };
}

/** A judge behind OpenAI's protocol that reads `right` as whether the reply asks for question 0 or 2. */
function judgeServer(): Promise<ModelServer> {
  const lastUser = (body: unknown): string =>
    contentText((body as ChatBody).messages.findLast(({ role }) => role === "user")?.content);
  return startModelServer({
    answer(_path, body) {
      const [, reply = ""] =
        /The reply to record:[\s\S]*?\n([\s\S]*?)\n[^\n]*\n\nThe quoted text ends/.exec(lastUser(body)) ?? [];
      const content = JSON.stringify({ fields: { right: /Question [02]\?/.test(reply) } });
      return {
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 0,
        model: (body as ChatBody).model,
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
        usage: { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 },
      };
    },
    error: (_status, message) => ({ error: { message } }),
    read: (body) => ({ first: true, texts: [], lastUser: lastUser(body) }),
  });
}

// Not the default, which adapts to how quickly models answer: on a busy machine that would end calls at random.
const CALL_MS = 170_000;

/** Time that goes a hundred times as fast; calls run out of time when the test says so. */
class FastClock implements Clock {
  readonly #start = systemClock.now();
  readonly #calls = new Set<() => void>();

  now(): number {
    return this.#start + (systemClock.now() - this.#start) * 100;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, milliseconds, signal);
  }

  after(milliseconds: number, action: () => void): () => void {
    if (milliseconds !== CALL_MS && milliseconds !== DEFAULTS.callTimeoutMs)
      return systemClock.after(milliseconds / 100, action);
    this.#calls.add(action);
    return () => this.#calls.delete(action);
  }

  endCalls(): void {
    for (const action of this.#calls) action();
  }
}

const SAID = `The key ${KEY} is not what it should be`;
/** By the clock of the server, whose clock is the one that counts. */
const DATE = "Mon, 16 Nov 2026 00:00:00 GMT";
const IN_20_SECONDS = "Mon, 16 Nov 2026 00:00:20 GMT";

/** What may pass, as each provider may see it, and the category that it must get. */
const PASSING: readonly (readonly [Fault, string])[] = [
  [{ status: 500, message: SAID }, "server"],
  [{ status: 529, message: SAID }, "server"],
  ["reset", "connection"],
  ["cut off", "connection"],
  ["stalled body", "timeout"],
  ["truncated", "bad_response"],
  [{ raw: `<html>${SAID}</html>`, type: "text/html" }, "bad_response"],
  // Last, because whoever was refused goes slowly from then on.
  [{ status: 429, message: SAID, headers: { "retry-after": "5" } }, "rate_limit"],
  [{ status: 429, message: SAID, headers: { "retry-after": IN_20_SECONDS, date: DATE } }, "rate_limit"],
];

/** A run whose events and results are searched for the key before anybody looks at them. */
async function run(options: RunOptions, clock?: FastClock): ReturnType<typeof held> {
  const kept = await held({ judge: "rules", ...options }, clock === undefined ? {} : { clock });
  const written = JSON.stringify(kept);
  expect(written).not.toContain(KEY);
  expect(written).not.toContain(KEY.slice(8));
  return kept;
}

let judge: ModelServer;

beforeEach(async () => {
  judge = await judgeServer();
});

afterEach(() => judge.close());

/** The judge, to be named beside any subject. */
function judgedBy(
  server: ModelServer,
  environment: RunOptions["environment"] = {},
): Pick<RunOptions, "judge" | "providers" | "environment"> {
  return {
    judge: "judges/strict",
    providers: { judges: { baseUrl: `${server.url}/v1`, apiKeyVariable: "JUDGE_KEY" } },
    environment: { ...environment, JUDGE_KEY: KEY },
  };
}

describe.each(KINDS)("%s", (kind, start, served) => {
  let server: ModelServer;

  beforeEach(async () => {
    server = await start();
  });

  afterEach(() => server.close());

  test("every fault that may pass is tried again, and nothing is lost", async () => {
    const clock = new FastClock();
    const given = served(server.url);
    server.next({}, ...PASSING.map(([fault]) => fault), "slow start");
    judge.next({ status: 500, message: SAID }, "truncated");
    const running = run(
      {
        ...given,
        ...judgedBy(judge, given.environment),
        scenarios: chainOf(3),
        timeouts: { callMs: CALL_MS },
      },
      clock,
    );
    const stalled = 2 + PASSING.findIndex(([fault]) => fault === "stalled body");
    await server.handled(stalled);
    clock.endCalls();
    const { results, events } = await running;

    const [result] = results;
    expect(result?.status).toBe("completed");
    expect(result?.turns.map(({ reply }) => reply)).toEqual(
      [0, 1, 2].map((index) => `Reply to: Question ${index}?`),
    );
    expect(result?.turns.map(({ verifyResult }) => verifyResult)).toEqual([true, false, true]);
    const retries = only(events, "retry").filter(({ call }) => call.includes("subject"));
    expect(retries.map(({ turn, attempt, category }) => [turn, attempt, category])).toEqual(
      PASSING.map(([, category], index) => [2, index + 1, category]),
    );
    const [seconds, date] = retries.slice(-2).map(({ delayMs }) => delayMs);
    expect(seconds).toBeGreaterThanOrEqual(5000);
    expect(date).toBeGreaterThanOrEqual(20_000);
    expect(
      only(events, "retry")
        .filter(({ call }) => call.includes("judge"))
        .map(({ category }) => category)
        .sort(),
    ).toEqual(["bad_response", "server"]);
    const attempts = only(events, "call-end").filter(({ call }) => call === "2.subject.1");
    expect(attempts).toMatchObject([{ attempts: PASSING.length + 1, cached: false }]);
    expect(server.requests).toHaveLength(3 + PASSING.length);
    expect(judge.requests).toHaveLength(3 + 2);
    // What is tried again is what was tried before.
    const [first, ...again] = server.requests.slice(1, PASSING.length + 2);
    for (const request of again) expect(request.body).toEqual(first?.body);
    expect(JSON.stringify(first?.headers)).toContain(KEY);
  });

  test.each([
    [400, "bad_request"],
    [401, "authentication"],
    [403, "permission"],
    [404, "not_found"],
  ])("%i is told at once, and the turn before is kept", async (status, category) => {
    server.next({}, { status, message: SAID });
    const { results, events } = await run({ ...served(server.url), scenarios: chainOf(3) });
    expect(results[0]).toMatchObject({
      status: "error",
      turnCount: 1,
      path: ["n0"],
      failure: { category, stage: "subject", node: "n1", turn: 2, statusCode: status },
    });
    expect(results[0]?.turns[0]).toMatchObject({ reply: "Reply to: Question 0?", next: "n1" });
    expect(results[0]?.failure?.message).toContain("is not what it should be");
    expect(only(events, "retry")).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  test("as a judge it follows the schema, and reads", async () => {
    const { subjects, ...given } = served(server.url);
    server.next(
      { text: '{"fields":{"right":true}}' },
      { text: '{"fields":{"right":false}}' },
      { text: "I cannot say." },
      { text: '{"fields":{"right":true}}' },
      { text: "I cannot say." },
      { text: "I still cannot say." },
    );
    const { results, events } = await run({
      ...given,
      subjects: async () => "yes",
      judge: subjects as string,
      scenarios: chainOf(1),
      replicates: 4,
      concurrency: 1,
    });
    const turns = results.map(({ turns }) => turns[0]);
    expect(turns.map((turn) => turn?.verifyResult)).toEqual([true, false, true, null]);
    expect(turns.map((turn) => turn?.readStatus)).toEqual(["read", "read", "read", "unreadable"]);
    // It was asked and answered; that nobody can read the answer is no failure.
    expect(turns.map((turn) => turn?.judgeFailure)).toEqual(Array(4).fill(undefined));
    expect(server.requests).toHaveLength(6);
    expect(only(events, "call-end").filter(({ call }) => call.includes("judge"))).toHaveLength(6);
    // An endpoint is promised nothing but messages.
    const hasSchema = JSON.stringify(server.requests[0]?.body).includes("additionalProperties");
    expect(hasSchema).toBe(kind !== "http");
  });

  test("a time limit of the turn is an end, not a failure to be tried again", async () => {
    const clock = new FastClock();
    server.next({}, "stall");
    const running = run(
      {
        ...served(server.url),
        scenarios: chainOf(2),
        timeouts: { turnMs: CALL_MS, callMs: null },
      },
      clock,
    );
    await server.handled(2);
    clock.endCalls();
    const { results, events } = await running;
    expect(results[0]).toMatchObject({
      status: "timeout",
      turnCount: 1,
      failure: {
        category: "timeout",
        stage: "subject",
        node: "n1",
        message: `The turn took longer than ${CALL_MS} ms.`,
      },
    });
    expect(only(events, "retry")).toEqual([]);
  });
});

test("many conversations, faults everywhere: every turn is there, once, with its own reply and verdict", async () => {
  const server = await openaiServer();
  const faults: readonly Fault[] = [
    { status: 500 },
    "reset",
    "truncated",
    { status: 429, headers: { "retry-after": "0" } },
    "cut off",
    { status: 529 },
  ];
  const script = Array.from({ length: 60 }, (_, index) =>
    index % 3 === 0
      ? [faults[(index / 3) % faults.length] as Fault]
      : index % 3 === 1
        ? [{}]
        : ["slow start" as const],
  ).flat();
  server.next(...script);
  judge.next(...faults, ...faults);
  const given = compatible(server.url);
  const policy = { retries: 50, baseMs: 100, capMs: 1000 };
  const { results, events } = await run(
    {
      ...given,
      ...judgedBy(judge, given.environment),
      scenarios: chainOf(4),
      replicates: 25,
      retries: { connection: policy, server: policy, rate_limit: policy, bad_response: policy },
      timeouts: { callMs: CALL_MS },
    },
    new FastClock(),
  );
  expect(results).toHaveLength(25);
  for (const { status, turns } of results) {
    expect(status).toBe("completed");
    expect(turns.map(({ reply, verifyResult }) => [reply, verifyResult])).toEqual(
      [true, false, true, false].map((verdict, index) => [`Reply to: Question ${index}?`, verdict]),
    );
  }
  const failed = script.filter((step) => step !== "slow start" && Object.keys(step).length > 0).length;
  expect(server.requests).toHaveLength(100 + failed);
  expect(judge.requests).toHaveLength(100 + 2 * faults.length);
  expect(only(events, "retry")).toHaveLength(failed + 2 * faults.length);
  expect(only(events, "call-end").filter(({ failure }) => failure !== undefined)).toEqual([]);
  await server.close();
});

describe("usage", () => {
  test.each<[string, () => Promise<ModelServer>, (url: string) => Served, number, readonly number[]]>([
    ["openai", openaiServer, openai, 1000, [0.25, 0.025, 0, 2]],
    // Anthropic does not count cached input as input.
    ["anthropic", anthropicServer, anthropic, 1000, [3, 0.3, 3.75, 15]],
  ])("of %s is in the events and the results, with its price", async (kind, start, served, input, prices) => {
    const server = await start();
    const [cacheRead, cacheWrite, output] = [600, kind === "anthropic" ? 200 : 0, 50];
    server.next(
      { usage: { input, output } },
      {
        usage: {
          input: kind === "anthropic" ? input - cacheRead - cacheWrite : input,
          output,
          cacheRead,
          cacheWrite,
        },
      },
    );
    const { results, events } = await run({ ...served(server.url), scenarios: chainOf(2) });
    const [plain = 0, read = 0, write = 0, out = 0] = prices.map((price) => price / 1_000_000);
    const first = input * plain + output * out;
    const second =
      (input - cacheRead - cacheWrite) * plain + cacheRead * read + cacheWrite * write + output * out;
    const ends = only(events, "call-end");
    expect(ends[0]?.usage).toMatchObject({ inputTokens: 1000, outputTokens: 50 });
    expect(ends[1]?.usage).toMatchObject({ inputTokens: 1000, outputTokens: 50, cacheReadTokens: 600 });
    expect(ends[0]?.cost).toBeCloseTo(first, 9);
    expect(ends[1]?.cost).toBeCloseTo(second, 9);
    expect(results[0]?.spending).toMatchObject({ calls: 2, cached: 0, tokens: 2100 });
    expect(results[0]?.cost).toBeCloseTo(first + second, 9);
    expect(results[0]?.turns.map(({ spending }) => spending.tokens)).toEqual([1050, 1050]);
    expect(only(events, "run-end")[0]?.spending.cost).toBeCloseTo(first + second, 9);
    await server.close();
  });
});
