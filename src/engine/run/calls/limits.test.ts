import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import type { RateLimitHints } from "../../models/model.ts";
import { type ErrorCategory, ModelError } from "../../models/model-error.ts";
import { type LimitedCall, Limits, type LimitsOptions, limitedAttempt, type Retry } from "./limits.ts";

interface Answer {
  readonly text: string;
  readonly rateLimit?: RateLimitHints;
}

function setUp(options: Partial<LimitsOptions> = {}): { clock: VirtualClock; limits: Limits } {
  const clock = new VirtualClock();
  return { clock, limits: new Limits({ clock, random: () => 1, ...options }) };
}

function call(options: Partial<LimitedCall> = {}): LimitedCall {
  return { account: "a", key: "k", signal: new AbortController().signal, timeoutMs: null, ...options };
}

/** Fails with these kinds in turn, then answers. */
function failing(...failures: readonly (ErrorCategory | ModelError)[]): () => Promise<Answer> {
  const left = [...failures];
  return async () => {
    const failure = left.shift();
    if (failure === undefined) return { text: "answer" };
    throw typeof failure === "string" ? new ModelError(failure, `It was ${failure}.`) : failure;
  };
}

test("what may pass is tried again, and said so", async () => {
  const { clock, limits } = setUp();
  const retries: Retry[] = [];
  const failures = [
    "connection",
    new ModelError("server", "It is 529.", { statusCode: 529 }),
    "timeout",
  ] as const;
  const options = call({ onRetry: (retry) => retries.push(retry) });
  const { attempts } = await clock.runUntil(limits.call(failing(...failures), options));
  expect(attempts).toBe(4);
  expect(retries).toEqual([
    { attempt: 1, category: "connection", delayMs: 500, message: "It was connection." },
    { attempt: 2, category: "server", delayMs: 1_000, message: "It is 529.", statusCode: 529 },
    { attempt: 3, category: "timeout", delayMs: 500, message: "It was timeout." },
  ]);
  expect(clock.now()).toBe(2_000);
});

test.each(["authentication", "permission", "not_found", "bad_request", "author", "cassette_miss"] as const)(
  "%s is final",
  async (category) => {
    const { limits } = setUp();
    await expect(limits.call(failing(category), call())).rejects.toMatchObject({ category });
  },
);

test("the last failure is the one that is told", async () => {
  const { clock, limits } = setUp({ retries: { server: { retries: 1, baseMs: 1, capMs: 1 } } });
  const last = new ModelError("server", "the second");
  await expect(clock.runUntil(limits.call(failing("server", last), call()))).rejects.toBe(last);
});

test("what is no error of ours is internal, without secrets", async () => {
  const { limits } = setUp();
  const attempt = (): Promise<never> => Promise.reject(new Error("bad key sk-abcdefghij0123456789"));
  await expect(limits.call(attempt, call())).rejects.toMatchObject({
    name: "ModelError",
    category: "internal",
    message: "bad key [redacted]",
  });
});

test("Retry-After holds for all calls of the account, and for no other", async () => {
  const { clock, limits } = setUp({ random: () => 0 });
  const times: Record<string, number> = {};
  const noted = (name: string, attempt = failing()) =>
    limits.call(attempt, call({ account: name.slice(0, 1), key: name })).then(() => {
      times[name] = clock.now();
    });
  const refused = noted("a1", failing(new ModelError("rate_limit", "429", { retryAfterMs: 3_000 })));
  await clock.advance(1);
  await clock.runUntil(Promise.all([refused, noted("a2"), noted("b1")]));
  expect(times).toEqual({ b1: 1, a1: 3_000, a2: 3_000 });
});

test("chance depends on the call and the attempt", async () => {
  const keys: string[] = [];
  const random = (key: string): number => keys.push(key) * 0;
  const { clock, limits } = setUp({ random });
  await clock.runUntil(limits.call(failing("server", "connection"), call({ key: "conversation 7" })));
  expect(keys).toEqual(["conversation 7 1", "conversation 7 2"]);
});

test("a time limit is for the attempt, not for the time in the queue", async () => {
  const { clock, limits } = setUp({ caps: { a: { maxConcurrency: 1 } } });
  const slow = async (): Promise<object> => {
    await clock.sleep(900);
    return {};
  };
  const all = Promise.all([1, 2, 3].map(() => limits.call(slow, call({ timeoutMs: 1_000 }))));
  expect((await clock.runUntil(all)).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  expect(clock.now()).toBe(2_700);
});

test("an attempt that never ends is given up and made again", async () => {
  const { clock, limits } = setUp();
  let attempts = 0;
  const attempt = (): Promise<object> => (++attempts < 3 ? new Promise(() => {}) : Promise.resolve({}));
  expect(await clock.runUntil(limits.call(attempt, call({ timeoutMs: 10 })))).toMatchObject({ attempts: 3 });
});

test.each(["before", "in the queue", "while it is made", "between attempts"])(
  "is cancelled %s",
  async (when) => {
    const { clock, limits } = setUp({ caps: { a: { maxConcurrency: 1 } } });
    const controller = new AbortController();
    if (when === "before") controller.abort();
    if (when === "in the queue") void limits.call(() => new Promise<object>(() => {}), call());
    const attempt = when === "between attempts" ? failing("server") : () => new Promise<object>(() => {});
    const cancelled = limits.call(attempt, call({ signal: controller.signal, timeoutMs: 60_000 }));
    const seen = expect(cancelled).rejects.toMatchObject({ category: "cancelled" });
    await clock.advance(1);
    controller.abort();
    await seen;
    if (when !== "in the queue") await limits.call(failing(), call());
  },
);

test("the hints of a reply hold the account back", async () => {
  const { clock, limits } = setUp();
  await limits.call(async () => ({ rateLimit: { remainingRequests: 0, resetRequestsMs: 800 } }), call());
  await clock.runUntil(limits.call(failing(), call()));
  expect(clock.now()).toBe(800);
});

test.each([undefined, null, "text"])(
  "an attempt that gives %s instead of a reply does no harm",
  async (reply) => {
    const { limits } = setUp();
    // What an adapter promises, it may not keep.
    const attempt = (): Promise<object> => reply as unknown as Promise<object>;
    expect(await limits.call(attempt, call())).toEqual({ reply, attempts: 1 });
  },
);

test("thousands of calls wait for few places, and all get their turn", async () => {
  const { clock, limits } = setUp({ defaultMaxConcurrency: 7 });
  let [underWay, most] = [0, 0];
  const attempt = async (): Promise<object> => {
    most = Math.max(most, ++underWay);
    await clock.sleep(1);
    underWay--;
    return {};
  };
  const all = Array.from({ length: 3_000 }, () => limits.call(attempt, call()));
  await clock.runUntil(Promise.all(all));
  expect(most).toBe(7);
});

test.each(["timeout", "cancelled", "budget"] as const)(
  "a signal that says %s ends the call: no retry is announced",
  async (category) => {
    const { clock, limits } = setUp();
    const controller = new AbortController();
    const retries: Retry[] = [];
    const reason = new ModelError(category, "The turn is over.");
    const calling = limits.call(
      () => new Promise<Answer>(() => {}),
      call({ signal: controller.signal, onRetry: (retry) => retries.push(retry) }),
    );
    controller.abort(reason);
    await expect(clock.runUntil(calling)).rejects.toBe(reason);
    expect(retries).toEqual([]);
  },
);

const never = new AbortController().signal;

test("gives the answer, and leaves no timer behind", async () => {
  const clock = new VirtualClock();
  const answer = limitedAttempt(async () => "yes", { clock, signal: never, timeoutMs: 1_000 });
  expect(await answer).toBe("yes");
  expect(clock.timers).toBe(0);
  expect(clock.now()).toBe(0);
});

test("a time limit ends an attempt that does not listen, and tells it", async () => {
  const clock = new VirtualClock();
  let told: unknown;
  const attempt = limitedAttempt(
    (signal) => {
      signal.addEventListener("abort", () => {
        told = signal.reason;
      });
      return new Promise<string>(() => {});
    },
    { clock, signal: never, timeoutMs: 2_500 },
  );
  await expect(clock.runUntil(attempt)).rejects.toMatchObject({
    category: "timeout",
    message: "There was no answer within 2.5 s.",
  });
  expect(clock.now()).toBe(2_500);
  expect(told).toBeInstanceOf(ModelError);
});

test.each([
  ["ollama http://localhost:11434/v1", 2, true],
  ["http://127.0.0.1:8000 key 1234", 2, true],
  ["ollama http://localhost:11434/v1", 1, false],
  ["openai https://localhost.example.com/v1", 2, false],
])("the calls of %s, %i at a time, that take too long: advice is %s", async (account, count, isAdvised) => {
  const { clock, limits } = setUp({ retries: { timeout: { retries: 0, baseMs: 1, capMs: 1 } } });
  const options = call({ account, timeoutMs: 1_000 });
  const calls = Array.from({ length: count }, () =>
    limits.call(() => new Promise<Answer>(() => {}), options),
  );
  const [first] = await clock.runUntil(Promise.allSettled(calls));
  const { message } = (first as PromiseRejectedResult).reason as ModelError;
  expect(message.includes("use --concurrency 1, or more time")).toBe(isAdvised);
});

test("the signal of the caller ends it at once, and what happens later is nobody's business", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const late = Promise.withResolvers<string>();
  const attempt = limitedAttempt(() => late.promise, { clock, signal: controller.signal, timeoutMs: null });
  controller.abort();
  await expect(attempt).rejects.toMatchObject({ category: "cancelled" });
  late.reject(new Error("an unhandled rejection would fail this test"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("keeps the reason of the signal if it is an error of ours", async () => {
  const clock = new VirtualClock();
  const reason = new ModelError("budget", "Nothing left.");
  const controller = new AbortController();
  const attempt = limitedAttempt(() => new Promise(() => {}), {
    clock,
    signal: controller.signal,
    timeoutMs: 9,
  });
  controller.abort(reason);
  await expect(attempt).rejects.toBe(reason);
  let called = false;
  const refused = limitedAttempt(
    async () => {
      called = true;
    },
    { clock, signal: controller.signal, timeoutMs: 9 },
  );
  await expect(refused).rejects.toBe(reason);
  expect(called).toBe(false);
});

test("an attempt that has ended is left alone, and leaves the signal with one listener at most", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const seen: AbortSignal[] = [];
  const limits = { clock, signal: controller.signal, timeoutMs: 10 };
  for (let count = 0; count < 50; count++) await limitedAttempt(async (signal) => seen.push(signal), limits);
  expect(getEventListeners(controller.signal, "abort").length).toBeLessThanOrEqual(1);
  controller.abort();
  expect(seen.filter((signal) => signal.aborted)).toEqual([]);
});
