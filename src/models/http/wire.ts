/** What is reported about a request while it is under way. */
export interface WireListener {
  /** It has been handed to the network. */
  onSent(): void;
  /** The first byte of the response is there. */
  onHeard(): void;
}

const LISTENER = Symbol("wire listener");

/** A signal with the listener on it: a weak map with an entry for each call would cost the garbage collector more than the call. */
type HeardSignal = AbortSignal & { [LISTENER]?: WireListener };

/**
 * Listens to the requests that are sent with a signal. Libraries between a call and the network pass on its signal and nothing
 * else, so the signal is what both ends know.
 */
export function listenToWire(signal: AbortSignal, listener: WireListener): void {
  (signal as HeardSignal)[LISTENER] = listener;
}

/** Who listens to the requests of a signal. */
export function wireOf(signal: AbortSignal | undefined): WireListener | undefined {
  return (signal as HeardSignal | undefined)?.[LISTENER];
}
