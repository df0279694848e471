import { errorMessage } from "../../core/error-message.ts";
import { isRecord } from "../../core/values/json.ts";
import { redactedCause, redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { type FailedCall, failedResponse, quotedStart, responseFacts, shortened } from "./failed-response.ts";
import { ModelError } from "./model-error.ts";

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

/** What went wrong below HTTP, or with HTTP itself. */
interface NetworkFailure {
  readonly category: "connection" | "timeout" | "bad_response" | "bad_request";
  /** What happened, as the end of a sentence that begins with the name of the server. */
  readonly what: string;
  /** What a person can do about it. */
  readonly advice: string;
  /** True if the same would happen again. */
  readonly isLasting?: boolean;
}

const CHECK = "Check the base URL, the network, and that the server runs.";

function connection(what: string): NetworkFailure {
  return { category: "connection", what, advice: CHECK };
}

const REFUSED = connection("refused the connection");
const UNKNOWN = connection("could not be found");
const UNREACHABLE = connection("cannot be reached");
const SLOW = connection("did not take the connection in time");
const CLOSED = connection("closed the connection");
const LATE: NetworkFailure = { category: "timeout", what: "did not answer in time", advice: CHECK };
const NOT_HTTP: NetworkFailure = { category: "bad_response", what: "did not answer in HTTP", advice: CHECK };

const FAILURES: ReadonlyMap<unknown, NetworkFailure> = new Map([
  ["ECONNREFUSED", REFUSED],
  ["ENOTFOUND", UNKNOWN],
  ["EAI_AGAIN", UNKNOWN],
  ["EHOSTUNREACH", UNREACHABLE],
  ["ENETUNREACH", UNREACHABLE],
  ["ECONNRESET", CLOSED],
  ["ECONNABORTED", CLOSED],
  ["EPIPE", CLOSED],
  ["ETIMEDOUT", SLOW],
  ["UND_ERR_CONNECT_TIMEOUT", SLOW],
  ["UND_ERR_HEADERS_TIMEOUT", LATE],
  ["UND_ERR_BODY_TIMEOUT", LATE],
  ["UND_ERR_HEADERS_OVERFLOW", NOT_HTTP],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", NOT_HTTP],
  // The client asserts what HTTP promises, such as a status of 100 and more.
  ["ERR_ASSERTION", NOT_HTTP],
]);

const TLS = /^(?:CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_SSL|HOSTNAME_MISMATCH|INVALID_CA)/;

/** What is wrong where nothing could be sent; ends a sentence that begins with the name of the server. */
export const UNSENDABLE =
  "cannot be asked, since its key or a header has characters that HTTP does not allow";

/** Finds what went wrong with the connection in an error and what caused it; undefined if it is something else. */
export function networkFailure(error: unknown): NetworkFailure | undefined {
  const causes = causesOf(error);
  for (const cause of causes) {
    const failure = isRecord(cause) ? failureOf(cause) : undefined;
    if (failure !== undefined) return failure;
  }
  const isBroken = causes.some((cause) =>
    /^(?:fetch failed|terminated|failed to fetch|other side closed|socket hang up|network error)/i.test(
      errorMessage(cause),
    ),
  );
  return isBroken ? CLOSED : undefined;
}

function failureOf(cause: Readonly<Record<string, unknown>>): NetworkFailure | undefined {
  const { name } = cause;
  const code = typeof cause.code === "string" ? cause.code : "";
  const message = errorMessage(cause);
  const known = FAILURES.get(code);
  if (known !== undefined) return known;
  if (name === "HTTPParserError" || code.startsWith("HPE_")) return NOT_HTTP;
  if (TLS.test(code) || (code === "EPROTO" && /\bssl\b|tls/i.test(message)))
    return {
      category: "connection",
      what: `cannot be trusted, or does not speak TLS (${code}: ${shortened(message, 200)})`,
      advice: "Check the base URL. Name the certificate of an authority of your own in NODE_EXTRA_CA_CERTS.",
      isLasting: true,
    };
  if (code === "UND_ERR_INVALID_ARG") {
    // The name of the header, never its value, which may be a key.
    const header = /^invalid (\S+) header$/.exec(message)?.[1];
    return {
      category: "bad_request",
      what: UNSENDABLE,
      advice: `Check ${header === undefined ? "the names of its headers" : `the header "${header}"`}: values are text of one line, without characters beyond Latin-1.`,
    };
  }
  return code.startsWith("UND_ERR_") ? CLOSED : undefined;
}

/** An error and its causes, also where several attempts failed; at most ten, so that circles end. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [error];
  for (let at = 0; at < causes.length && causes.length < 10; at++) {
    const cause = causes[at];
    if (!isRecord(cause)) continue;
    const { errors } = cause;
    causes.push(...[cause.cause, ...(Array.isArray(errors) ? errors.slice(0, 3) : [])].filter(isRecord));
  }
  return causes;
}
