import type { RunEvent } from "./run-event.ts";

/** The number that stands for a type of event in a file. Numbers are never used for something else again. */
export const EVENT_CODES: Readonly<Record<RunEvent["type"], number>> = Object.freeze({
  "run-start": 1,
  "run-end": 2,
  "conversation-start": 3,
  "conversation-stop": 4,
  "conversation-resume": 5,
  "conversation-end": 6,
  "turn-start": 7,
  "turn-reply": 8,
  "turn-judgement": 9,
  "turn-end": 10,
  "call-start": 11,
  retry: 12,
  "call-end": 13,
  hop: 14,
  outcome: 15,
  warning: 16,
  progress: 17,
  "scenario-define": 18,
});

const TYPES: ReadonlyMap<number, string> = new Map(
  Object.entries(EVENT_CODES).map(([type, code]) => [code, type]),
);

/** The type that a number stands for; undefined if no release so far has written it. */
export function eventType(code: number): string | undefined {
  return TYPES.get(code);
}
