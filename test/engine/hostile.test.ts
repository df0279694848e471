import { createServer } from "node:http";
import {
  END,
  type OutcomeFunction,
  question,
  type RunOptions,
  Scenario,
  type ScenarioDefinition,
  type StateUpdate,
} from "elenchus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSandbox, type Sandbox } from "../../src/engine/run/sandbox/open-sandbox.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { chainOf, held, letterQuestion, memoryModel, ticks } from "./held.ts";

// One sandbox stays open, so that the runs share its thread instead of each starting one.
let shared: Sandbox;
beforeAll(async () => {
  shared = openSandbox({ seed: 0 });
});
afterAll(() => shared.dispose());

function withCode(code: {
  readonly stateUpdate?: StateUpdate | string;
  readonly when?: unknown;
  readonly verify?: unknown;
  readonly outcome?: OutcomeFunction | string;
}): ScenarioDefinition {
  const asked = letterQuestion("A or B?");
  const verified =
    code.verify === undefined ? asked : { ...asked, template: { ...asked.template, verify: code.verify } };
  return new Scenario("code")
    .addNode("a", {
      question: verified as typeof asked,
      ...(code.stateUpdate === undefined ? {} : { stateUpdate: code.stateUpdate as never }),
    })
    .addNode("b", { question: letterQuestion("Sure?") })
    .addEdge("a", "b", { when: (code.when ?? { turn: 1 }) as never })
    .addEdge("a", END)
    .addEdge("b", END)
    .addOutcome("outcome", code.outcome ?? ((result) => result.turnCount))
    .setEntry("a")
    .validate();
}

async function run(
  definition: ScenarioDefinition,
  options: Partial<RunOptions> = {},
): ReturnType<typeof held> {
  return held({
    scenarios: definition,
    subjects: memoryModel("subject", () => "B"),
    replicates: 3,
    ...options,
  });
}

const BOMBS: readonly [string, string][] = [
  ["throws", "() => { throw new Error('boom') }"],
  ["throws null", "() => { throw null }"],
  ["loops for ever", "() => { for (;;); }"],
  ["recurses for ever", "() => { const f = () => f() + 1; return f() }"],
  ["eats all memory", "() => { const all = []; for (;;) all.push(new Array(1e5).fill(1)) }"],
  ["returns a promise", "() => Promise.resolve({ n: 1 })"],
  ["returns nonsense", "() => Symbol('x')"],
];

test.each(BOMBS)("a source string that %s harms nothing but itself", async (_, source) => {
  const { results, events } = await run(
    withCode({ stateUpdate: source, when: source, verify: source, outcome: source }),
    { replicates: 2 },
  );
  expect(results.map(({ status }) => status)).toEqual(["completed", "completed"]);
  for (const { path, accumulated, outcomes, turns } of results) {
    expect(path).toEqual(["a"]);
    expect(accumulated).toEqual({});
    expect(turns[0]?.verifyResult).toBeNull();
    expect(outcomes.outcome?.status).toBe("inconclusive");
  }
  // Of each conversation, what its state update and its condition did; those that take all their time are switched off, too.
  const warned = events
    .flatMap((event) => (event.type === "warning" && event.code !== "sources_off" ? [event.code] : []))
    .sort();
  expect(warned).toEqual([
    "condition_failed",
    "condition_failed",
    "state_update_failed",
    "state_update_failed",
  ]);
});

test.each(BOMBS.slice(0, 2))(
  "a function of the author that %s harms nothing but itself",
  async (_, source) => {
    const bomb = new Function(`return ${source}`)() as () => never;
    const { results } = await run(withCode({ stateUpdate: bomb, when: bomb, verify: bomb, outcome: bomb }));
    expect(results.map(({ status, path }) => [status, path])).toEqual(Array(3).fill(["completed", ["a"]]));
  },
);

test("code cannot change what it is given, nor what others see", async () => {
  const meddle = (...values: unknown[]): boolean => {
    for (const value of values) {
      for (const part of [value, ...Object.values((value ?? {}) as object)]) {
        if (typeof part !== "object" || part === null) continue;
        try {
          (part as Record<string, unknown>).planted = true;
        } catch {}
        try {
          delete (part as Record<string, unknown>).letter;
        } catch {}
      }
    }
    return true;
  };
  const { results } = await run(
    withCode({
      stateUpdate: ((accumulated: object, parsed: object, context: object) => {
        meddle(accumulated, parsed, context);
        return { kept: Object.keys(parsed).length };
      }) as never,
      when: meddle,
      outcome: ((result: object) => meddle(result, ...(result as { turns: object[] }).turns)) as never,
    }),
  );
  expect(JSON.stringify(results)).not.toContain("planted");
  expect(results.map(({ accumulated }) => accumulated)).toEqual(Array(3).fill({ kept: 1 }));
  expect(results[0]?.turns[0]?.parsed).toEqual({ letter: "B" });
});

test("source strings remember nothing from one conversation to the next", async () => {
  const source =
    "function count(accumulated) { try { globalThis.n = (globalThis.n ?? 0) + 1 } catch {} try { count.n = (count.n ?? 0) + 1 } catch {} return { global: globalThis.n ?? 0, own: count.n ?? 0 } }";
  const { results } = await run(withCode({ stateUpdate: source }));
  expect(results.map(({ accumulated }) => accumulated)).toEqual(Array(3).fill({ global: 0, own: 0 }));
});

test("a source string that is no function is told before the first call", async () => {
  const definition = withCode({ stateUpdate: "(accumulated) => ({ ...accumulated, }" });
  await expect(run(definition)).rejects.toThrow(/scenario "code".*state update of node "a"/is);
});

test("a reply can be anything", async () => {
  const replies = [
    "",
    "\0\u0000",
    "\uD800",
    "x".repeat(1_000_000),
    "__proto__",
    "{{row.x}}",
    '{"fields":{"letter":"B"}}',
    "```json\n{}\n```",
  ];
  const { results } = await held({
    scenarios: chainOf(replies.length),
    subjects: memoryModel("subject", (_, call) => replies[(call - 1) % replies.length] as string),
    judge: memoryModel("judge", (_, call) => replies[(call - 1) % replies.length] as string),
  });
  expect(results[0]?.status).toBe("completed");
  expect(results[0]?.turns.every(({ verifyResult }) => verifyResult === null)).toBe(true);
});

test.each([
  ["nothing", undefined],
  ["a number", 3],
  ["an object without text", { answer: 1 }],
  ["a text that is none", { text: 7 }],
])("an agent that returns %s fails its own conversation with a sentence", async (_, returned) => {
  const { results } = await held({
    scenarios: chainOf(1),
    subjects: { model: (async () => returned) as never, name: "agent" },
  });
  expect(results[0]).toMatchObject({
    status: "error",
    failure: { category: "author", stage: "subject", node: "n0" },
  });
  expect(results[0]?.failure?.message).toContain("agent");
});

test("an agent that rejects late, or twice, or never listens, leaves nothing behind", async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", note);
  const clock = new VirtualClock();
  const late = Promise.withResolvers<string>();
  const run = held(
    {
      scenarios: chainOf(1),
      subjects: { model: () => late.promise, name: "late" },
      timeouts: { conversationMs: 10 },
    },
    { clock },
  );
  const { results } = await clock.runUntil(run);
  late.reject(new Error("late"));
  await ticks(5);
  process.off("unhandledRejection", note);
  expect(results[0]?.status).toBe("timeout");
  expect(rejections).toEqual([]);
});

test("secrets are in no event and no result", async () => {
  const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
  const server = createServer((request, response) => {
    response.statusCode = 400;
    response.setHeader("content-type", "application/json");
    const { authorization } = request.headers;
    response.end(
      JSON.stringify({
        error: { message: `Bad header ${authorization} at https://user:hunter22@example.com/` },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const { events, results } = await held({
    scenarios: new Scenario("s")
      .addNode("a", { question: question({ question: "?", rawAnswer: "" }) })
      .setEntry("a")
      .validate(),
    subjects: "openai-compatible/model",
    environment: {
      OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_COMPATIBLE_API_KEY: key,
    },
  });
  server.close();
  expect(results[0]).toMatchObject({
    status: "error",
    failure: { category: "bad_request", statusCode: 400 },
  });
  expect(results[0]?.failure?.message).toContain("Bad header");
  const written = JSON.stringify([events, results]);
  expect(written).not.toContain(key);
  expect(written).not.toContain("hunter22");
});
