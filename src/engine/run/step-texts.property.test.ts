import * as fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../test/property-runs.ts";
import { provideLiquid } from "../../core/liquid/liquid-engine.ts";
import { bindScenario, END, type ScenarioDefinition } from "../../core/scenario/definition.ts";
import { Scenario } from "../../core/scenario/scenario.ts";
import { itemsOf } from "../../core/values/growing-list.ts";
import type { JudgementPart } from "../grading/judge/judge-turn.ts";
import type { ConversationEvent, ConversationSettings, RunEvent } from "../journal/run-event.ts";
import { NOTHING_SPENT } from "../journal/spending.ts";
import { loadLiquid } from "./liquid-library.ts";
import type { ConversationState, Effect } from "./step/conversation-state.ts";
import { foldJournal } from "./step/fold-journal.ts";
import { nodePlan } from "./step/node-plan.ts";
import { step } from "./step/step.ts";

provideLiquid(loadLiquid);

const SETTINGS: ConversationSettings = {
  turnLimit: 9,
  judged: true,
  judging: "separate",
  detectRefusal: false,
};

/** What texts may read; each is rendered at a node in the middle of things. */
const READS = [
  "plain",
  "{{ row.q }} {{ visit }}",
  "{{ turns[-1].reply | default: '-' }}",
  "{{ turns[-1].parsed.letter | default: '-' }}",
  "{{ turns[-2].rubric.calm | default: '-' }}",
  "{{ turns.size }} {% for t in turns %}{{ t.node }}{{ t.reply | size }}{% endfor %}",
  "{% for t in turns %}{{ t.parsed.letter }}{{ t.verify_result }}{% endfor %}.",
  "{{ nodes.n0.parsed.letter | default: '-' }}",
  "{{ nodes.n1.verify_result | default: '-' }}{{ nodes.n1.visits | default: 0 }}",
  "{% if nodes.n2 %}{{ nodes.n2.reply }} {{ nodes.n2.parsed.ok }}{% endif %}.",
  "{{ accumulated.count | default: 0 }}",
] as const;

interface Spec {
  readonly question: number;
  readonly answer: number;
  readonly description: number;
  readonly truth: number;
  readonly prompt: number;
  readonly updates: boolean;
  /** The node that is visited again, as long as the bound in the row allows. */
  readonly back: boolean;
}

function build(specs: readonly Spec[]): ScenarioDefinition {
  const scenario: Scenario = new Scenario("texts");
  const read = (index: number): string => READS[index] ?? "";
  specs.forEach((spec, index) => {
    scenario.addNode(`n${index}`, {
      question: {
        question: `Q${index}: ${read(spec.question)}`,
        rawAnswer: read(spec.answer),
        template: {
          fields: {
            letter: {
              type: "string",
              description: `the letter. ${read(spec.description)}`,
              truth: spec.truth < 3 ? "A" : `${read(spec.truth)}`,
            },
            ok: { type: "boolean", description: "ok?", truth: true },
          },
        },
      },
      rubric: {
        traits: [{ type: "llm", kind: "boolean", name: "calm", description: read(spec.description) }],
      },
      agentIdentity: { name: `agent ${index % 2}`, systemPrompt: read(spec.prompt) || "none" },
      ...(spec.updates
        ? {
            stateUpdate: (accumulated: Readonly<Record<string, unknown>>, parsed: { letter?: unknown }) => ({
              count: `${accumulated.count ?? ""}${parsed.letter ?? "?"}`,
            }),
          }
        : {}),
    } as never);
  });
  specs.forEach((spec, index) => {
    if (spec.back)
      scenario.addEdge(`n${index}`, `n${index}`, {
        when: { [`node_visits.n${index}`]: { lt: "{{ row.rounds }}" } } as never,
      });
    scenario.addEdge(`n${index}`, index + 1 < specs.length ? `n${index + 1}` : END);
  });
  const definition = scenario.setEntry("n0").validate();
  return bindScenario(definition, { row: { q: "{{ turns }} {% bad", rounds: 2 } });
}

/** Replies and judgements follow from what was asked, so that a text that differs changes everything after it. */
function digest(text: string): number {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return hash >>> 3;
}

interface Held {
  readonly state: ConversationState;
  readonly journal: readonly ConversationEvent[];
  readonly asked: readonly string[];
  readonly judged: readonly string[];
}

function hold(definition: ScenarioDefinition, choose: (count: number) => number): Held {
  const journal: ConversationEvent[] = [];
  const [asked, judged]: [string[], string[]] = [[], []];
  const pending: Effect[] = [];
  let state: ConversationState | null = null;
  const feed = (event: ConversationEvent): void => {
    journal.push(event);
    const next = step(definition, state, event);
    state = next.state;
    pending.push(...next.effects);
  };
  const cell = { index: 0, scenario: "texts", subject: "s", judge: "j", replicate: 1 };
  feed({ type: "conversation-start", conversation: "c", cell, scenarioHash: "", settings: SETTINGS });
  for (let rounds = 0; rounds < 1000; rounds++) {
    const [effect] = pending.splice(choose(pending.length), 1);
    if (
      effect === undefined ||
      effect.type === "finish" ||
      effect.type === "embed" ||
      effect.type === "simulate"
    )
      break;
    const { turn } = effect;
    if (effect.type === "ask") {
      const sent = JSON.stringify([effect.instructions, effect.messages]);
      asked.push(`${turn} ${sent}`);
      const reply = `reply ${digest(sent) % 100} {{ row.q }}`;
      const messages = [{ role: "assistant", content: reply }] as const;
      feed({
        type: "turn-reply",
        conversation: "c",
        turn,
        reply,
        messages,
        finish: "stop",
        spending: NOTHING_SPENT,
      });
      continue;
    }
    const { question } = effect.reads.node;
    const { template, question: text, rawAnswer } = question;
    const shown = [
      text,
      rawAnswer,
      ...Object.values(template?.fields ?? {}).map(({ description }) => description),
      ...effect.reads.traits.map(({ description = "" }) => description),
    ].join("|");
    judged.push(`${turn} ${effect.part} ${shown}`);
    const asks = nodePlan(definition, effect.node, SETTINGS).parts[effect.part]?.task;
    const luck = digest(shown + effect.reply + effect.part);
    const judgement: JudgementPart = {
      status: "read",
      parsed: Object.fromEntries(
        (asks?.fields ?? []).map(({ name }) => [name, name === "ok" ? luck % 2 === 0 : "ABC"[luck % 3]]),
      ),
      quotes: {},
      notes: {},
      rubric: Object.fromEntries((asks?.traits ?? []).map(({ name }) => [name, luck % 2 === 0])),
      refused: null,
    };
    feed({
      type: "turn-judgement",
      conversation: "c",
      turn,
      part: effect.part,
      judgement,
      spending: NOTHING_SPENT,
    });
  }
  return {
    state: state as unknown as ConversationState,
    journal,
    asked,
    judged: judged.sort(),
  };
}

const index = fc.nat({ max: READS.length - 1 });
const spec = fc.record<Spec>({
  question: index,
  answer: index,
  description: index,
  truth: index,
  prompt: index,
  updates: fc.boolean(),
  back: fc.boolean(),
});
const specs = fc.array(spec, { minLength: 3, maxLength: 4 });

test("what texts come to does not depend on which answers come first", () => {
  fc.assert(
    fc.property(specs, fc.infiniteStream(fc.nat()), (parts, order) => {
      const definition = build(parts);
      const inOrder = hold(definition, () => 0);
      const mixed = hold(definition, (count) => (order.next().value as number) % Math.max(count, 1));
      const judgeLast = hold(definition, (count) => count - 1);
      expect(inOrder.state.status).toMatch(/completed|limit_reached/);
      for (const other of [mixed, judgeLast]) {
        expect(other.asked.toSorted()).toEqual(inOrder.asked.toSorted());
        expect(other.judged).toEqual(inOrder.judged);
        expect(itemsOf(other.state.turns)).toEqual(itemsOf(inOrder.state.turns));
        expect(other.state.status).toBe(inOrder.state.status);
      }
      // The journal is enough to come to the same texts again, wherever it ends.
      const cut = (order.next().value as number) % (mixed.journal.length + 1);
      const events = mixed.journal.map((event) => ({ ...event, at: 0 }) as RunEvent);
      expect(foldJournal(definition, events).state).toEqual(mixed.state);
      const { pending } = foldJournal(definition, events.slice(0, cut));
      for (const effect of pending)
        if (effect.type === "ask")
          expect(mixed.asked).toContain(
            `${effect.turn} ${JSON.stringify([effect.instructions, effect.messages])}`,
          );
    }),
    { numRuns: propertyRuns(150) },
  );
});

test("texts of rows and replies are never rendered again", () => {
  const definition = build([
    { question: 1, answer: 1, description: 1, truth: 1, prompt: 1, updates: false, back: false },
    { question: 2, answer: 2, description: 2, truth: 2, prompt: 2, updates: false, back: false },
  ]);
  const { asked, judged, state } = hold(definition, () => 0);
  expect(asked[0]).toContain("Q0: {{ turns }} {% bad 0");
  expect(asked[1]).toMatch(/Q1: reply \d+ \{\{ row\.q \}\}/);
  expect(judged[0]).toContain("the letter. {{ turns }} {% bad 0");
  expect(state.status).toBe("completed");
});
