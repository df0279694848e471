import { type Model, resolveModel } from "elenchus/models";
import { Agent } from "undici";
import { report, shown } from "./measure.ts";
import { serve } from "./served.ts";

const CALLS = 1000;
const CONCURRENCY = 50;
const ROUNDS = 7;
const GOAL = 1;

const KEY = "key-of-the-benchmark";
const KINDS = [
  ["openai/gpt-5-mini", "openai", "/v1"],
  ["anthropic/claude-sonnet-4-5", "anthropic", "/v1"],
  ["google/gemini-2.5-flash", "google", "/v1beta"],
  ["openai-compatible/m", "openai-compatible", "/v1"],
] as const;

type Send = () => Promise<unknown>;

/** CPU time of one call on the path that users take, against the same request without any of our code. */
export async function benchProviderPath(): Promise<void> {
  console.log(
    `provider path (CPU of one call; ${CALLS} calls, ${CONCURRENCY} at once, server in another process)`,
  );
  const served = await serve(0);
  const agent = new Agent();
  for (const [reference, provider, path] of KINDS) {
    const { model, bare, undici } = await sendersOf(
      reference,
      { provider, baseUrl: served.origin + path },
      agent,
    );
    const costs = new Map<Send, number[]>();
    for (let round = 0; round <= ROUNDS; round++) {
      for (const send of [bare, model, undici]) {
        const cost = await cpuPerCall(send);
        // The first round warms up.
        if (round > 0) costs.set(send, [...(costs.get(send) ?? []), cost]);
      }
    }
    const [ours, fetched, least] = [model, bare, undici].map((send) => median(costs.get(send) ?? []));
    if (ours === undefined || fetched === undefined || least === undefined)
      throw new Error("nothing measured");
    const ratio = ours / fetched;
    report(reference, shown(ours, "ms"));
    report("  against a bare fetch", `×${ratio.toFixed(2)}`, { text: `≤ ×${GOAL}`, met: ratio <= GOAL });
    report("  against a bare undici request", `×${(ours / least).toFixed(2)}`);
    report("  bare fetch, bare undici request", `${shown(fetched, "ms")}, ${shown(least, "ms")}`);
  }
  await agent.close();
  served.stop();
}

interface Senders {
  readonly model: Send;
  readonly bare: Send;
  readonly undici: Send;
}

async function sendersOf(
  reference: string,
  { provider, baseUrl }: { readonly provider: string; readonly baseUrl: string },
  dispatcher: Agent,
): Promise<Senders> {
  let sent:
    | { readonly url: string; readonly headers: Record<string, string>; readonly body: string }
    | undefined;
  const options = {
    environment: { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GEMINI_API_KEY: KEY },
    providers: { [provider]: { baseUrl } },
  };
  const recording: typeof fetch = (input, init = {}) => {
    sent = {
      url: String(input),
      headers: Object.fromEntries(new Headers(init.headers)),
      body: String(init.body),
    };
    return fetch(input, init);
  };
  await ask(await resolveModel(reference, { ...options, fetch: recording }));
  if (sent === undefined) throw new Error(`${reference} sent nothing`);
  const { url, headers, body } = sent;
  const model = await resolveModel(reference, options);
  const { origin, pathname, search } = new URL(url);
  return {
    model: () => ask(model),
    bare: async () => (await fetch(url, { method: "POST", headers, body })).json(),
    undici: async () => {
      const request = { origin, path: pathname + search, method: "POST", headers, body } as const;
      return (await dispatcher.request(request)).body.json();
    },
  };
}

const { signal } = new AbortController();
const CONTEXT = {
  signal,
  purpose: "subject",
  scenario: "s",
  conversation: "c",
  node: "n",
  turn: 1,
  replicate: 1,
  seed: 0,
} as const;
const REQUEST = {
  instructions: "You are terse.",
  messages: [
    { role: "user", content: "What is the capital of Australia?" },
    { role: "assistant", content: "Canberra." },
    { role: "user", content: "Are you sure? I think that it is Sydney." },
  ],
} as const;

function ask(model: Model): Promise<unknown> {
  return model.reply(REQUEST, CONTEXT);
}

async function cpuPerCall(send: Send): Promise<number> {
  let left = CALLS;
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) await send();
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / CALLS;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] as number;
}
