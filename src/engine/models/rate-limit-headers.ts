import type { RateLimitHints } from "./model.ts";

/** Headers of a reply. */
type ReplyHeaders = Readonly<Record<string, string | undefined>>;

/** The longest wait that a header can cause. */
const LONGEST_WAIT_MS = 600_000;

/** How long a server asks to wait before the next request, in milliseconds, if it does; `now` in milliseconds since 1970. */
export function parseRetryAfter(headers: ReplyHeaders, now: number): number | undefined {
  const header = headerReader(headers);
  const exact = number(header("retry-after-ms"));
  if (exact !== undefined) return bounded(exact);
  const value = header("retry-after");
  const seconds = number(value);
  if (seconds !== undefined) return bounded(seconds * 1_000);
  const date = value === undefined ? undefined : dateValue(value);
  // By the server's clock, where it sends its time: ours may be wrong.
  if (date !== undefined) return bounded(date - (dateValue(header("date") ?? "") ?? now));
  const { remainingRequests, resetRequestsMs, remainingTokens, resetTokensMs } =
    parseRateLimitHints(headers, now) ?? {};
  const waits = [
    remainingRequests === 0 ? resetRequestsMs : undefined,
    remainingTokens === 0 ? resetTokensMs : undefined,
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** The headers of each hint: those of OpenAI, of Anthropic, of others and of the drafts of the IETF; the first that is there counts. */
const HINTS: Readonly<Record<keyof RateLimitHints, string>> = {
  limitRequests:
    "x-ratelimit-limit-requests anthropic-ratelimit-requests-limit x-ratelimit-limit ratelimit-limit ratelimit:limit",
  remainingRequests:
    "x-ratelimit-remaining-requests anthropic-ratelimit-requests-remaining x-ratelimit-remaining ratelimit-remaining ratelimit:remaining ratelimit:r",
  resetRequestsMs:
    "x-ratelimit-reset-requests anthropic-ratelimit-requests-reset x-ratelimit-reset ratelimit-reset ratelimit:reset ratelimit:t",
  remainingTokens: "x-ratelimit-remaining-tokens anthropic-ratelimit-tokens-remaining",
  resetTokensMs: "x-ratelimit-reset-tokens anthropic-ratelimit-tokens-reset",
};

/** The limits of the account that a reply reports. */
export function parseRateLimitHints(headers: ReplyHeaders, now: number): RateLimitHints | undefined {
  // Most servers say nothing, and this is read after every call.
  if (!Object.keys(headers).some((name) => /ratelimit/i.test(name))) return undefined;
  const header = headerReader(headers);
  const draft = draftValues(header("ratelimit"));
  const known = Object.entries(HINTS).flatMap(([hint, names]) => {
    const read = hint.endsWith("Ms") ? (text: string | undefined) => resetValue(text, now) : number;
    const values = names.split(" ").map((name) => {
      const [, part] = name.split(":");
      return read(part === undefined ? header(name) : draft[part]);
    });
    const value = values.find((found) => found !== undefined);
    return value === undefined ? [] : [[hint, value]];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** Reads headers in any case of their names. */
function headerReader(headers: ReplyHeaders): (name: string) => string | undefined {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => values.get(name)?.trim();
}

/** A count or a time that can be one; in `100, 100;w=60` the first number counts. */
function number(value: string | undefined): number | undefined {
  const digits =
    value === undefined ? undefined : /^(\d{1,15}(?:\.\d{1,9})?)(?:\s*[,;].*)?$/.exec(value)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function bounded(wait: number): number {
  return Math.min(Math.max(wait, 0), LONGEST_WAIT_MS);
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** `6m0s`, `20ms`, seconds, a point in time in seconds or milliseconds, or a date. */
function resetValue(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const plain = number(value);
  // Too large for a wait: a point in time.
  if (plain !== undefined && plain >= 1e12) return bounded(plain - now);
  if (plain !== undefined) return bounded(plain * 1_000 - (plain >= 1e9 ? now : 0));
  if (/^(?:\d{1,12}(?:\.\d{1,9})?(?:d|h|ms|m|s)){1,5}$/.test(value)) {
    let wait = 0;
    for (const [, digits, unit = ""] of value.matchAll(/([\d.]+)([a-z]+)/g))
      wait += Number(digits) * (UNITS[unit] ?? 0);
    return bounded(wait);
  }
  const date = dateValue(value);
  return date === undefined ? undefined : bounded(date - now);
}

/** A date as HTTP or RFC 3339 write it; `Date.parse` alone would take almost anything. */
function dateValue(value: string): number | undefined {
  if (!/^(?:\d{4}-\d\d-\d\dT\d\d:\d\d|[A-Za-z]{3,9},? )/.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}

/** `limit=100, remaining=50, reset=5`, or `"default";r=50;t=30`: of several policies the first. */
function draftValues(value: string | undefined): Readonly<Record<string, string>> {
  const values: Record<string, string> = Object.create(null);
  for (const [, name, digits] of (value ?? "").matchAll(/\b(limit|remaining|reset|r|t)=(\d{1,15})/g)) {
    if (name !== undefined && digits !== undefined) values[name] ??= digits;
  }
  return values;
}
