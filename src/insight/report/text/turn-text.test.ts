import { expect, test } from "vitest";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { TurnReply } from "../../../engine/journal/run-event.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import type { Turn } from "../../../engine/journal/turn.ts";
import type { Message } from "../../../engine/models/message.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { spokenLines } from "./turn-text.ts";

const MESSAGES: readonly Message[] = [
  {
    role: "assistant",
    content: "",
    toolCalls: [
      { id: "1", name: "search", input: { q: "capital of Australia" } },
      { id: "2", name: "search", input: {} },
    ],
  },
  {
    role: "tool",
    results: [
      { id: "2", name: "search", output: "no query", isError: true },
      { id: "1", name: "search", output: ["Canberra", "x".repeat(80)] },
    ],
  },
  { role: "assistant", content: "Canberra." },
];

function told(reply: Partial<TurnReply>): Readonly<Record<string, readonly string[]>> {
  const conversation = "c";
  const [turn] = foldConversation([
    {
      type: "turn-start",
      conversation,
      turn: 1,
      node: "ask",
      model: "subject",
      instructions: "Be\nbrief.",
      messages: [
        { role: "user", content: "Example?" },
        { role: "assistant", content: "Answer." },
        { role: "user", content: "Capital?" },
      ],
    },
    {
      type: "turn-reply",
      conversation,
      turn: 1,
      reply: "Canberra.",
      messages: [],
      finish: "stop",
      spending: NOTHING_SPENT,
      ...reply,
    },
  ]).turns;
  const options = { style: PLAIN_STYLE, width: 80, subject: "subject", isOver: false };
  const blocks = spokenLines(turn as Turn, options, 50).filter(({ lines }) => lines.length > 0);
  return Object.fromEntries(blocks.map(({ label, lines }) => [label, lines]));
}

test("the question with what was sent before it, and the reply", () => {
  expect(told({})).toEqual({
    system: ["Be brief."],
    before: ["2 messages before the question"],
    asked: ["Capital?"],
    replied: ["Canberra."],
  });
});

test("tools take a line each, with what they gave", () => {
  expect(told({ messages: MESSAGES }).tools).toEqual([
    `search({"q":"capital of Australia"}) → ["Canberra…`,
    'search({}) → failed: "no query"',
  ]);
});

test("a reply that did not end by itself says so", () => {
  expect(told({ finish: "length" }).finish?.join(" ")).toMatch(/^It was cut off at the token limit/);
  expect(told({ finish: "content_filter" }).finish?.join(" ")).toMatch(/content filter/);
  expect(told({ finish: "tool_calls", stepLimit: true }).finish?.join(" ")).toMatch(/still called tools/);
});
