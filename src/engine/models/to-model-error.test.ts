import { getEventListeners } from "node:events";
import { APICallError } from "ai";
import { describe, expect, test } from "vitest";
import { ModelError } from "./model-error.ts";
import { abortedCall, toModelError, untilAborted } from "./to-model-error.ts";

const CALL = { name: "openai/gpt-5-mini", keyVariable: "OPENAI_API_KEY", now: 0 };
const KEY = "not-even-shaped-like-a-key";

function apiError(
  statusCode: number | undefined,
  body?: string,
  headers?: Record<string, string>,
): APICallError {
  return new APICallError({
    message: "words of the library",
    url: "https://api.example.com/v1/chat?key=1",
    requestBodyValues: { secret: KEY },
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(body === undefined ? {} : { responseBody: body }),
    ...(headers === undefined ? {} : { responseHeaders: headers }),
  });
}

const said = (message: string, more: object = {}): string => JSON.stringify({ error: { message, ...more } });

test.each<[number, string | undefined, string, string]>([
  [
    401,
    said("Incorrect API key."),
    "authentication",
    "openai/gpt-5-mini refused the key (401): Incorrect API key. Set OPENAI_API_KEY.",
  ],
  [402, undefined, "permission", "did not allow it (402). Check what the key may do"],
  [404, said("No model"), "not_found", "was not found (404): No model. Check the name of the model"],
  [302, undefined, "not_found", "redirects (302) to nowhere."],
  [418, '"short"', "bad_request", "refused the request (418): short."],
  [400, said("API key not valid."), "authentication", "refused the key (400): API key not valid."],
  [429, said("Slow down"), "rate_limit", "has had too many requests (429): Slow down."],
  [429, said("No credit", { code: "insufficient_quota" }), "permission", "(429): No credit."],
  [500, "<html><title>Oops</title>", "server", "has a problem (500): a web page."],
  [400, said("network error: fetch failed"), "bad_request", "network error: fetch failed."],
  [200, "<html>Sign in</html>", "bad_response", 'is not its protocol: "<html>Sign in</html>".'],
  [200, "", "bad_response", "is not its protocol: nothing at all."],
  [200, said("Slow down", { code: 429 }), "rate_limit", "has had too many requests (429): Slow down."],
])("status %i: %s", (statusCode, body, category, message) => {
  const error = toModelError(apiError(statusCode, body), CALL);
  expect(error.category).toBe(category);
  expect(error.message).toContain(message);
});

test("a server's long speech is cut, after secrets are taken out", () => {
  const body = said(`${"a".repeat(290)} ${KEY}`);
  const error = toModelError(apiError(400, body), { ...CALL, secrets: [KEY] });
  expect(error.message.length).toBeLessThan(400);
  // Not even a piece of it.
  expect(error.message).not.toContain(KEY.slice(0, 5));
});

test("nothing of request and response is left in the cause", () => {
  const { cause } = toModelError(apiError(400, said("no")), CALL);
  expect(cause).toBeInstanceOf(Error);
  expect(JSON.stringify({ ...(cause as Error) })).not.toContain(KEY);
  expect(Object.keys(cause as Error)).not.toContain("requestBodyValues");
});

describe("the network", () => {
  const failed = (code: string, message = "boom"): TypeError =>
    new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });

  test.each([
    ["ECONNREFUSED", "connection", "refused the connection"],
    ["ENOTFOUND", "connection", "could not be found"],
    ["UND_ERR_SOCKET", "connection", "closed the connection"],
    ["UND_ERR_SOMETHING", "connection", "closed the connection"],
    ["UND_ERR_HEADERS_TIMEOUT", "timeout", "did not answer in time"],
    ["HPE_INVALID_CONSTANT", "bad_response", "did not answer in HTTP"],
    ["CERT_HAS_EXPIRED", "connection", "cannot be trusted, or does not speak TLS (CERT_HAS_EXPIRED: boom)"],
  ])("%s", (code, category, what) => {
    const error = toModelError(failed(code), { ...CALL, url: "http://user:pw@host.example:81/v1?key=2" });
    expect(error.category).toBe(category);
    expect(error.message).toContain(`openai/gpt-5-mini: host.example:81 ${what}`);
    expect(error.message).not.toMatch(/pw|key=/);
  });

  test.each(["fetch failed", "terminated", "socket hang up"])("%s without a code", (message) => {
    expect(toModelError(new TypeError(message), CALL)).toMatchObject({ category: "connection" });
  });

  test("several addresses that all refuse", () => {
    const refused = Object.assign(new Error("no"), { code: "ECONNREFUSED" });
    const error = new TypeError("fetch failed", { cause: new AggregateError([refused, refused]) });
    expect(toModelError(error, CALL).message).toContain("refused the connection");
  });

  test("causes that go round in a circle", () => {
    const error = new Error("odd");
    error.cause = error;
    expect(toModelError(error, CALL)).toMatchObject({ category: "internal" });
  });
});

describe("given up", () => {
  test("for a reason of ours", () => {
    const reason = new ModelError("budget", "The money is spent.");
    expect(toModelError(apiError(500), { ...CALL, signal: AbortSignal.abort(reason) })).toBe(reason);
  });

  test("for no reason", () => {
    expect(abortedCall(AbortSignal.abort(), "m")).toMatchObject({ category: "cancelled" });
    expect(abortedCall(AbortSignal.abort("because"), "m")).toMatchObject({ category: "cancelled" });
  });

  test("for the time", () => {
    const reason = new DOMException("late", "TimeoutError");
    expect(abortedCall(AbortSignal.abort(reason), "m")).toMatchObject({ category: "timeout" });
    expect(toModelError(reason, CALL)).toMatchObject({ category: "timeout" });
  });

  test("by somebody else", () => {
    expect(toModelError(new DOMException("x", "AbortError"), CALL)).toMatchObject({ category: "cancelled" });
  });
});

test("an error of ours stays what it is", () => {
  const error = new ModelError("tool", "x");
  expect(toModelError(error, CALL)).toBe(error);
});

test.each(["AI_JSONParseError", "AI_TypeValidationError", "AI_InvalidResponseDataError"])("%s", (name) => {
  expect(toModelError(Object.assign(new Error("odd"), { name }), CALL)).toMatchObject({
    category: "bad_response",
  });
});

test("what the library refuses to send", () => {
  const error = Object.assign(new Error("no such thing"), { name: "AI_UnsupportedFunctionalityError" });
  expect(toModelError(error, CALL)).toMatchObject({
    category: "bad_request",
    message: "openai/gpt-5-mini cannot be asked this: no such thing",
  });
});

test("work that is done in time", async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(signal, Promise.resolve(7), () => "late")).toBe(7);
  await expect(untilAborted(signal, Promise.reject(new Error("no")), () => "late")).rejects.toThrow("no");
  // Thousands of calls share the signal of a run.
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("work that takes too long", async () => {
  const controller = new AbortController();
  const work = untilAborted(controller.signal, new Promise(() => {}), () => "late");
  controller.abort();
  await expect(work).rejects.toBe("late");
  await expect(untilAborted(controller.signal, new Promise(() => {}), () => "late")).rejects.toBe("late");
});
