import { errorMessage } from "../../core/error-message.ts";
import { isRecord } from "../../core/values/json.ts";
import { redactedCause, redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { type FailedCall, failedResponse, quotedStart, responseFacts, shortened } from "./failed-response.ts";
import { ModelError } from "./model-error.ts";
import { networkFailure } from "./network-failure.ts";

/** Any error of a call as a `ModelError` with a category and a message that a person can act on. */
export function toModelError(error: unknown, call: FailedCall): ModelError {
  if (call.signal?.aborted) return abortedCall(call.signal, call.name);
  if (error instanceof ModelError) return error;
  // Thrown below the library, which has wrapped it.
  if (isRecord(error) && error.cause instanceof ModelError) return error.cause;
  const redact = (text: string): string => redactSecrets(text, call.secrets);
  const cause = redactedCause(error, redact);
  const { statusCode, headers, body, url = call.url } = responseFacts(error);
  // First, because the text of a server's error may look like an error of the network.
  if (statusCode !== undefined && (statusCode < 200 || statusCode > 299))
    return failedResponse({ statusCode, headers, body }, { ...call, url }, cause);
  const network = networkFailure(error);
  if (network !== undefined) {
    const { category, what, advice, isLasting = false } = network;
    const server = url !== undefined && URL.canParse(url) ? new URL(url).host : "the server";
    const text = redact(`${call.name}: ${server} ${what}. ${advice}`);
    return new ModelError(category, text, { cause, isLasting });
  }
  const name = errorName(error);
  if (name === "AbortError") return new ModelError("cancelled", `${call.name}: the call was cancelled.`);
  if (name === "TimeoutError")
    return new ModelError("timeout", `${call.name} did not answer in time.`, { cause });
  const message = redact(errorMessage(error));
  if (statusCode !== undefined || BAD_RESPONSE.test(name)) {
    const got = body === undefined ? shortened(message) : quotedStart(body, redact);
    return new ModelError(
      "bad_response",
      `${call.name} answered with something that is not its protocol: ${got}. Check the base URL.`,
      { cause, ...(statusCode === undefined ? {} : { statusCode }) },
    );
  }
  return name.startsWith("AI_")
    ? new ModelError("bad_request", `${call.name} cannot be asked this: ${shortened(message)}`, { cause })
    : new ModelError("internal", `${call.name} failed: ${shortened(message)}`, { cause });
}

/** A call that was given up: the signal's own reason where that is a `ModelError`. */
export function abortedCall(signal: AbortSignal, name: string): ModelError {
  if (signal.reason instanceof ModelError) return signal.reason;
  return errorName(signal.reason) === "TimeoutError"
    ? new ModelError("timeout", `${name} did not answer in time.`)
    : new ModelError("cancelled", `${name}: the call was cancelled.`);
}

/** Waits for work, but no longer than until the signal fires; then rejects with what `reason` makes. */
export async function untilAborted<Value>(
  signal: AbortSignal,
  work: PromiseLike<Value>,
  reason: () => unknown,
): Promise<Value> {
  let giveUp = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(reason());
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    // A run's signal outlives thousands of calls.
    signal.removeEventListener("abort", giveUp);
  }
}

/** Errors of the AI SDK about the response, by name, so that the library need not be loaded; all others are about the request. */
const BAD_RESPONSE =
  /^AI_(?:JSONParse|TypeValidation|EmptyResponseBody|InvalidResponseData|No(?:Content|Output)Generated|InvalidStreamPart)/;

function errorName(error: unknown): string {
  return isRecord(error) && typeof error.name === "string" ? error.name : "";
}
