import { isTemplate } from "../../core/liquid/text-template.ts";
import {
  bindScenario,
  copyDefinition,
  type ScenarioDefinition,
  type ScenarioNode,
} from "../../core/scenario/definition.ts";
import { failureOf } from "../../journal/failure.ts";
import type { Cell, ConversationEvent, ConversationStop } from "../../journal/run-event.ts";
import { askSubject } from "../../run/ask-subject.ts";
import { askUser } from "../../run/ask-user.ts";
import { systemClock } from "../../run/calls/clock.ts";
import { type CellGroup, CellSource } from "../../run/cell-source.ts";
import { judgeReply } from "../../run/judge-reply.ts";
import type { ConversationContext, ConversationPlan, RunContext } from "../../run/run-context.ts";
import { type SubjectOption, validateOptions } from "../../run/run-options.ts";
import { setUpRun } from "../../run/set-up-run.ts";
import type {
  AskEffect,
  ConversationState,
  JudgeEffect,
  SimulateEffect,
} from "../../run/step/conversation-state.ts";
import { givenHistory } from "../../run/step/given-history.ts";
import { step } from "../../run/step/step.ts";
import { type PlaySession, playRunOptions } from "./play-session.ts";

/** A question about to be asked. */
export interface ReadyQuestion {
  readonly effect: AskEffect;
  /** As the scenario has it, without what a handover adds. */
  readonly question: string;
}

/** What replaces a question: other words, null for none, or that the session is over. */
export type Rewording = { readonly text: string | null } | "ended" | "aborted";

/** How a person asks in place of a scenario. */
export interface PlayConversationOptions {
  readonly reword: (ready: ReadyQuestion) => Promise<Rewording>;
  readonly signal: AbortSignal;
}

interface Asking {
  readonly effect: AskEffect;
  /** The state before the question was ready, and what has happened since. */
  readonly before: ConversationState | null;
  readonly since: ConversationEvent[];
}

/**
 * One conversation whose questions a person may replace, one thing at a time. A question is replaced by folding what led to it
 * once more, with a definition that asks something else in its place: all that follows from a question then follows from what
 * was typed. No definition folds such events again, so they are no journal, and no store may keep them as one.
 */
export class PlayConversation implements ConversationContext {
  readonly run: RunContext;
  readonly signal: AbortSignal;
  readonly #reword: PlayConversationOptions["reword"];
  readonly #scenario: ScenarioDefinition;
  #plan: ConversationPlan;
  #state: ConversationState | null = null;
  #asking: Asking | null = null;
  #judging: JudgeEffect[] = [];
  #simulating: SimulateEffect | null = null;
  #isOver = false;

  constructor(run: RunContext, plan: ConversationPlan, { reword, signal }: PlayConversationOptions) {
    this.run = run;
    this.signal = signal;
    this.#reword = reword;
    this.#plan = plan;
    this.#scenario = plan.definition;
  }

  /** With the definition that asks what was asked last. */
  get plan(): ConversationPlan {
    return this.#plan;
  }

  get state(): ConversationState {
    // Only what follows from a state asks for it.
    return this.#state as ConversationState;
  }

  /** Turns are finished before the next question is asked. */
  async turnsFinished(): Promise<void> {}

  /** Runs the conversation until it is over. */
  async play(): Promise<void> {
    const { conversation, cell, definition, settings } = this.plan;
    const history = givenHistory(definition);
    const start = { type: "conversation-start", conversation, cell, settings } as const;
    this.#feed({
      ...start,
      scenarioHash: definition.hash,
      ...("problem" in history || history.length === 0 ? {} : { history }),
    });
    while (!this.#isOver) {
      const judging = this.#judging;
      this.#judging = [];
      if (judging.length > 0) await this.#judge(judging);
      else if (this.#simulating !== null) await this.#simulate(this.#simulating);
      else if (this.#asking !== null) await this.#ask(this.#asking);
      else throw new Error("The conversation has come to a halt.");
    }
  }

  #feed(event: ConversationEvent): void {
    this.run.emit(event);
    const before = this.#state;
    const { state, effects, events } = step(this.#scenario, before, event);
    this.#state = state;
    this.#asking?.since.push(event);
    for (const effect of effects) {
      if (effect.type === "ask") this.#asking = { effect, before, since: [event] };
      else if (effect.type === "judge") this.#judging.push(effect);
      else if (effect.type === "simulate") this.#simulating = effect;
      else this.#isOver = true;
    }
    for (const derived of events) this.run.emit(derived);
  }

  /** The simulated user writes the next question. */
  async #simulate(effect: SimulateEffect): Promise<void> {
    this.#simulating = null;
    const { conversation } = this.plan;
    const { turn, node } = effect;
    const answer = await askUser(this, effect);
    if ("text" in answer) return this.#feed({ type: "turn-user", conversation, turn, ...answer });
    const place = { stage: "simulator", node, turn } as const;
    const isFault = "fault" in answer;
    const failure = isFault
      ? ({ category: "contract", message: answer.fault, ...place } as const)
      : failureOf(answer.error, place);
    const status = isFault ? "simulator_fault" : "error";
    this.#feed({ type: "conversation-stop", conversation, status, failure, spending: answer.spending });
  }

  async #judge(effects: readonly JudgeEffect[]): Promise<void> {
    const judged = await Promise.all(effects.map((effect) => judgeReply(this, effect)));
    if (this.signal.aborted) this.#stop();
    const { conversation } = this.plan;
    for (const [index, { turn, part }] of effects.entries()) {
      // There is one for each.
      const judgement = judged[index] as (typeof judged)[number];
      this.#feed({ type: "turn-judgement", conversation, turn, part, ...judgement });
    }
  }

  async #ask(asking: Asking): Promise<void> {
    const { node, turn } = asking.effect;
    // The one that was asked last, with its texts.
    const { question = "" } = this.state.open.at(-1) ?? {};
    const reworded = await this.#reword({ effect: asking.effect, question });
    this.#asking = null;
    if (typeof reworded === "string") {
      this.#stop();
      return;
    }
    const { text } = reworded;
    const effect = text === null ? this.#asIs(asking) : this.#replaced(asking, text);
    const asked = await askSubject(this, effect);
    const { conversation } = this.plan;
    if ("reply" in asked) this.#feed({ type: "turn-reply", conversation, turn, ...asked });
    else if (this.signal.aborted) this.#stop();
    else {
      const failure = failureOf(asked.error, { stage: "subject", node, turn });
      this.#stop({ status: "error", failure, spending: asked.spending });
    }
  }

  #asIs({ effect }: Asking): AskEffect {
    this.#plan = { ...this.#plan, definition: this.#scenario };
    return effect;
  }

  #replaced({ effect, before, since }: Asking, text: string): AskEffect {
    const definition = withQuestion(this.#scenario, effect.node, text);
    let state = before;
    let ready = effect;
    for (const event of since) {
      const next = step(definition, state, event);
      state = next.state;
      ready = next.effects.find((one) => one.type === "ask") ?? ready;
    }
    this.#state = state;
    this.#plan = { ...this.#plan, definition };
    return ready;
  }

  #stop(
    end: Pick<ConversationStop, "status" | "failure" | "spending"> = {
      status: "cancelled",
      failure: { category: "cancelled", stage: "run", message: "The session was ended." },
    },
  ): void {
    this.#asking = null;
    this.#feed({ type: "conversation-stop", conversation: this.plan.conversation, ...end });
  }
}

function withQuestion(definition: ScenarioDefinition, id: string, text: string): ScenarioDefinition {
  const node = definition.nodes[id] as ScenarioNode;
  // What a person types is no template.
  const plain = isTemplate(text) ? `{% raw %}${text}{% endraw %}` : text;
  const question = Object.freeze({ ...node.question, question: plain });
  const nodes = Object.freeze({ ...definition.nodes, [id]: Object.freeze({ ...node, question }) });
  const { given } = definition;
  const changed = copyDefinition(definition, { nodes });
  return given === undefined ? changed : bindScenario(changed, given);
}

const HINT = "(an empty line sends it; or type another in its place, and end it with an empty line)";
const HANDOVER_HINT = "(what you type takes the place of the question only: the transcript stays)";

/** Runs the conversation with a model as the subject; the person may replace the questions. */
export async function playQuestioner(session: PlaySession, subject: SubjectOption): Promise<void> {
  const { options, store, signal } = session;
  const runOptions = playRunOptions(options, { subject, store });
  validateOptions(runOptions);
  // The store keeps answers; a journal is not begun, since it could not be folded again.
  const setup = await setUpRun(runOptions, {
    clock: systemClock,
    emit: (event) => session.onEvent(event),
    durable: () => undefined,
    fail: (error) => {
      throw error;
    },
  });
  try {
    for (const warning of setup.warnings) session.onEvent(warning);
    // One of everything makes one cell.
    const { cells, row } = (await new CellSource(setup.factors).next()) as CellGroup;
    const [cell] = cells as readonly [Cell];
    let isFirst = true;
    const conversation = new PlayConversation(setup.context, setup.conversation(cell, row), {
      signal,
      async reword(ready) {
        const reworded = await askPerson(session, ready, isFirst);
        isFirst = false;
        return reworded;
      },
    });
    await conversation.play();
  } finally {
    await setup.close();
  }
}

async function askPerson(
  { screen, input, options, signal }: PlaySession,
  { effect, question }: ReadyQuestion,
  isFirst: boolean,
): Promise<Rewording> {
  if (signal.aborted) return "aborted";
  const { node, turn, agent, instructions, added } = effect;
  const sent = added.at(-1);
  const text = sent?.role === "user" ? sent.content : question;
  const examples = options.scenario.nodes[node]?.question.fewShot;
  screen.question({
    node,
    turn,
    agent,
    ...(instructions === undefined ? {} : { instructions }),
    ...(examples === undefined ? {} : { examples }),
    text,
  });
  if (isFirst) screen.hint(HINT);
  if (text !== question) screen.hint(HANDOVER_HINT);
  const typed = await input.read({ signal, mayBeEmpty: true });
  if (typeof typed === "string") return typed;
  return { text: typed.text === "" ? null : typed.text };
}
