import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import type { RateLimitHints } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { parseRateLimitHints, parseRetryAfter } from "../../models/rate-limit-headers.ts";
import { Limits } from "./limits.ts";

/** The requests and responses on their way. Time stands still meanwhile, so the test does not depend on the machine. */
class Traffic {
  inFlight = 0;
  readonly clock = new VirtualClock(1_000_000, { isBusy: () => this.inFlight > 0 });
}

/** Takes 50 requests in any second, answers after 20 ms, and refuses the others. */
async function startServer(
  headers: Readonly<Record<string, string>>,
  traffic: Traffic,
): Promise<{ server: Server; url: string }> {
  const { clock } = traffic;
  const accepted: number[] = [];
  const server = createServer((_, response) => {
    const now = clock.now();
    while ((accepted[0] ?? now) <= now - 1_000) accepted.shift();
    if (accepted.length >= 50) return response.writeHead(429, headers).end();
    accepted.push(now);
    traffic.inFlight--;
    clock.after(20, () => {
      traffic.inFlight++;
      response.writeHead(200).end("answer");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on a port has an address with one.
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function ask(
  url: string,
  signal: AbortSignal,
  traffic: Traffic,
): Promise<{ text: string; rateLimit?: RateLimitHints }> {
  traffic.inFlight++;
  const response = await fetch(url, { signal });
  const text = await response.text();
  traffic.inFlight--;
  const hints = parseRateLimitHints(Object.fromEntries(response.headers), Date.now());
  if (response.ok) return { text, ...(hints === undefined ? {} : { rateLimit: hints }) };
  const retryAfterMs = parseRetryAfter(Object.fromEntries(response.headers), Date.now());
  throw new ModelError("rate_limit", "429", retryAfterMs === undefined ? {} : { retryAfterMs });
}

test.concurrent.each([{}, { "retry-after": "1" }])(
  "a real server with a limit of 50 a second loses nothing: %o",
  async (headers) => {
    const traffic = new Traffic();
    const { server, url } = await startServer(headers, traffic);
    const limits = new Limits({ clock: traffic.clock, random: Math.random });
    const retries: string[] = [];
    const calls = Array.from({ length: 120 }, (_, index) =>
      limits.call((signal) => ask(url, signal, traffic), {
        account: url,
        key: String(index),
        signal: new AbortController().signal,
        timeoutMs: 10_000,
        onRetry: ({ category }) => retries.push(category),
      }),
    );
    try {
      const replies = await traffic.clock.runUntil(Promise.all(calls));
      expect(replies.map(({ reply }) => reply.text)).toEqual(new Array(120).fill("answer"));
      // The first burst finds the limit: 80 at once, of which 50 are taken. Where the machine is busy, some places are filled again before the first refusal is seen.
      expect(retries.length).toBeGreaterThanOrEqual(30);
      expect(retries.length).toBeLessThan(100);
      expect(new Set(retries)).toEqual(new Set(["rate_limit"]));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
);
