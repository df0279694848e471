import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunOptions } from "elenchus";
import { httpModel } from "elenchus/models";
import { memoryStore } from "elenchus/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../../src/core/environment.ts";
import { systemClock } from "../../src/engine/run/calls/clock.ts";
import { runRates } from "../../src/insight/report/data/run-rates.ts";
import { resultsText } from "../../src/insight/report/text/results-text.ts";
import { PLAIN_STYLE } from "../../src/system/terminal/terminal.ts";
import { chainOf, held } from "./held.ts";

/** What the server does with a request, by how often it has seen the same one. */
type Behaviour = (seen: number, response: ServerResponse) => "answer" | "hang" | number;

const LIMIT = 1_000_000;
/** Ends the attempt that was begun last: the clock of the time limit stands still until then. */
let exceedLimit: () => void;
const clock: Clock = {
  ...systemClock,
  after(milliseconds, call) {
    if (milliseconds !== LIMIT) return systemClock.after(milliseconds, call);
    exceedLimit = call;
    return () => {};
  },
};

/** A server that works on every request that it has received whole, whether or not its client is still there. */
let taken = 0;
let behaviour: Behaviour;
let onTaken: () => void;
let url = "";
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return;
  }
  const body = Buffer.concat(chunks).toString();
  seen.set(body, (seen.get(body) ?? 0) + 1);
  const what = behaviour(seen.get(body) as number, response);
  if (typeof what !== "number") taken++;
  onTaken();
  if (what === "hang") return;
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  response.statusCode = typeof what === "number" ? what : 200;
  response.setHeader("content-type", "application/json");
  response.setHeader("retry-after-ms", "1");
  response.end(JSON.stringify({ choices: [{ message: { content: "Yes." }, finish_reason: "stop" }], usage }));
});
const seen = new Map<string, number>();

beforeEach(async () => {
  taken = 0;
  seen.clear();
  behaviour = () => "answer";
  onTaken = () => {};
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function tooSlow(): "hang" {
  setImmediate(() => exceedLimit());
  return "hang";
}

function firstTooSlow(count: number): "hang" | "answer" {
  return count === 1 ? tooSlow() : "answer";
}

async function run(options: Partial<RunOptions> = {}) {
  const store = memoryStore();
  const quick = { retries: 2, baseMs: 1, capMs: 1 };
  const { results: records } = await held(
    {
      scenarios: chainOf(3),
      allowUnread: true,
      subjects: httpModel({
        url,
        name: "agent",
        body: { messages: "{{messages}}", replicate: "{{replicate}}" },
      }),
      replicates: 4,
      store,
      run: "r",
      retries: { timeout: quick, connection: quick, server: quick, rate_limit: quick, bad_response: quick },
      timeouts: { callMs: LIMIT },
      ...options,
    },
    { clock },
  );
  // The sum over conversations, what the events say, and what the store has are one number.
  const summary = store.run("r");
  const { spending } = summary ?? {};
  const end = [...store.events("r")].find((event) => event.type === "run-end");
  const sum = records.reduce((calls, record) => calls + record.spending.calls, 0);
  expect([spending?.calls, end?.type === "run-end" && end.spending.calls]).toEqual([sum, sum]);
  if (summary === undefined) throw new Error("no run");
  const text = resultsText(runRates(store, summary), { style: PLAIN_STYLE, width: 200 });
  return { reported: sum, spending: spending as NonNullable<typeof spending>, text, records };
}

test("an attempt that exceeds the time limit counts, with estimated tokens", async () => {
  behaviour = firstTooSlow;
  const { reported, spending, text } = await run({ concurrency: 1 });
  expect([taken, reported, spending.unanswered]).toEqual([24, 24, 12]);
  expect(spending.tokens).toBeGreaterThan(12 * 15 + 12 * 500);
  expect(text).toContain("12 calls were sent and got no usable answer");
});

test("a call that fails for good counts each of its attempts", async () => {
  behaviour = tooSlow;
  const { reported, records } = await run({ replicates: 1 });
  expect(records.map(({ status }) => status)).toEqual(["error"]);
  expect([taken, reported]).toEqual([3, 3]);
});

test("refusals do not count", async () => {
  behaviour = (count) => ([429, 503][count - 1] ?? "answer") as 429 | "answer";
  const { reported, spending, text } = await run();
  expect([taken, reported, spending.tokens]).toEqual([12, 12, 12 * 15]);
  expect(text).not.toContain("no usable answer");
});

test("a response that breaks off, or is none, counts", async () => {
  behaviour = (count, response) => {
    if (count === 1) response.destroy();
    if (count === 2) response.end("<html>");
    return count < 3 ? "hang" : "answer";
  };
  const { reported, spending } = await run({ replicates: 1 });
  expect([taken, reported, spending.unanswered]).toEqual([9, 9, 6]);
});

test("calls in flight when a run is aborted count", async () => {
  const controller = new AbortController();
  behaviour = () => "hang";
  onTaken = () => {
    if (taken === 4) controller.abort();
  };
  const { reported, records } = await run({ signal: controller.signal });
  expect([taken, reported]).toEqual([4, 4]);
  expect(records.every(({ status }) => status === "cancelled")).toBe(true);
});

test.each([1, 2, 5, 8, 11])("a budget of %i calls is never exceeded at the server", async (calls) => {
  behaviour = firstTooSlow;
  const { reported } = await run({ budget: { calls }, concurrency: 1 });
  expect([taken, reported]).toEqual([calls, calls]);
});

test.each([1, 2, 3, 4, 5, 6])(
  "a judge that uses up a budget of %i calls loses no call in flight",
  async (calls) => {
    const judge = httpModel({ url, name: "judge", model: "judge" });
    const { reported } = await run({ budget: { calls }, judge, replicates: 1 });
    expect([taken, reported]).toEqual([calls, calls]);
  },
);
