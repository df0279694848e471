import { redactSecrets } from "../../secrets/redact-secrets.ts";
import { type ErrorCategory, ModelError } from "../model-error.ts";
import { parseRetryAfter } from "../providers/rate-limit-headers.ts";
import { serverMessage } from "../providers/server-message.ts";

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

/** What a status means for whoever waits for the answer; in two cases the body says what the status does not. */
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
      // A redirection is not followed, lest keys go elsewhere: what was asked for is not here.
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
