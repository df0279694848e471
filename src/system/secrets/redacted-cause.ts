import { errorMessage } from "../../core/error-message.ts";

const DEEPEST = 3;

/**
 * What was thrown, fit to be kept: name, message and stack without secrets, and nothing of what errors of providers carry
 * along (requests, headers, whole responses).
 */
export function redactedCause(error: unknown, redact: (text: string) => string, depth = 1): Error {
  const copy = new Error(redact(errorMessage(error)));
  if (!(error instanceof Error)) return copy;
  try {
    copy.name = redact(String(error.name));
    if (typeof error.stack === "string") copy.stack = redact(error.stack);
    if (error.cause !== undefined && depth < DEEPEST) {
      copy.cause = redactedCause(error.cause, redact, depth + 1);
    }
  } catch {
    // A getter threw; what has been read so far is enough.
  }
  return copy;
}
