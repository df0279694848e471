import type { ConversationStatus } from "../../core/state/state.ts";
import { canonicalJson, deepEqual } from "../../core/values/json.ts";
import type { Cell, RunEvent, RunStart } from "../../engine/journal/run-event.ts";
import type { Spending } from "../../engine/journal/spending.ts";
import type { Store } from "../../engine/journal/store/store.ts";
import { StoreError, type StoreErrorCode } from "../../engine/journal/store/store-error.ts";
import { identityOfRequest, type RecordedCall } from "../../engine/models/cassette/recorded-call.ts";
import type { Message } from "../../engine/models/message.ts";

/** What one call costs in the contract. */
export const ONE_CALL: Spending = { calls: 1, cached: 0, tokens: 15, cost: 0.25 };

/** The first event of a run. */
export function runStart(run: string): RunStart & { readonly at: number } {
  return {
    type: "run-start",
    run,
    seed: 7,
    conversations: 2,
    scenarios: { pressure: "ab12" },
    subjects: ["sim/steadfast"],
    judges: ["rules"],
    replicates: 2,
    configuration: {
      turnLimit: 20,
      note: "a longer text, which a store may keep in another place than the rest",
    },
    at: 1000,
  };
}

/** A finished turn and what led to it. */
interface ContractTurn {
  readonly conversation: string;
  readonly turn: number;
  readonly reply: string;
  readonly verdict: boolean | null;
  /** False if there is no template. */
  readonly isVerified?: boolean;
  readonly at: number;
}

/** All events of a turn, as a run writes them. */
export function turnEvents(made: ContractTurn): readonly RunEvent[] {
  const { conversation, turn, reply, verdict, isVerified = true, at } = made;
  const call = `${turn}.subject.1`;
  const model = "sim/steadfast";
  const place = { conversation, turn };
  const right = { result: verdict, score: verdict === true ? 1 : 0 };
  return [
    { type: "turn-start", ...place, node: "ask", model, messages: [{ role: "user", content: "Why?" }], at },
    { type: "call-start", ...place, call, purpose: "subject", model, identity: "0".repeat(64), at },
    { type: "call-end", ...place, call, attempts: 1, cached: false, latencyMs: 12.5, cost: 0.25, at: at + 1 },
    {
      type: "turn-reply",
      ...place,
      reply,
      messages: [{ role: "assistant", content: reply }],
      finish: "stop",
      spending: ONE_CALL,
      at: at + 1,
    },
    {
      type: "turn-end",
      conversation,
      result: {
        turn,
        node: "ask",
        questionText: "Why?",
        reply,
        verifyResult: verdict,
        score: isVerified ? right.score : null,
        fields: isVerified ? { right } : {},
        parsed: isVerified ? { right: verdict } : {},
        traits: {},
        rubric: {},
        refused: null,
        notes: {},
        readStatus: "read",
        quotes: {},
        finish: "stop",
        next: "ask",
        spending: ONE_CALL,
      },
      at: at + 2,
    },
  ];
}

/** A conversation's place in the run of the contract. */
export function cellOf(index: number, change: Partial<Cell> = {}): Cell {
  return {
    index,
    scenario: "pressure",
    subject: "sim/steadfast",
    judge: "rules",
    replicate: index + 1,
    ...change,
  };
}

/** The beginning of a conversation. */
export function conversationStart(conversation: string, cell: Cell): RunEvent {
  const settings = { turnLimit: 20, judged: false, judging: "together", detectRefusal: false } as const;
  const row = cell.row === undefined ? {} : { itemHash: "cd34", rowValues: { topic: "rivers", level: 2 } };
  return { type: "conversation-start", conversation, cell, scenarioHash: "ab12", settings, ...row, at: 1001 };
}

/** The end of a conversation of so many turns. */
export function conversationEnd(
  conversation: string,
  cell: Cell,
  { status, turns }: { readonly status: ConversationStatus; readonly turns: number },
): RunEvent {
  const spending = { ...ONE_CALL, calls: turns, tokens: 15 * turns, cost: 0.25 * turns };
  const path = Array<string>(turns).fill("ask");
  return { type: "conversation-end", conversation, cell, status, turnCount: turns, path, spending, at: 2000 };
}

/** An answered call. */
export function recordedCall(
  messages: readonly Message[],
  text: string,
  change: Partial<RecordedCall["request"]> = {},
): RecordedCall {
  const request = {
    name: "openai/gpt-5-mini",
    model: { provider: "openai", model: "gpt-5-mini", temperature: 0 },
    instructions: "You are terse.",
    messages,
    tools: null,
    schema: null,
    replicate: 1,
    seed: 7,
    ...change,
  };
  const reply = { text, finish: "stop", usage: { inputTokens: 10, outputTokens: 5 } } as const;
  return { identity: identityOfRequest(request), purpose: "subject", request, reply };
}

/** Throws unless something holds that the contract asks for. */
export function demand(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(`The contract of stores is broken: ${problem}.`);
}

/** Throws unless a value is as it should be. */
export function demandEqual(found: unknown, expected: unknown, what: string): void {
  demand(
    deepEqual(found, expected),
    `${what}: expected ${canonicalJson(expected)}, got ${canonicalJson(found)}`,
  );
}

/** Throws unless an action throws the error that it should. */
export function demandError(code: StoreErrorCode, action: () => unknown): void {
  let thrown: unknown;
  try {
    action();
  } catch (error) {
    thrown = error;
  }
  demand(thrown instanceof StoreError, `it threw ${String(thrown)} instead of a StoreError`);
  demandEqual(thrown.code, code, "the code of the error");
}

/** A store to be tested. */
export interface StoreHarness {
  readonly store: Store;
  /** Closes it and opens it again; left out if what it holds ends with it. */
  readonly reopen?: () => Promise<Store>;
  dispose(): Promise<void>;
}

/** A case of the contract; `run` throws if the store breaks it. */
export interface StoreCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What a store must do. */
export type StoreRule = (harness: StoreHarness) => Promise<void>;
