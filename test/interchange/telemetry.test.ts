import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { parseScenario, type RunObserver, type RunOptions, resumeRun, runScenarios } from "elenchus";
import { httpModel } from "elenchus/models";
import { openTelemetry } from "elenchus/otel";
import { memoryStore } from "elenchus/store";
import { describe, expect, test, vi } from "vitest";
import { openTelemetryFromEnvironment } from "../../src/apps/interchange/otel/set-up.ts";
import { listen, serveTools } from "../tool-servers/http-server.ts";
import { oneQuestion } from "./one-question.ts";

function collect(): { readonly observer: RunObserver; readonly spans: () => readonly ReadableSpan[] } {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return {
    observer: openTelemetry({ tracer: provider.getTracer("test") }),
    spans: () => exporter.getFinishedSpans(),
  };
}

const scenario = oneQuestion("weather", "Sunny?", ["Yes", "No"]);

/** The tree of spans by name. */
function tree(spans: readonly ReadableSpan[], parent?: string): Record<string, unknown> {
  const own = spans.filter((span) => span.parentSpanContext?.spanId === parent);
  return Object.fromEntries(own.map((span) => [span.name, tree(spans, span.spanContext().spanId)]));
}

test("a run with a retry and a tool call is a tree of spans", async () => {
  await using tools = await serveTools();
  let asked = 0;
  const { observer, spans } = collect();
  await runScenarios({
    scenarios: scenario,
    subjects: {
      model: {
        name: "subject",
        identity: {},
        account: "subject",
        price: null,
        async reply({ messages }) {
          const { ModelError } = await import("elenchus");
          if (asked++ === 0) throw new ModelError("server", "busy", { statusCode: 503 });
          const usage = { inputTokens: 7, outputTokens: 3 };
          if (messages.some(({ role }) => role === "tool")) return { text: "Yes.", finish: "stop", usage };
          return {
            text: "",
            finish: "tool_calls",
            usage,
            toolCalls: [{ id: "1", name: "search", input: { query: "x" } }],
          };
        },
      },
      name: "subject",
    },
    tools: { sample: { url: tools.url } },
    retries: { server: { retries: 2, baseMs: 1, capMs: 1 } },
    observer,
    run: "monday",
  }).results;
  expect(tree(spans())).toEqual({
    "elenchus.run monday": {},
    "invoke_workflow weather": {
      "invoke_agent subject": { "chat subject": {}, "execute_tool sample/search": {} },
    },
  });
  const named = (name: string): ReadableSpan => spans().find((span) => span.name === name) as ReadableSpan;
  expect(named("invoke_workflow weather").links).toHaveLength(1);
  expect(named("invoke_workflow weather").attributes).toMatchObject({
    "elenchus.status": "completed",
    "elenchus.path": ["ask"],
  });
  expect(named("invoke_workflow weather").events[0]?.attributes).toMatchObject({
    "gen_ai.evaluation.name": "right",
    "gen_ai.evaluation.score.value": 1,
  });
  expect(named("invoke_workflow weather").attributes["elenchus.run"]).toBe("monday");
  expect(named("invoke_agent subject").attributes).toMatchObject({
    "elenchus.next": "__end__",
    "elenchus.edge": 0,
    "elenchus.fallback": true,
  });
  // Why the last call stopped; what was said in between went to tools.
  const reasons = spans().map(({ attributes }) => attributes["gen_ai.response.finish_reasons"]);
  expect(reasons.filter((reason) => reason !== undefined)).toEqual([["stop"]]);
  expect(named("chat subject").attributes).toMatchObject({
    "gen_ai.usage.input_tokens": 7,
    "elenchus.purpose": "subject",
  });
  const retried = spans()
    .filter((span) => span.name === "chat subject")
    .flatMap(({ events }) => events);
  expect(retried.map(({ name, attributes }) => [name, attributes?.["error.type"]])).toEqual([
    ["elenchus.retry", "server"],
  ]);
  // No texts unless they are asked for.
  expect(JSON.stringify(spans().map(({ attributes, events }) => [attributes, events]))).not.toContain(
    "Sunny",
  );
});

test("the agent under test gets the trace's context over HTTP", async () => {
  const seen: string[] = [];
  await using server = await listen((request, response) => {
    seen.push(String(request.headers.traceparent));
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ text: "yes" }));
  });
  const { observer, spans } = collect();
  const agent = httpModel({ name: "agent", url: server.url, body: { q: "{{message}}" }, reply: "text" });
  await runScenarios({ scenarios: scenario, subjects: { model: agent }, observer }).results;
  const turn = spans()
    .find(({ name }) => name === "invoke_agent agent")
    ?.spanContext();
  expect(seen).toEqual([`00-${turn?.traceId}-${turn?.spanId}-01`]);
});

test("failures are errors of their spans, wrong answers are not, and known answers are no calls", async () => {
  const store = memoryStore();
  const run = async (model: () => Promise<string>): Promise<readonly ReadableSpan[]> => {
    const { observer, spans } = collect();
    await runScenarios({
      scenarios: scenario,
      subjects: { model, name: "s", parameters: { version: model.name } },
      store,
      observer,
    }).results;
    return spans();
  };
  const wrong = await run(async function wrong() {
    return "No.";
  });
  expect(wrong.map(({ status }) => status.code)).toEqual(wrong.map(() => 0));
  const failing = await run(async function failing(): Promise<string> {
    throw new Error("broken");
  });
  expect(failing.filter(({ status }) => status.code === 2).map(({ name }) => name)).toEqual([
    "chat s",
    "invoke_agent s",
    "invoke_workflow weather",
  ]);
});

test("a conversation that is resumed has a span for its further turns", async () => {
  const twice = parseScenario({
    name: "twice",
    entry: "a",
    nodes: {
      a: { question: { question: "a?", rawAnswer: "" } },
      b: { question: { question: "b?", rawAnswer: "" } },
    },
    edges: [{ source: "a", target: "b" }],
  });
  const store = memoryStore();
  const abort = new AbortController();
  const options = (
    reply: (turn: number) => string,
  ): Required<Pick<RunOptions, "scenarios" | "subjects" | "store">> => ({
    scenarios: twice,
    subjects: { name: "s", model: async (_, { turn }) => reply(turn) },
    store,
  });
  await runScenarios({
    ...options((turn) => {
      if (turn === 2) abort.abort();
      return "Yes.";
    }),
    run: "stopped",
    signal: abort.signal,
  }).results;
  const { observer, spans } = collect();
  await resumeRun("stopped", { ...options(() => "Yes."), observer }).results;
  const [resumed] = spans().filter(({ name }) => name === "invoke_workflow");
  expect(resumed?.attributes).toMatchObject({ "elenchus.attempt": 2, "elenchus.status": "completed" });
  const turns = spans().filter(({ name }) => name.startsWith("invoke_agent"));
  expect(turns.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
    resumed?.spanContext().spanId,
  ]);
});

test("an observer that throws is reported once, and the run goes on", async () => {
  const warnings: string[] = [];
  const run = runScenarios({
    scenarios: scenario,
    subjects: "sim/steadfast",
    observer: {
      onEvent() {
        throw new Error("full");
      },
    },
  });
  for await (const event of run) if (event.type === "warning") warnings.push(event.message);
  expect(warnings).toEqual([expect.stringContaining("full")]);
  expect((await run.results)[0]?.status).toBe("completed");
});

test("without a provider nothing is traced, and no header is sent", () => {
  expect(openTelemetry().headersOf?.("c", 1)).toBeUndefined();
});

describe("--otel sends to where the standard variables say", () => {
  async function sendTo(
    status: number,
  ): Promise<{ readonly bodies: string; readonly problem: string | null }> {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      bodies.push(`${request.url} ${await text(request)}`);
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${port}`);
    vi.stubEnv("OTEL_SERVICE_NAME", "bench-of-mine");
    vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "team=%C3%BC");
    try {
      const { observer, close } = await openTelemetryFromEnvironment();
      await runScenarios({ scenarios: scenario, subjects: "sim/steadfast", observer }).results;
      const problem = await close();
      return { bodies: bodies.join("\n"), problem };
    } finally {
      vi.unstubAllEnvs();
      server.close();
    }
  }

  test("with the name and the attributes of the service", async () => {
    const { bodies, problem } = await sendTo(200);
    expect(problem).toBeNull();
    expect(bodies).toMatch(/^\/v1\/traces .*bench-of-mine/m);
    expect(bodies).toContain('{"key":"team","value":{"stringValue":"ü"}}');
  });

  test("and says what was not taken", async () => {
    const { problem } = await sendTo(400);
    expect(problem).toMatch(/400|Bad Request/i);
  });
});
