import { errorMessage } from "../../core/error-message.ts";
import { isRecord } from "../../core/values/json.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import { redactedCause } from "../../secrets/redacted-cause.ts";
import { type FailedCall, failedResponse } from "../http/failed-response.ts";
import { responseFacts } from "../http/response-facts.ts";
import { ModelError } from "../model-error.ts";
import { networkFailure, readable } from "../network-error.ts";
import { quotedStart, shortened } from "./server-message.ts";

/** Whatever a call threw, as a `ModelError` with a category and a message that a person can act on. */
export function toModelError(error: unknown, call: FailedCall): ModelError {
  if (call.signal?.aborted) return abortedCall(call.signal, call.name);
  if (error instanceof ModelError) return error;
  // Thrown below the library, which has wrapped it.
  const inner = isRecord(error) ? readable(error, "cause") : undefined;
  if (inner instanceof ModelError) return inner;
  const redact = (text: string): string => redactSecrets(text, call.secrets);
  const cause = redactedCause(error, redact);
  const { statusCode, headers, body, url } = responseFacts(error);
  // First, because servers may put any words into their errors, also those of the network.
  if (statusCode !== undefined && (statusCode < 200 || statusCode > 299)) {
    return failedResponse({ statusCode, headers, body }, call, cause);
  }
  const network = networkFailure(error);
  if (network !== undefined) {
    const { category, what, advice } = network;
    const server = hostOf(url ?? call.url) ?? "the server";
    return new ModelError(category, redact(`${call.name}: ${server} ${what}. ${advice}`), { cause });
  }
  const message = redact(errorMessage(error));
  if (statusCode !== undefined || isOfAiSdk(error, BAD_RESPONSES)) {
    const got = body === undefined ? shortened(message) : quotedStart(body, redact);
    return new ModelError(
      "bad_response",
      redact(`${call.name} answered with something that is not its protocol: ${got}. Check the base URL.`),
      { cause, ...(statusCode === undefined ? {} : { statusCode }) },
    );
  }
  if (errorName(error) === "AbortError")
    return new ModelError("cancelled", `${call.name}: the call was cancelled.`);
  if (errorName(error) === "TimeoutError") {
    return new ModelError("timeout", `${call.name} did not answer in time.`, { cause });
  }
  if (isOfAiSdk(error, [""])) {
    return new ModelError("bad_request", redact(`${call.name} cannot be asked this: ${shortened(message)}`), {
      cause,
    });
  }
  return new ModelError("internal", redact(`${call.name} failed: ${shortened(message)}`), { cause });
}

/** A call that was given up: the signal's own reason where that is a `ModelError`. */
export function abortedCall(signal: AbortSignal, name: string): ModelError {
  if (signal.reason instanceof ModelError) return signal.reason;
  return errorName(signal.reason) === "TimeoutError"
    ? new ModelError("timeout", `${name} did not answer in time.`)
    : new ModelError("cancelled", `${name}: the call was cancelled.`);
}

/** Errors of the AI SDK that speak of what came back; all others speak of what was asked. */
const BAD_RESPONSES: readonly string[] = [
  "JSONParse",
  "TypeValidation",
  "EmptyResponseBody",
  "InvalidResponseData",
  "NoContentGenerated",
  "NoOutputGenerated",
  "InvalidStreamPart",
];

/** By name: the library need not be loaded to tell. */
function isOfAiSdk(error: unknown, names: readonly string[]): boolean {
  return names.some((name) => errorName(error)?.startsWith(`AI_${name}`));
}

function errorName(error: unknown): string | undefined {
  try {
    return isRecord(error) && typeof error.name === "string" ? error.name : undefined;
  } catch {
    return undefined;
  }
}

/** The host of the server, without what else a URL may hold. */
function hostOf(url: string | undefined): string | undefined {
  return url === undefined || !URL.canParse(url) ? undefined : new URL(url).host;
}
