import { errorMessage } from "../../core/error-message.ts";
import { integerFrom, number, object, oneOfTexts, type TypeOf, text } from "../../core/schema/shape.ts";
import { redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { ERROR_CATEGORIES, ModelError } from "../models/model-error.ts";

const STAGE = oneOfTexts("subject", "judge", "tool", "handover", "run", "record", "simulator");

/** Where in a turn something failed. */
export type Stage = TypeOf<typeof STAGE>;

/** Why there is no answer. */
export const CATEGORY = oneOfTexts(...ERROR_CATEGORIES);

/** What failed, as data for reports: never a verdict about a reply, and without secrets. */
export const FAILURE = object(
  "a failure",
  { category: CATEGORY, stage: STAGE, message: text },
  {
    optional: {
      node: text,
      /** From 1. */
      turn: integerFrom(0),
      statusCode: number,
      /** What lay behind it, if more is known. */
      cause: text,
    },
  },
);

/** What failed, as data for reports: never a verdict about a reply, and without secrets. */
export type RunFailure = TypeOf<typeof FAILURE>;

/** An error as data for reports. What is not an error of ours is a mistake of ours. */
export function failureOf(
  error: unknown,
  place: Pick<RunFailure, "stage"> & Partial<Pick<RunFailure, "node" | "turn">>,
): RunFailure {
  const isOurs = error instanceof ModelError;
  const cause = isOurs && error.cause !== undefined ? redactSecrets(errorMessage(error.cause)) : undefined;
  const message = redactSecrets(errorMessage(error));
  return {
    category: isOurs ? error.category : "internal",
    ...place,
    // A broken tool server ends a turn of the subject, but is not the subject's fault.
    stage: isOurs && error.category === "tool" ? "tool" : place.stage,
    message,
    ...(isOurs && error.statusCode !== undefined ? { statusCode: error.statusCode } : {}),
    ...(cause === undefined || cause === message ? {} : { cause }),
  };
}

/** A run that cannot begin: every problem that was found, before the first call. */
export class RunError extends Error {
  override readonly name = "RunError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options: ErrorOptions = {}) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}
