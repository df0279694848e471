import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Model } from "elenchus/models";
import { afterEach, expect, test } from "vitest";
import type { Clock } from "../../src/core/environment.ts";
import { resolveModel } from "../../src/engine/models/resolve-model.ts";
import { systemClock } from "../../src/engine/run/calls/clock.ts";
import { chainOf, held } from "./held.ts";

const LIMIT = 1_000_000;
const PIECES = ["The ", "answer ", "is ", "Canberra."];

/** What the server was asked, by whether the answer was to be streamed. */
const asked: boolean[] = [];
/** How often the time limit was set, and what it does when it is over. */
let limits = 0;
let exceedLimit = (): void => {};
const clock: Clock = {
  ...systemClock,
  after(milliseconds, call) {
    if (milliseconds !== LIMIT) return systemClock.after(milliseconds, call);
    limits++;
    exceedLimit = call;
    return () => {};
  },
};

let streams: (response: ServerResponse) => Promise<void>;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const isStream = (JSON.parse(body) as { readonly stream?: boolean }).stream === true;
  asked.push(isStream);
  if (!isStream) return void setImmediate(() => exceedLimit());
  response.setHeader("content-type", "text/event-stream");
  await streams(response);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function send(response: ServerResponse, data: object): Promise<void> {
  return new Promise((resolve) => response.write(`data: ${JSON.stringify(data)}\n\n`, () => resolve()));
}

async function answers() {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const environment = { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1` };
  const subject = (await resolveModel("openai-compatible/m", { environment })) as Model;
  const { results } = await held(
    {
      scenarios: chainOf(1),
      allowUnread: true,
      judge: "rules",
      subjects: subject,
      timeouts: { callMs: LIMIT },
      retries: { timeout: { retries: 1, baseMs: 1, capMs: 1 } },
    },
    { clock },
  );
  return results;
}

test("an answer that took too long is asked for as a stream, and each piece restarts the limit", async () => {
  streams = async (response) => {
    for (const content of PIECES) {
      const before = limits;
      await send(response, { choices: [{ delta: { content } }] });
      // The next piece is sent when this one has come.
      while (limits === before) await new Promise(setImmediate);
    }
    await send(response, {
      choices: [{ delta: {}, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 4 },
    });
    response.end("data: [DONE]\n\n");
  };
  const [result] = await answers();
  const turns = result?.turns.length ?? 0;
  expect(asked.splice(0)).toEqual(Array.from({ length: turns }, () => [false, true]).flat());
  expect(result?.turns[0]?.reply).toBe("The answer is Canberra.");
  expect(result?.spending).toMatchObject({ calls: 2 * turns, unanswered: turns, tokens: expect.any(Number) });
});

test("a stream that falls silent is given up", async () => {
  streams = async (response) => {
    const before = limits;
    await send(response, { choices: [{ delta: { content: "The" } }] });
    while (limits === before) await new Promise(setImmediate);
    exceedLimit();
  };
  const [result] = await answers();
  expect(asked.splice(0)).toEqual([false, true]);
  expect(result).toMatchObject({ status: "error", spending: { calls: 2, unanswered: 2 } });
});
