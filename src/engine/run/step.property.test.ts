import * as fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../test/property-runs.ts";
import { buildScenario, scenarioSpec } from "../../../test/random-scenario.ts";
import { END, type ScenarioDefinition } from "../../core/scenario/definition.ts";
import { advanceState } from "../../core/state/advance-state.ts";
import { resolveNextNode } from "../../core/state/routing.ts";
import { INITIAL_STATE } from "../../core/state/state.ts";
import { itemsOf } from "../../core/values/growing-list.ts";
import { type JudgementPart, joinParts, unansweredPart } from "../grading/judge/judge-turn.ts";
import { concludeReply } from "../grading/verify/conclude-reply.ts";
import type {
  ConversationEvent,
  ConversationSettings,
  DerivedEvent,
  RunEvent,
} from "../journal/run-event.ts";
import { NOTHING_SPENT } from "../journal/spending.ts";
import type { AskEffect, ConversationState, Effect, JudgeEffect } from "./step/conversation-state.ts";
import { type FoldedJournal, foldJournal } from "./step/fold-journal.ts";
import { type NodePlan, nodePlan } from "./step/node-plan.ts";
import { step } from "./step/step.ts";

const settings: ConversationSettings = {
  turnLimit: 8,
  judged: true,
  judging: "separate",
  detectRefusal: false,
};

/** Replies and judgements follow from the turn alone, so that every order of completion tells the same story. */
function chance(seed: number, ...key: readonly (string | number)[]): number {
  let hash = seed | 0;
  for (const char of key.join(" ")) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 8;
}

function replyAt(seed: number, turn: number): string {
  return ["The answer is B.", "The answer is A.", "I cannot say."][chance(seed, "reply", turn) % 3] as string;
}

function judgementAt(seed: number, turn: number, part: number, plan: NodePlan): JudgementPart {
  const asks = plan.parts[part]?.task;
  if (asks === undefined) throw new Error("no such part");
  const values = [true, false, null];
  const pick = (name: string): boolean | null =>
    values[chance(seed, "judge", turn, name) % 3] as boolean | null;
  if (chance(seed, "unreadable", turn, part) % 5 === 0) return unansweredPart(asks, "the judge is away");
  return {
    status: "read",
    parsed: Object.fromEntries(asks.fields.map(({ name }) => [name, pick(name)])),
    quotes: {},
    notes: {},
    rubric: Object.fromEntries(asks.traits.map(({ name }) => [name, pick(name)])),
    refused: null,
  };
}

interface Held {
  readonly state: ConversationState;
  readonly events: readonly DerivedEvent[];
  readonly fed: readonly ConversationEvent[];
  readonly asked: readonly AskEffect[];
}

/**
 * Holds a conversation; `choose` says which of the effects under way completes next. `failAt` is a turn without an answer,
 * `from` what the journal of an interrupted one tells.
 */
function hold(
  definition: ScenarioDefinition,
  seed: number,
  choose: (pending: readonly Effect[]) => number,
  failAt = 0,
  from?: FoldedJournal,
): Held {
  const start = {
    type: "conversation-start",
    conversation: "c",
    cell: { index: 0, scenario: "random", subject: "s", judge: "j", replicate: 1 },
    scenarioHash: "",
    settings,
  } as const;
  const events: DerivedEvent[] = [];
  const fed: ConversationEvent[] = [];
  const asked: AskEffect[] = [];
  const pending: Effect[] = [...(from?.pending ?? [])];
  let state: ConversationState | null = from?.state ?? null;
  const feed = (event: ConversationEvent): void => {
    fed.push(event);
    const next = step(definition, state, event);
    state = next.state;
    events.push(...next.events);
    for (const effect of next.effects) {
      if (effect.type === "ask") asked.push(effect);
      pending.push(effect);
    }
  };
  if (state === null) feed(start);
  for (let rounds = 0; rounds < 1000; rounds++) {
    const [effect] = pending.splice(choose(pending), 1);
    if (
      effect === undefined ||
      effect.type === "finish" ||
      effect.type === "embed" ||
      effect.type === "simulate"
    )
      break;
    feed(completed(definition, seed, effect, failAt));
  }
  return { state: state as unknown as ConversationState, events, fed, asked };
}

function completed(
  definition: ScenarioDefinition,
  seed: number,
  effect: AskEffect | JudgeEffect,
  failAt: number,
): ConversationEvent {
  const { turn, node } = effect;
  if (effect.type === "judge") {
    const judgement = judgementAt(seed, turn, effect.part, nodePlan(definition, node, settings));
    return {
      type: "turn-judgement",
      conversation: "c",
      turn,
      part: effect.part,
      judgement,
      spending: NOTHING_SPENT,
    };
  }
  if (turn === failAt) return { type: "conversation-stop", conversation: "c", status: "error" };
  const reply = replyAt(seed, turn);
  return {
    type: "turn-reply",
    conversation: "c",
    turn,
    reply,
    messages: [{ role: "assistant", content: reply }],
    finish: "stop",
    spending: NOTHING_SPENT,
  };
}

/** One thing at a time: the judge is done before the next question, written without `step`. */
function oneAtATime(definition: ScenarioDefinition, seed: number, failAt: number): readonly unknown[] {
  const turns: unknown[] = [];
  let state = INITIAL_STATE;
  let id: string | null = definition.entryNode;
  for (let turn = 1; id !== null && id !== END && turn <= settings.turnLimit && turn !== failAt; turn++) {
    const plan = nodePlan(definition, id, settings);
    const reply = replyAt(seed, turn);
    const parts = plan.parts.map((_, part) => judgementAt(seed, turn, part, plan));
    const { question, stateUpdate } = plan.node;
    const { verifyResult, parsed, rubric, refused } = concludeReply(
      { question, reply, traits: plan.traits, state },
      joinParts(parts),
    );
    state = advanceState(
      state,
      { node: id, reply, verifyResult, parsed, rubric, refused },
      stateUpdate,
    ).state;
    const { target } = resolveNextNode(definition.edges, state);
    turns.push({ node: id, reply, verifyResult, parsed, rubric, next: target });
    id = target;
  }
  return [...turns, state.accumulated];
}

const judgesFirst = (pending: readonly Effect[]): number =>
  Math.max(
    0,
    pending.findIndex(({ type }) => type === "judge"),
  );

function told({ state }: Held): readonly unknown[] {
  const turns = itemsOf(state.turns).map(({ node, reply, verifyResult, parsed, rubric, next }) => ({
    node,
    reply,
    verifyResult,
    parsed,
    rubric,
    next,
  }));
  return [...turns, state.scenario.accumulated];
}

const cases = fc.record({
  spec: scenarioSpec,
  seed: fc.integer(),
  order: fc.array(fc.nat(), { minLength: 1, maxLength: 40 }),
  failAt: fc.nat(12),
});

test("whatever completes first, the results are those of one thing at a time", () => {
  fc.assert(
    fc.property(cases, ({ spec, seed, order, failAt }) => {
      const definition = buildScenario(spec);
      let round = 0;
      const anyOrder = (pending: readonly Effect[]): number =>
        (order[round++ % order.length] as number) % Math.max(1, pending.length);
      const overlapped = hold(definition, seed, anyOrder, failAt);
      const inOrder = hold(definition, seed, judgesFirst, failAt);
      expect(overlapped.state.status).not.toBeNull();
      expect(told(overlapped)).toEqual(oneAtATime(definition, seed, failAt));
      // To the byte, with what was sent, the outcomes and the reasons of every hop.
      const { state } = overlapped;
      expect(JSON.stringify(itemsOf(state.turns))).toBe(JSON.stringify(itemsOf(inOrder.state.turns)));
      const sent = (held: Held): unknown =>
        held.asked.map(({ messages, instructions }) => [instructions, messages]);
      expect(sent(overlapped)).toEqual(sent(inOrder));
      const hops = (held: Held): unknown => held.events.filter(({ type }) => type === "hop");
      expect(hops(overlapped)).toEqual(hops(inOrder));
    }),
    { numRuns: propertyRuns(700) },
  );
});

test("folding the same events gives the same state, and no step changes the state it began with", () => {
  fc.assert(
    fc.property(cases, ({ spec, seed, failAt }) => {
      const definition = buildScenario(spec);
      const { fed, state } = hold(definition, seed, (pending) => pending.length - 1, failAt);
      let folded: ConversationState | null = null;
      const frozen: [ConversationState, string][] = [];
      for (const event of JSON.parse(JSON.stringify(fed)) as ConversationEvent[]) {
        if (folded !== null) frozen.push([folded, JSON.stringify(folded)]);
        folded = step(definition, folded, event).state;
      }
      expect(JSON.stringify(folded)).toBe(JSON.stringify(state));
      for (const [before, text] of frozen) expect(JSON.stringify(before)).toBe(text);
    }),
    { numRuns: propertyRuns(200) },
  );
});

test("events that do not fit change nothing", () => {
  fc.assert(
    fc.property(cases, ({ spec, seed }) => {
      const definition = buildScenario(spec);
      const { fed, state } = hold(definition, seed, judgesFirst);
      for (const event of fed) {
        const again = step(definition, state, event);
        expect(again.effects).toEqual([]);
        expect(JSON.stringify(again.state)).toBe(JSON.stringify(state));
      }
      const stop = { type: "conversation-stop", conversation: "c", status: "cancelled" } as const;
      expect(step(definition, null, stop).effects).toEqual([]);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test("a journal that breaks off anywhere, folded and continued, gives what an uninterrupted conversation gives", () => {
  fc.assert(
    fc.property(cases, fc.nat(), fc.nat(), ({ spec, seed, order, failAt }, cut, resumedAt) => {
      const definition = buildScenario(spec);
      let round = 0;
      const anyOrder = (pending: readonly Effect[]): number =>
        (order[round++ % order.length] as number) % Math.max(1, pending.length);
      const whole = hold(definition, seed, judgesFirst, failAt);
      const { fed } = hold(definition, seed, anyOrder, failAt);
      const journal: RunEvent[] = fed.slice(0, cut % (fed.length + 1)).map((event) => ({ ...event, at: 0 }));
      // Perhaps somebody stopped it there, and it was taken up again.
      const stop = { type: "conversation-stop", conversation: "c", status: "cancelled", at: 0 } as const;
      const resume = {
        type: "conversation-resume",
        conversation: "c",
        attempt: 2,
        retriesErrors: false,
        at: 0,
      } as const;
      const isStopped =
        resumedAt % 2 === 1 && journal.length > 0 && journal.at(-1)?.type !== "conversation-stop";
      const folded = foldJournal(definition, isStopped ? [...journal, stop, resume] : journal);
      const continued = hold(definition, seed, anyOrder, failAt, folded);
      expect(JSON.stringify(itemsOf(continued.state.turns))).toBe(JSON.stringify(itemsOf(whole.state.turns)));
      expect(continued.state.status).toBe(whole.state.status);
      expect(continued.state.scenario.accumulated).toEqual(whole.state.scenario.accumulated);
      // Nothing that the journal tells of is done again.
      const done = new Set(journal.flatMap((event) => ("turn" in event ? [keyOf(event)] : [])));
      for (const event of continued.fed) if ("turn" in event) expect(done.has(keyOf(event))).toBe(false);
    }),
    { numRuns: propertyRuns(500) },
  );
});

function keyOf(event: RunEvent | ConversationEvent): string {
  return JSON.stringify([
    event.type,
    "turn" in event ? event.turn : null,
    "part" in event ? event.part : null,
  ]);
}
