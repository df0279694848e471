import { errorMessage } from "../../../core/error-message.ts";
import { isRecord, ownValue } from "../../../core/values/json.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { redactedCause } from "../../../system/secrets/redacted-cause.ts";
import {
  type FailedCall,
  failedResponse,
  quotedStart,
  responseFacts,
  shortened,
} from "../http/failed-response.ts";
import { ModelError } from "../model-error.ts";

/** Any error of a call as a `ModelError` with a category and a message that a person can act on. */
export function toModelError(error: unknown, call: FailedCall): ModelError {
  if (call.signal?.aborted) return abortedCall(call.signal, call.name);
  if (error instanceof ModelError) return error;
  // Thrown below the library, which has wrapped it.
  const inner = isRecord(error) ? readable(error, "cause") : undefined;
  if (inner instanceof ModelError) return inner;
  const redact = (text: string): string => redactSecrets(text, call.secrets);
  const cause = redactedCause(error, redact);
  const { statusCode, headers, body, url } = responseFacts(error);
  // First, because the text of a server's error may look like an error of the network.
  if (statusCode !== undefined && (statusCode < 200 || statusCode > 299)) {
    return failedResponse({ statusCode, headers, body }, { ...call, url: url ?? call.url }, cause);
  }
  const network = networkFailure(error);
  if (network !== undefined) {
    const { category, what, advice, isLasting = false } = network;
    const server = hostOf(url ?? call.url) ?? "the server";
    const text = redact(`${call.name}: ${server} ${what}. ${advice}`);
    return new ModelError(category, text, { cause, isLasting });
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

/** Errors of the AI SDK about the response; all its other errors are about the request. */
const BAD_RESPONSES: readonly string[] = [
  "JSONParse",
  "TypeValidation",
  "EmptyResponseBody",
  "InvalidResponseData",
  "NoContentGenerated",
  "NoOutputGenerated",
  "InvalidStreamPart",
];

/** By name, so that the library need not be loaded. */
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

/** What went wrong below HTTP, or with HTTP itself. */
export interface NetworkFailure {
  readonly category: "connection" | "timeout" | "bad_response" | "bad_request";
  /** What happened, as the end of a sentence that begins with the name of the server. */
  readonly what: string;
  /** What a person can do about it. */
  readonly advice: string;
  /** True if the same would happen again. */
  readonly isLasting?: boolean;
}

const RETRY_LATER = "The connection may be bad, or the server overloaded.";
const CHECK_NAME = "Check the base URL and the network.";

const FAILURES: Readonly<Record<string, NetworkFailure>> = {
  ECONNREFUSED: {
    category: "connection",
    what: "refused the connection",
    advice: "Check that the server runs, and its base URL.",
  },
  ENOTFOUND: { category: "connection", what: "could not be found", advice: CHECK_NAME },
  EAI_AGAIN: { category: "connection", what: "could not be looked up", advice: CHECK_NAME },
  EHOSTUNREACH: { category: "connection", what: "cannot be reached", advice: CHECK_NAME },
  ENETUNREACH: { category: "connection", what: "cannot be reached", advice: CHECK_NAME },
  ECONNRESET: { category: "connection", what: "closed the connection", advice: RETRY_LATER },
  ECONNABORTED: { category: "connection", what: "closed the connection", advice: RETRY_LATER },
  EPIPE: { category: "connection", what: "closed the connection", advice: RETRY_LATER },
  UND_ERR_SOCKET: { category: "connection", what: "closed the connection", advice: RETRY_LATER },
  ETIMEDOUT: { category: "connection", what: "did not take the connection in time", advice: CHECK_NAME },
  UND_ERR_CONNECT_TIMEOUT: {
    category: "connection",
    what: "did not take the connection in time",
    advice: CHECK_NAME,
  },
  UND_ERR_HEADERS_OVERFLOW: {
    category: "bad_response",
    what: "sent more than 64 kB of headers",
    advice: "Check its URL.",
  },
  UND_ERR_HEADERS_TIMEOUT: { category: "timeout", what: "did not answer in time", advice: RETRY_LATER },
  UND_ERR_BODY_TIMEOUT: {
    category: "timeout",
    what: "stopped in the middle of its answer",
    advice: RETRY_LATER,
  },
};

/** The head of an answer, or how it is framed, is wrong. */
const NOT_HTTP: NetworkFailure = {
  category: "bad_response",
  what: "did not answer in HTTP",
  advice: "Check its URL.",
};
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_SSL|HOSTNAME_MISMATCH|INVALID_CA)/;
const OWN_CA = "If you trust it, name the certificate of its authority in NODE_EXTRA_CA_CERTS.";

/** What can be wrong with TLS, by the code that Node gives it; the end of a sentence, and advice. */
const TLS_FAILURES: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  CERT_HAS_EXPIRED: [
    "has a certificate that has expired",
    "Check the clock of this machine, and the server.",
  ],
  CERT_NOT_YET_VALID: ["has a certificate that is not valid yet", "Check the clock of this machine."],
  CERT_REVOKED: ["has a certificate that was revoked", "Check the server."],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["has a certificate that it signed itself", OWN_CA],
  SELF_SIGNED_CERT_IN_CHAIN: ["has a certificate of an authority that is not known here", OWN_CA],
  UNABLE_TO_GET_ISSUER_CERT: ["has a certificate of an authority that is not known here", OWN_CA],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["has a certificate of an authority that is not known here", OWN_CA],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["does not send the whole chain of its certificate", OWN_CA],
  ERR_TLS_CERT_ALTNAME_INVALID: ["has a certificate for another host name", "Check the base URL."],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    "does not speak TLS there",
    "Try http:// instead of https://, or another port.",
  ],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: [
    "does not speak TLS there",
    "Try http:// instead of https://, or another port.",
  ],
  ERR_SSL_HTTP_REQUEST: ["does not speak TLS there", "Try http:// instead of https://, or another port."],
};

/** What is wrong with TLS; undefined if it is something else. */
function tlsFailure(code: string, cause: unknown): NetworkFailure | undefined {
  const isProtocol = code === "EPROTO" && /\bssl\b|tls/i.test(errorMessage(cause));
  if (!isProtocol && !CERTIFICATE.test(code)) return undefined;
  const isPlain = isProtocol && /wrong version number|packet length|http request/i.test(errorMessage(cause));
  const known = ownValue(TLS_FAILURES, isPlain ? "ERR_SSL_WRONG_VERSION_NUMBER" : code);
  // Looked up in the table above.
  const [what, advice] = (known ?? ["could not set up TLS", CHECK_NAME]) as readonly [string, string];
  return { category: "connection", what: `${what} (${code})`, advice, isLasting: true };
}

const BROKEN = /^(?:fetch failed|terminated|failed to fetch|other side closed|socket hang up|network error)/i;

/** What is wrong where nothing could be sent; ends a sentence that begins with the name of the server. */
export const UNSENDABLE =
  "cannot be asked, since its key or a header has characters that HTTP does not allow";

/** Finds what went wrong with the connection in an error and what caused it; undefined if it is something else. */
export function networkFailure(error: unknown): NetworkFailure | undefined {
  const causes = causesOf(error);
  for (const cause of causes) {
    if (!isRecord(cause)) continue;
    if (readable(cause, "name") === "HTTPParserError") return NOT_HTTP;
    const code = readable(cause, "code");
    if (typeof code !== "string") continue;
    const known = ownValue(FAILURES, code);
    // Looked up in the table above.
    if (known !== undefined) return known as NetworkFailure;
    const tls = tlsFailure(code, cause);
    if (tls !== undefined) return tls;
    if (code === "UND_ERR_INVALID_ARG") {
      // The name of the header, never its value, which may be a key.
      const header = /^invalid (\S+) header$/.exec(errorMessage(cause))?.[1];
      return {
        category: "bad_request",
        what: UNSENDABLE,
        advice: `Check ${header === undefined ? "the names of its headers" : `the header "${header}"`}: values are text of one line, without characters beyond Latin-1.`,
      };
    }
    // The client asserts what HTTP promises, such as a status of 100 and more.
    if (code.startsWith("HPE_") || code === "ERR_ASSERTION" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")
      return NOT_HTTP;
    if (code.startsWith("UND_ERR_")) {
      return { category: "connection", what: `broke the protocol (${code})`, advice: RETRY_LATER };
    }
  }
  return causes.some((cause) => BROKEN.test(errorMessage(cause)))
    ? { category: "connection", what: "closed the connection", advice: RETRY_LATER }
    : undefined;
}

/** An error and its causes, also where several attempts failed; at most ten, so that circles end. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  const visit = (cause: unknown): void => {
    if (cause === undefined || cause === null || causes.length >= 10 || causes.includes(cause)) return;
    causes.push(cause);
    if (!isRecord(cause)) return;
    visit(readable(cause, "cause"));
    const several = readable(cause, "errors");
    if (Array.isArray(several)) for (const one of several.slice(0, 3)) visit(one);
  };
  visit(error);
  return causes;
}

/** A value that may be a getter that throws. */
export function readable(record: Readonly<Record<string, unknown>>, key: string): unknown {
  try {
    return record[key];
  } catch {
    return undefined;
  }
}
