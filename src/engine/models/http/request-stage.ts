/** How far a request is: it waits for a connection, or it has been handed to the network. */
export type RequestStage = "waiting" | "sent";

const STAGE = Symbol("request stage");

/** A signal with the stage on it: a weak map with an entry for each call would cost the garbage collector more than the call. */
type StagedSignal = AbortSignal & { [STAGE]?: RequestStage };

/**
 * Notes how far the request of a signal is. Libraries between a call and the network pass on its signal and nothing else, so the
 * signal is what both ends know.
 */
export function setRequestStage(signal: AbortSignal | undefined, stage: RequestStage): void {
  if (signal !== undefined) (signal as StagedSignal)[STAGE] = stage;
}

/** Undefined if nobody says: a function, a request that another client sends. */
export function requestStage(signal: AbortSignal): RequestStage | undefined {
  return (signal as StagedSignal)[STAGE];
}
