import { expect, test } from "vitest";
import {
  cellOf,
  conversationEnd,
  conversationStart,
  runStart,
  turnEvents,
} from "../../../apps/contracts/store-contract-samples.ts";
import type { RunEvent } from "../run-event.ts";
import { decodeEvent, EVENT_CODES, encodeEvent, eventType } from "./encode-event.ts";

function roundTrip(event: RunEvent): RunEvent {
  const { type, turn, at, json, texts } = encodeEvent(event);
  const known = new Map(texts);
  const name = "conversation" in event ? (event.conversation ?? null) : null;
  const conversation = name?.isWellFormed() === false ? "what a database makes of it" : name;
  return decodeEvent({ type, turn, at, conversation, data: json }, (hash) => known.get(hash) as string);
}

test("events come back as they were, with their keys in the order that events have", () => {
  const events = [
    runStart("one"),
    conversationStart("c", cellOf(0)),
    ...turnEvents({ conversation: "c", turn: 1, reply: "x".repeat(100), verdict: null, at: 1.5 }),
    conversationEnd(
      "c",
      cellOf(0, { row: "q2", rowIndex: 2, variant: { order: "b" }, arm: "mcq", parent: 1 }),
      { status: "completed", turns: 1 },
    ),
    { type: "warning", code: "x", message: "", at: 1 } as const,
  ];
  for (const event of events) {
    expect(roundTrip(event)).toEqual(event);
    expect(Object.keys(roundTrip(event))).toEqual(Object.keys(event));
  }
});

test("what does not fit in a column stays in the JSON", () => {
  const odd: RunEvent = { type: "warning", conversation: "\ud83c", turn: 1, code: "x", message: "", at: 1 };
  expect(roundTrip(odd)).toEqual(odd);
});

test("each type has a number of its own, for ever", () => {
  const codes = Object.values(EVENT_CODES);
  expect(new Set(codes).size).toBe(codes.length);
  for (const [type, code] of Object.entries(EVENT_CODES)) expect(eventType(code)).toBe(type);
  expect(EVENT_CODES).toMatchObject({ "run-start": 1, "turn-end": 10, outcome: 15, progress: 17 });
});
