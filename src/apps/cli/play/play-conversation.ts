import { isTemplate } from "../../../core/liquid/text-template.ts";
import {
  bindScenario,
  copyDefinition,
  type ScenarioDefinition,
  type ScenarioNode,
} from "../../../core/scenario/definition.ts";
import { failureOf } from "../../../engine/journal/failure.ts";
import type { Cell, ConversationEvent, ConversationStop } from "../../../engine/journal/run-event.ts";
import { askSubject } from "../../../engine/run/ask-subject.ts";
import { askUser } from "../../../engine/run/ask-user.ts";
import { systemClock } from "../../../engine/run/calls/clock.ts";
import { type CellGroup, CellSource } from "../../../engine/run/cell-source.ts";
import { judgeReply } from "../../../engine/run/judge-reply.ts";
import type { ConversationContext, ConversationPlan, RunContext } from "../../../engine/run/run-context.ts";
import { type SubjectOption, validateOptions } from "../../../engine/run/run-options.ts";
import { setUpRun } from "../../../engine/run/set-up-run.ts";
import type {
  AskEffect,
  ConversationState,
  JudgeEffect,
  SimulateEffect,
} from "../../../engine/run/step/conversation-state.ts";
import { givenHistory } from "../../../engine/run/step/given-history.ts";
import { step } from "../../../engine/run/step/step.ts";
import { type PlaySession, playRunOptions } from "./play-session.ts";

/** A question that is about to be sent. */
interface ReadyQuestion {
  readonly effect: AskEffect;
  /** As the scenario has it, without what a handover adds. */
  readonly question: string;
}

/** The replacement of a question: another text, null to keep it, or that the session is over. */
type Rewording = { readonly text: string | null } | "ended" | "aborted";

/** How a person replaces questions, and the signal that ends the session. */
interface PlayConversationOptions {
  readonly reword: (ready: ReadyQuestion) => Promise<Rewording>;
  readonly signal: AbortSignal;
}

interface PendingQuestion {
  readonly effect: AskEffect;
  /** The state before the question was ready, and what has happened since. */
  readonly before: ConversationState | null;
  readonly since: ConversationEvent[];
}

/**
 * One conversation whose questions a person may replace, one effect at a time. To replace a question, the events that led to it are folded
 * again with a definition that has the new text, so that everything after it depends on what was typed. No single definition can fold these
 * events again, so they must not be stored as a journal.
 */
class PlayConversation implements ConversationContext {
  readonly run: RunContext;
  readonly signal: AbortSignal;
  readonly session: string = crypto.randomUUID();
  readonly unheard: ConversationContext["unheard"] = new Set();
  readonly isBegunAgain: boolean = false;
  readonly #reword: PlayConversationOptions["reword"];
  readonly #scenario: ScenarioDefinition;
  #plan: ConversationPlan;
  #state: ConversationState | null = null;
  #pending: PendingQuestion | null = null;
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

  /** With the definition that has the last question as it was sent. */
  get plan(): ConversationPlan {
    return this.#plan;
  }

  get state(): ConversationState {
    // It is read only after the first event has set it.
    return this.#state as ConversationState;
  }

  /** Turns are finished before the next question is sent. */
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
      else if (this.#pending !== null) await this.#ask(this.#pending);
      else throw new Error("The conversation has no next effect.");
    }
  }

  #feed(event: ConversationEvent): void {
    this.run.emit(event);
    const before = this.#state;
    const { state, effects, events } = step(this.#scenario, before, event);
    this.#state = state;
    this.#pending?.since.push(event);
    for (const effect of effects) {
      if (effect.type === "ask") this.#pending = { effect, before, since: [event] };
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

  async #ask(pending: PendingQuestion): Promise<void> {
    const { node, turn } = pending.effect;
    // The last question, with its texts filled in.
    const { question = "" } = this.state.open.at(-1) ?? {};
    const reworded = await this.#reword({ effect: pending.effect, question });
    this.#pending = null;
    if (typeof reworded === "string") {
      this.#stop();
      return;
    }
    const { text } = reworded;
    const effect = text === null ? this.#unchanged(pending) : this.#reworded(pending, text);
    const answer = await askSubject(this, effect);
    const { conversation } = this.plan;
    if ("reply" in answer) this.#feed({ type: "turn-reply", conversation, turn, ...answer });
    else if (this.signal.aborted) this.#stop();
    else {
      const failure = failureOf(answer.error, { stage: "subject", node, turn });
      this.#stop({ status: "error", failure, spending: answer.spending });
    }
  }

  #unchanged({ effect }: PendingQuestion): AskEffect {
    this.#plan = { ...this.#plan, definition: this.#scenario };
    return effect;
  }

  #reworded({ effect, before, since }: PendingQuestion, text: string): AskEffect {
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
    this.#pending = null;
    this.#feed({ type: "conversation-stop", conversation: this.plan.conversation, ...end });
  }
}

function withQuestion(definition: ScenarioDefinition, id: string, text: string): ScenarioDefinition {
  const node = definition.nodes[id] as ScenarioNode;
  // What a person types is plain text.
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
  // The store keeps answers only: a journal of these events could not be folded again.
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
