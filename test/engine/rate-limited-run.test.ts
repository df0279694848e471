import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "elenchus/engine";
import { httpModel, type Model } from "elenchus/models";
import { expect, test } from "vitest";
import { VirtualClock } from "../virtual-clock.ts";
import { chainOf, held, only } from "./held.ts";

const RATE = 50;
const CONVERSATIONS = 75;
const TURNS = 4;

interface LimitedServer extends AsyncDisposable {
  readonly url: string;
  readonly counts: {
    answered: number;
    /** In the first second, in which nobody can know the limit yet. */
    refusedAtFirst: number;
    refusedLater: number;
  };
}

/** A server that takes so many requests in any second, and refuses the rest without saying when to come back. */
async function limitedServer(clock: Clock): Promise<LimitedServer> {
  const counts = { answered: 0, refusedAtFirst: 0, refusedLater: 0 };
  let accepted: number[] = [];
  let first: number | undefined;
  const server = createServer(async (request, response) => {
    const now = clock.now();
    first ??= now;
    accepted = accepted.filter((time) => time > now - 1000);
    const isRefused = accepted.length >= RATE;
    if (!isRefused) accepted.push(now);
    if (!isRefused) counts.answered++;
    else if (now < first + 1000) counts.refusedAtFirst++;
    else counts.refusedLater++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] };
    const content = `Reply to: ${messages.at(-1)?.content}`;
    const body = isRefused
      ? { error: { message: "too many" } }
      : { choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] };
    response.writeHead(isRefused ? 429 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    counts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a run finds the rate that a server takes, loses nothing, and wastes little", async () => {
  let inFlight = 0;
  // Time stands still while requests are in flight, so the test does not depend on the machine.
  const clock = new VirtualClock(1_000_000, { isBusy: () => inFlight > 0 });
  await using server = await limitedServer(clock);
  const model = httpModel({ url: server.url, name: "subject" });
  const counted: Model = {
    ...model,
    async reply(request, context) {
      inFlight++;
      try {
        return await model.reply(request, context);
      } finally {
        inFlight--;
      }
    },
  };
  const run = held({ scenarios: chainOf(TURNS), subjects: counted, replicates: CONVERSATIONS }, { clock });
  const { results, events } = await clock.runUntil(run);
  expect(results).toHaveLength(CONVERSATIONS);
  for (const { status, turns } of results) {
    expect(status).toBe("completed");
    expect(turns.map(({ reply }) => reply)).toEqual(
      Array.from({ length: TURNS }, (_, index) => `Reply to: Question ${index}?`),
    );
  }
  const { answered, refusedAtFirst, refusedLater } = server.counts;
  expect(answered).toBe(CONVERSATIONS * TURNS);
  const retries = only(events, "retry");
  expect(retries).toHaveLength(refusedAtFirst + refusedLater);
  expect(new Set(retries.map(({ category }) => category))).toEqual(new Set(["rate_limit"]));
  // Not bounded: the first calls go out together, which is how the limit is found, and how many of them are refused depends
  // on how fast the server answers. The share of all requests is measured by `bench/rate-limit.ts`.
  expect(refusedAtFirst).toBeGreaterThan(0);
  expect(refusedLater).toBeLessThan(answered * 0.05);
});
