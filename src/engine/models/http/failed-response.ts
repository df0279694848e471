import { isRecord, ownValue } from "../../../core/values/json.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { type ErrorCategory, ModelError } from "../model-error.ts";
import { parseRetryAfter } from "../providers/rate-limit-headers.ts";

/** What is known of a call that failed. */
export interface FailedCall {
  /** The name of the model. */
  readonly name: string;
  /** The call's signal: if it has fired, that is the reason. */
  readonly signal?: AbortSignal | undefined;
  /** What must not be shown; what looks like a secret is found without it. */
  readonly secrets?: readonly string[] | undefined;
  /** The environment variable that holds the key, for advice. */
  readonly keyVariable?: string | undefined;
  /** Where the request went, if the error does not know. */
  readonly url?: string | undefined;
  /** The time, for servers that say when to try again. */
  readonly now: number;
}

/** What a server answered where there should have been a reply. */
export interface FailedResponse {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** A status other than 2xx, with what the server said. */
export function failedResponse(response: FailedResponse, call: FailedCall, cause?: unknown): ModelError {
  const { statusCode, headers = {}, body } = response;
  const category = categoryOf(statusCode, body);
  const redact = (text: string): string => redactSecrets(text, call.secrets);
  if (statusCode >= 300 && statusCode <= 399) {
    const what = `${call.name} was redirected (${statusCode}) to ${redact(targetOf(headers, call.url))}`;
    const advice = "If you trust that address, use it as the base URL.";
    return new ModelError(category, `${what}, which is not followed. ${advice}`, {
      statusCode,
      ...(cause === undefined ? {} : { cause }),
    });
  }
  const said = serverMessage(body, redact);
  const sentence = `${call.name} ${whatOf(category)} (${statusCode})${said === "" ? "" : `: ${said}`}`;
  const advice = adviceOf(category, call);
  const retryAfterMs = parseRetryAfter(headers, call.now);
  return new ModelError(
    category,
    redact(`${sentence.replace(/\.$/, "")}.${advice === "" ? "" : ` ${advice}`}`),
    {
      statusCode,
      ...(cause === undefined ? {} : { cause }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  );
}

/** Where a redirect leads, without what may be secret in it. */
function targetOf(headers: Readonly<Record<string, string>>, from: string | undefined): string {
  const location = headers.location?.trim() ?? "";
  if (location === "") return "nowhere (no location is given)";
  const base = from !== undefined && URL.canParse(from) ? from : undefined;
  if (!URL.canParse(location, base)) return `"${shortened(location, 100)}"`;
  const { origin, pathname } = new URL(location, base);
  return shortened(origin === "null" ? location : `${origin}${pathname}`, 200);
}

/** The category of a status; in two cases the body decides. */
function categoryOf(statusCode: number, body = ""): ErrorCategory {
  switch (statusCode) {
    case 400:
      return /api key not valid/i.test(body) ? "authentication" : "bad_request";
    case 401:
      return "authentication";
    case 402:
    case 403:
      return "permission";
    case 404:
    case 410:
      return "not_found";
    case 408:
      return "timeout";
    case 429:
      // Without credit, waiting does not help.
      return body.includes("insufficient_quota") ? "permission" : "rate_limit";
    // In conflict with another request, or too early: both say to try again.
    case 409:
    case 425:
      return "server";
    default:
      if (statusCode >= 500) return "server";
      // Redirects are not followed, because they could send keys to another server.
      return statusCode >= 400 ? "bad_request" : "not_found";
  }
}

function whatOf(category: ErrorCategory): string {
  switch (category) {
    case "authentication":
      return "refused the key";
    case "permission":
      return "did not allow it";
    case "not_found":
      return "was not found";
    case "timeout":
      return "gave up waiting";
    case "rate_limit":
      return "has had too many requests";
    case "server":
      return "has a problem";
    case "bad_request":
      return "refused the request";
    default:
      return "answered with an unexpected status";
  }
}

function adviceOf(category: ErrorCategory, { keyVariable }: FailedCall): string {
  if (category === "authentication") return `Set ${keyVariable ?? "its key"}.`;
  if (category === "permission") return "Check what the key may do, and the account's credit.";
  return category === "not_found" ? "Check the name of the model and the base URL." : "";
}

const LONGEST = 300;

/** The start of a text on one line, for error messages. */
export function shortened(text: string, longest: number = LONGEST): string {
  // Enough to fill the line in spite of white space, without reading megabytes.
  const line = text
    .slice(0, longest * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** The start of what a server sent, in quotes. */
export function quotedStart(body: string, redact: (text: string) => string): string {
  return body.trim() === "" ? "nothing at all" : `"${shortened(redact(body), 200)}"`;
}

/**
 * What a server says is wrong: the message in its JSON, or the start of its text; empty if it sent nothing.
 * Secrets go before the text is shortened: half a secret would not be recognised.
 */
export function serverMessage(body: string | undefined, redact: (text: string) => string): string {
  if (body === undefined || body.trim() === "") return "";
  if (/^\s*<(?:!doctype|html|head|body)/i.test(body)) {
    const title = /<title[^>]*>([^<]{1,300})<\/title>/i.exec(body.slice(0, 10_000))?.[1];
    return title === undefined ? "a web page" : `a web page, "${shortened(redact(title), 100)}"`;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return shortened(redact(body));
  }
  return shortened(redact(messageIn(parsed) ?? body));
}

/** OpenAI and Anthropic have `error.message`, Google too, sometimes in an array; others `message`, `detail`, `error`. */
function messageIn(parsed: unknown): string | undefined {
  const record = Array.isArray(parsed) ? parsed[0] : parsed;
  if (typeof record === "string") return record;
  if (!isRecord(record)) return undefined;
  for (const key of ["error", "message", "detail"]) {
    const value = ownValue(record, key);
    if (typeof value === "string" && value !== "") return value;
    if (isRecord(value)) {
      const inner = ownValue(value, "message");
      if (typeof inner === "string" && inner !== "") return inner;
    }
  }
  return undefined;
}

/** What an error knows of the response that caused it. */
export interface ResponseFacts {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly url?: string;
}

/** What an error of the AI SDK knows of the response, as far as it is of the right type. */
export function responseFacts(error: unknown): ResponseFacts {
  if (!isRecord(error)) return {};
  try {
    const { statusCode, responseHeaders, responseBody, url } = error;
    const facts = {
      // Made from a response, so all values are text.
      ...(isRecord(responseHeaders) ? { headers: responseHeaders as Record<string, string> } : {}),
      ...(typeof url === "string" ? { url } : {}),
    };
    // The library has parsed the body, so the response was a good one, and the library invented its status.
    if (isRecord(responseBody)) {
      return {
        ...facts,
        statusCode: reportedStatus(responseBody) ?? 200,
        body: JSON.stringify(responseBody),
      };
    }
    if (typeof statusCode !== "number") return facts;
    if (typeof responseBody !== "string") return { ...facts, statusCode };
    const reported = statusCode === 200 ? reportedStatus(parsed(responseBody)) : undefined;
    return { ...facts, statusCode: reported ?? statusCode, body: responseBody };
  } catch {
    // A getter threw.
    return {};
  }
}

/** The status of an error that a server reports in a response with status 200; undefined if it reports none. */
export function reportedStatus(json: unknown): number | undefined {
  const error = isRecord(json) ? ownValue(json, "error") : undefined;
  if (!isRecord(error)) return undefined;
  const code = ownValue(error, "code") ?? ownValue(error, "type");
  if (typeof code === "number" && code >= 400 && code <= 599) return code;
  if (/rate_limit/.test(String(code))) return 429;
  return /server|overloaded|timeout|unavailable/.test(String(code)) ? 500 : 400;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
