import { errorMessage } from "../core/error-message.ts";
import { isRecord, ownValue } from "../core/values/json.ts";

/** What went wrong below HTTP, or with HTTP itself. */
export interface NetworkFailure {
  readonly category: "connection" | "timeout" | "bad_response" | "bad_request";
  /** What happened, as the end of a sentence that begins with the name of the server. */
  readonly what: string;
  /** What a person can do about it. */
  readonly advice: string;
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
const CERTIFICATE = /^(?:CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_SSL)/;
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
    if (CERTIFICATE.test(code)) {
      return {
        category: "connection",
        what: `has a certificate that cannot be trusted (${code})`,
        advice: CHECK_NAME,
      };
    }
    if (code === "UND_ERR_INVALID_ARG") {
      // The name of the header, never its value, which may be a key.
      const header = /^invalid (\S+) header$/.exec(errorMessage(cause))?.[1];
      return {
        category: "bad_request",
        what: UNSENDABLE,
        advice: `Check ${header === undefined ? "the names of its headers" : `the header "${header}"`}: values are text of one line, without characters beyond Latin-1.`,
      };
    }
    if (code.startsWith("HPE_") || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return NOT_HTTP;
    if (code.startsWith("UND_ERR_")) {
      return { category: "connection", what: `broke the protocol (${code})`, advice: RETRY_LATER };
    }
  }
  return causes.some((cause) => BROKEN.test(errorMessage(cause)))
    ? { category: "connection", what: "closed the connection", advice: RETRY_LATER }
    : undefined;
}

/** An error and what caused it, also where several attempts failed; never more than a few, whatever refers to what. */
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
