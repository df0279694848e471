import { anyOf, END, Scenario, type ScenarioDefinition } from "elenchus";
import { expect, test } from "vitest";
import { letterQuestion } from "../../../../test/engine/held.ts";
import { resolveNextNode } from "../../../core/state/routing.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { TurnReply } from "../../../engine/journal/run-event.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import type { Turn } from "../../../engine/journal/turn.ts";
import type { Message } from "../../../engine/models/message.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { hopLines, spokenLines } from "./turn-text.ts";

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

const definition: ScenarioDefinition = new Scenario("hops")
  .addNode("ask", { question: letterQuestion("A or B?") })
  .addNode("more", { question: letterQuestion("Sure?") })
  .addNode("last", { question: letterQuestion("Bye.") })
  .addEdge("ask", "more", { when: [{ turn: { lt: 5 } }, { verify_result: true }] })
  .addEdge("ask", "last", { when: anyOf({ verify_result: false }, { turn: 9 }) })
  .addEdge("ask", "last", { when: (accumulated) => (accumulated.missing as { x: number }).x > 1 })
  .addEdge("ask", END)
  .addEdge("more", "last")
  .setEntry("ask")
  .validate();

function hopOf(state: Partial<ScenarioState>, known = true, room = 80): readonly string[] {
  const decision = resolveNextNode(definition.edges, {
    ...INITIAL_STATE,
    turn: 1,
    currentNode: "ask",
    ...state,
  });
  const hop = { type: "hop", conversation: "c", turn: 1, node: "ask", ...decision } as const;
  return hopLines(hop, { style: PLAIN_STYLE, room, ...(known ? { definition } : {}) });
}

test("the first condition that holds", () => {
  expect(hopOf({ verifyResult: true })).toEqual(["→ more because turn < 5 and verify_result = true"]);
  expect(hopOf({ verifyResult: true }, false)).toEqual(["→ more, because its condition holds"]);
});

test("those before it, each with why it does not hold and what was found", () => {
  expect(hopOf({ verifyResult: false })).toEqual([
    "→ last because verify_result = false or turn = 9",
    "  not more: needs verify_result = true, found false",
  ]);
});

test("null is what was found only where the reason is about one value", () => {
  const lines = hopOf({ verifyResult: null });
  expect(lines[0]).toBe("→ END, because no condition holds");
  expect(lines[1]).toBe("  not more: needs verify_result = true, found null");
  expect(lines[2]).toBe("  not last: needs verify_result = false or turn = 9");
  expect(lines[3]).toMatch(/^ {2}not last: the function threw: /);
  expect(hopOf({ verifyResult: null }, false)[1]).toBe("  not more: needs verify_result = true");
});

test("the only edge, and none", () => {
  expect(hopOf({ currentNode: "more" })).toEqual(["→ last, the only edge"]);
  expect(hopOf({ currentNode: "last" })).toEqual(["ends here: no edge leads on"]);
});
