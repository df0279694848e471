import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  END,
  question,
  type RunOptions,
  resumeRun,
  runScenarios,
  Scenario,
  type ScenarioDefinition,
} from "elenchus";
import { aiSdkModel } from "elenchus/ai-sdk";
import { functionModel, httpModel } from "elenchus/models";
import { memoryStore, type Store } from "elenchus/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** Three questions in a row that nothing reads. */
function talk(last = "Third?"): ScenarioDefinition {
  return new Scenario("talk")
    .addNode("a", { question: question({ question: "First?", rawAnswer: "" }) })
    .addNode("b", { question: question({ question: "Second?", rawAnswer: "" }) })
    .addNode("c", { question: question({ question: last, rawAnswer: "" }) })
    .addEdge("a", "b")
    .addEdge("b", "c")
    .addEdge("c", END)
    .setEntry("a")
    .validate();
}

function run(subjects: RunOptions["subjects"], store: Store, name: string, more: Partial<RunOptions> = {}) {
  return runScenarios({ scenarios: talk(), subjects, store, run: name, ...more }).results;
}

describe("an agent that reports its tool calls", () => {
  const search = { id: "1", name: "search", input: { q: "Canberra" } };

  test.each([{ finish: "stop" }, {}] as const)("is asked once a turn (%j)", async (finish) => {
    let asked = 0;
    const agent = functionModel(
      (messages) => {
        asked++;
        expect(messages.some((message) => "toolCalls" in message)).toBe(false);
        return { text: "Booked.", toolCalls: [search], ...finish };
      },
      { name: "agent" },
    );
    const [record] = await run(agent, memoryStore(), "one");
    expect(asked).toBe(3);
    expect(record?.turns.map(({ reply, toolCalls }) => [reply, toolCalls])).toEqual(
      [1, 2, 3].map(() => ["Booked.", [search]]),
    );
  });

  test("is asked again only after it has asked for tools", async () => {
    let asked = 0;
    const agent = functionModel(
      () => (++asked % 2 === 1 ? { text: "", toolCalls: [search], finish: "tool_calls" } : "Booked."),
      { name: "agent" },
    );
    const [record] = await run(agent, memoryStore(), "one");
    expect(asked).toBe(6);
    expect(record?.turns.map(({ reply }) => reply)).toEqual(["Booked.", "Booked.", "Booked."]);
  });
});

describe("answers of functions", () => {
  let asked = 0;
  const agent = () => {
    asked++;
    return "Yes.";
  };
  beforeEach(() => {
    asked = 0;
  });

  test("serve no other run, unless a version is named or `cache` is set", async () => {
    const store = memoryStore();
    const calls = async (subjects: RunOptions["subjects"], name: string): Promise<number> => {
      asked = 0;
      await run(subjects, store, name);
      return asked;
    };
    expect([await calls(agent, "a"), await calls(agent, "b")]).toEqual([3, 3]);
    const named = (version: string) => ({ model: agent, name: "agent", version });
    expect([
      await calls(named("1"), "c"),
      await calls(named("1"), "d"),
      await calls(named("2"), "e"),
    ]).toEqual([3, 0, 3]);
    const cached = functionModel(agent, { name: "agent", cache: true });
    expect([await calls(cached, "f"), await calls(cached, "g")]).toEqual([3, 0]);
    const model = functionModel(agent, { name: "agent", version: "3" });
    expect([await calls(model, "h"), await calls(model, "i")]).toEqual([3, 0]);
    expect(await calls({ model: agent, name: "agent", cache: true }, "j")).toBe(0);
  });

  test("serve the resume of their own run", async () => {
    const store = memoryStore();
    const wanted = {
      text: "",
      toolCalls: [{ id: "1", name: "t", input: {} }],
      finish: "tool_calls",
    } as const;
    const steps = functionModel(() => (++asked === 1 ? wanted : "Yes."), { name: "agent" });
    await run(steps, store, "one", { budget: { calls: 1 } });
    expect(asked).toBe(1);
    const [record] = await resumeRun("one", { scenarios: talk(), subjects: steps, store }).results;
    // The first step of the first turn is not asked for again.
    expect([asked, record?.status, record?.spending]).toEqual([
      4,
      "completed",
      expect.objectContaining({ calls: 3, cached: 1 }),
    ]);
  });

  test("an agent with a memory gets a whole conversation from the cache, or none of it", async () => {
    const store = memoryStore();
    const heard = new Map<string, string[]>();
    const service = functionModel(
      (messages, { session = "" }) => {
        const last = messages.at(-1);
        const all = heard.get(session) ?? [];
        heard.set(session, [...all, last?.role === "user" ? last.content : ""]);
        return `Answer ${all.length + 1}.`;
      },
      { name: "service", version: "1", memory: true },
    );
    await run(service, store, "one");
    await run(service, store, "two");
    expect([...heard.values()]).toEqual([["First?", "Second?", "Third?"]]);
    const [record] = await run(service, store, "three", { scenarios: talk("Last?") });
    expect([...heard.values()].at(-1)).toEqual(["First?", "Second?", "Last?"]);
    expect(heard.size).toBe(2);
    expect(record?.turns.map(({ turn, reply }) => [turn, reply])).toEqual([
      [1, "Answer 1."],
      [2, "Answer 2."],
      [3, "Answer 3."],
    ]);
    expect(record?.spending).toMatchObject({ calls: 3, cached: 2 });
    expect([...store.conversations("three")][0]).toMatchObject({
      status: "completed",
      turnCount: 3,
      spending: { calls: 3, cached: 2 },
    });
  });
});

describe("parameters beside a model", () => {
  test("reach a function, and are part of its identity", async () => {
    const seen: unknown[] = [];
    const agent = functionModel(
      (_, { parameters }) => {
        seen.push(parameters);
        return "Yes.";
      },
      { name: "agent", cache: true },
    );
    const store = memoryStore();
    await run({ model: agent, parameters: { temperature: 0 } }, store, "a");
    await run({ model: agent, parameters: { temperature: 1 } }, store, "b");
    expect(seen).toEqual([0, 0, 0, 1, 1, 1].map((temperature) => ({ temperature })));
  });

  test("reach a model of the AI SDK", async () => {
    const seen: unknown[] = [];
    const model = aiSdkModel(
      {
        specificationVersion: "v4",
        provider: "test",
        modelId: "m",
        supportedUrls: {},
        doGenerate: async ({ temperature, topP }: { temperature?: number; topP?: number }) => {
          seen.push([temperature, topP]);
          const usage = { inputTokens: {}, outputTokens: {} };
          return {
            content: [{ type: "text", text: "Yes." }],
            finishReason: { unified: "stop", raw: "stop" },
            usage,
            warnings: [],
          };
        },
      } as never,
      { parameters: { topP: 0.5 } },
    );
    const store = memoryStore();
    for (const temperature of [0, 1])
      await run({ model, parameters: { temperature } }, store, `t${temperature}`);
    expect(seen).toEqual([0, 0, 0, 1, 1, 1].map((temperature) => [temperature, 0.5]));
    expect(() => model.withParameters?.({ temprature: 1 })).toThrow("temperature");
  });

  test("are refused by a model that takes none", async () => {
    const own = {
      name: "own",
      identity: {},
      account: "own",
      reply: async () => ({ text: "", finish: "stop" as const }),
    };
    await expect(run({ model: own, parameters: { temperature: 0 } }, memoryStore(), "a")).rejects.toThrow(
      "own takes no `parameters`",
    );
  });
});

describe("a session service", () => {
  let server: Server;
  let url = "";
  let requests: Record<string, unknown>[];
  /** What each session has heard. */
  let sessions: Map<string, string[]>;
  let failsAt = 0;

  beforeEach(async () => {
    requests = [];
    sessions = new Map();
    failsAt = 0;
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        message: string;
        session?: string | null;
      };
      requests.push(body);
      if (requests.length === failsAt) response.statusCode = 400;
      const session = body.session ?? `s${sessions.size + 1}`;
      sessions.set(session, [...(sessions.get(session) ?? []), body.message]);
      response.end(
        JSON.stringify({ answer: `I heard ${sessions.get(session)?.length}.`, meta: { session } }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test("gets a fresh id in each run", async () => {
    const body = { message: "{{message}}", session: "{{conversation}}", run: "{{run}}" };
    const agent = httpModel({ url, body, reply: "answer" });
    const store = memoryStore();
    for (const name of ["one", "two"]) {
      const [record] = await run(agent, store, name);
      expect(record?.turns.map(({ reply }) => reply)).toEqual(["I heard 1.", "I heard 2.", "I heard 3."]);
    }
    expect(sessions.size).toBe(2);
    expect(requests.map((request) => request.run)).toEqual(["one", "one", "one", "two", "two", "two"]);
  });

  test("gets the id back that it answered with", async () => {
    const body = { message: "{{message}}", session: "{{session}}" };
    const agent = httpModel({ url, body, reply: "answer", session: "meta.session" });
    await run(agent, memoryStore(), "one", { replicates: 2, concurrency: 1 });
    expect([...sessions]).toEqual(["s1", "s2"].map((name) => [name, ["First?", "Second?", "Third?"]]));
    expect(requests.map(({ session }) => session)).toEqual([null, "s1", "s1", null, "s2", "s2"]);
  });

  test("hears a resumed conversation from its beginning", async () => {
    const agent = httpModel({
      url,
      body: { message: "{{message}}", session: "{{conversation}}" },
      reply: "answer",
    });
    const store = memoryStore();
    failsAt = 3;
    const [failed] = await run(agent, store, "one");
    expect([failed?.status, failed?.turns.length]).toEqual(["error", 2]);
    const options = { scenarios: talk(), subjects: agent, store, retryErrors: true };
    const [record] = await resumeRun("one", options).results;
    expect(record?.turns.map(({ reply }) => reply)).toEqual(["I heard 1.", "I heard 2.", "I heard 3."]);
    expect([record?.status, record?.spending.calls]).toEqual(["completed", 5]);
    expect([...sessions.values()].map((heard) => heard.length)).toEqual([3, 3]);
    expect([...store.conversations("one")][0]).toMatchObject({ turnCount: 3, status: "completed" });
  });

  test("cannot continue in the arms of a fork", async () => {
    const forked = new Scenario("forked")
      .addNode("a", { question: question({ question: "First?", rawAnswer: "" }) })
      .addNode("b", { question: question({ question: "Second?", rawAnswer: "" }) })
      .addNode("c", { question: question({ question: "Third?", rawAnswer: "" }) })
      .addFork("a", ["b", "c"])
      .setEntry("a")
      .validate();
    const agent = httpModel({
      url,
      body: { message: "{{message}}", session: "{{conversation}}" },
      reply: "answer",
    });
    const records = await run(agent, memoryStore(), "one", { scenarios: forked });
    expect(records.map(({ status }) => status)).toEqual(["completed", "error", "error"]);
    expect(records[1]?.failure?.message).toContain("{{messages}}");
  });

  test("needs both `{{session}}` and its path", () => {
    const body = { message: "{{message}}", session: "{{session}}" };
    expect(() => httpModel({ url, body })).toThrow("path of the session id");
    expect(() => httpModel({ url, session: "id" })).toThrow("{{session}}");
  });

  test("parameters are keys of the body", async () => {
    await run(
      {
        model: httpModel({ url, body: { message: "{{message}}" }, reply: "answer" }),
        parameters: { temperature: 0 },
      },
      memoryStore(),
      "one",
    );
    expect(requests[0]).toEqual({ message: "First?", temperature: 0 });
  });
});
