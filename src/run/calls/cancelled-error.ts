import { ModelError } from "../../models/model-error.ts";

/** Why a call was cancelled: what the signal says, if that is an error of ours; it may be a time limit or a budget. */
export function cancelledError(signal: AbortSignal): ModelError {
  const reason: unknown = signal.reason;
  return reason instanceof ModelError
    ? reason
    : new ModelError("cancelled", "The call was cancelled.", { cause: reason });
}
