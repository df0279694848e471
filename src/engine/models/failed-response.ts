import { isRecord, ownValue } from "../../core/values/json.ts";
import { redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { type ErrorCategory, ModelError } from "./model-error.ts";
import { parseRetryAfter } from "./rate-limit-headers.ts";

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
interface FailedResponse {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** A status other than 2xx, with what the server said. */
export function failedResponse(response: FailedResponse, call: FailedCall, cause?: unknown): ModelError {
  const { statusCode, headers = {}, body } = response;
  const redact = (text: string): string => redactSecrets(text, call.secrets);
  const retryAfterMs = parseRetryAfter(headers, call.now);
  const failed = (category: ErrorCategory, sentence: string): ModelError =>
    new ModelError(category, redact(sentence), {
      statusCode,
      ...(cause === undefined ? {} : { cause }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  // Not followed, because it could send keys to another server.
  if (statusCode >= 300 && statusCode <= 399) {
    const target = shortened((headers.location ?? "nowhere").replace(/[?#].*$/s, ""), 200);
    const advice = "If you trust that address, use it as the base URL.";
    return failed("not_found", `${call.name} redirects (${statusCode}) to ${target}. ${advice}`);
  }
  const category = categoryOf(statusCode, body);
  const { what, advice } = WORDS[category] ?? { what: "answered with an unexpected status", advice: "" };
  const said = serverMessage(body, redact).replace(/\.$/, "");
  const sentence = `${call.name} ${what} (${statusCode})${said === "" ? "" : `: ${said}`}.`;
  return failed(category, `${sentence} ${advice.replace("its key", call.keyVariable ?? "its key")}`.trim());
}

const CATEGORIES: Readonly<Record<number, ErrorCategory>> = {
  401: "authentication",
  402: "permission",
  403: "permission",
  404: "not_found",
  408: "timeout",
  // In conflict with another request, or too early: both say to try again.
  409: "server",
  410: "not_found",
  425: "server",
  429: "rate_limit",
};

/** The category of a status; in two cases the body decides. */
function categoryOf(statusCode: number, body = ""): ErrorCategory {
  if (statusCode === 400 && /api key not valid/i.test(body)) return "authentication";
  // Without credit, waiting does not help.
  if (statusCode === 429 && body.includes("insufficient_quota")) return "permission";
  if (statusCode >= 500) return "server";
  return CATEGORIES[statusCode] ?? (statusCode >= 400 ? "bad_request" : "not_found");
}

const WORDS: Partial<Record<ErrorCategory, { readonly what: string; readonly advice: string }>> = {
  authentication: { what: "refused the key", advice: "Set its key." },
  permission: {
    what: "did not allow it",
    advice: "Check what the key may do, and the account's credit.",
  },
  not_found: { what: "was not found", advice: "Check the name of the model and the base URL." },
  timeout: { what: "gave up waiting", advice: "" },
  rate_limit: { what: "has had too many requests", advice: "" },
  server: { what: "has a problem", advice: "" },
  bad_request: { what: "refused the request", advice: "" },
};

/** The start of a text on one line, for error messages. */
export function shortened(text: string, longest = 300): string {
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
function serverMessage(body: string | undefined, redact: (text: string) => string): string {
  if (body === undefined) return "";
  if (/^\s*<(?:!doctype|html|head|body)/i.test(body)) return "a web page";
  return shortened(redact(messageIn(parsed(body)) ?? body));
}

/** OpenAI and Anthropic have `error.message`, Google too, sometimes in an array; others `message`, `detail`, `error`. */
function messageIn(json: unknown): string | undefined {
  const record = Array.isArray(json) ? json[0] : json;
  if (typeof record === "string") return record;
  if (!isRecord(record)) return undefined;
  const found = record.error ?? record.message ?? record.detail;
  const message = isRecord(found) ? found.message : found;
  return typeof message === "string" && message !== "" ? message : undefined;
}

/** What an error of the AI SDK knows of the response. */
export function responseFacts(error: unknown): Partial<FailedResponse> & { readonly url?: string } {
  if (!isRecord(error)) return {};
  const { statusCode, responseHeaders, responseBody, url } = error;
  const facts = {
    // Made from a response, so all values are text.
    ...(isRecord(responseHeaders) ? { headers: responseHeaders as Record<string, string> } : {}),
    ...(typeof url === "string" ? { url } : {}),
  };
  // The library has parsed the body, so the response was a good one, and the library invented its status.
  if (isRecord(responseBody))
    return { ...facts, statusCode: reportedStatus(responseBody) ?? 200, body: JSON.stringify(responseBody) };
  if (typeof statusCode !== "number") return facts;
  if (typeof responseBody !== "string") return { ...facts, statusCode };
  const reported = statusCode === 200 ? reportedStatus(parsed(responseBody)) : undefined;
  return { ...facts, statusCode: reported ?? statusCode, body: responseBody };
}

/** The status of an error that a server reports in a response with status 200; undefined if it reports none. */
export function reportedStatus(json: unknown): number | undefined {
  const error = isRecord(json) ? ownValue(json, "error") : undefined;
  if (!isRecord(error)) return undefined;
  const code = error.code ?? error.type;
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
