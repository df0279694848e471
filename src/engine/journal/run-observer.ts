import type { RunEvent } from "./run-event.ts";

/** Sees every event of a run at once, as it happens. It cannot change or slow the run: an error it throws is reported once. */
export interface RunObserver {
  onEvent(event: RunEvent): void;
  /** Headers for requests of a turn's subject over HTTP, such as the context of a trace. */
  headersOf?(conversation: string, turn: number): Readonly<Record<string, string>> | undefined;
}
