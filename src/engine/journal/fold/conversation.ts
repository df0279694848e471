import { type ConversationStatus, isFinished } from "../../../core/state/state.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Message, ToolCall } from "../../models/message.ts";
import type { RunFailure } from "../failure.ts";
import { type JudgeAnswered, JudgeTally } from "../judge-health.ts";
import type {
  Cell,
  ConversationEnd,
  ConversationEvent,
  ConversationResume,
  ConversationSettings,
  ConversationStop,
  ForkPoint,
  OutcomeEvent,
  RunEventBody,
  TurnEnd,
  TurnJudgementEvent,
  TurnReply,
  TurnStart,
} from "../run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../spending.ts";
import {
  type FinishedTurn,
  isFinishedTurn,
  noVerdicts,
  type Turn,
  turnVerdict,
  type VerdictCounts,
} from "../turn.ts";

/** An event with its time; events that are shown at once, and never stored, may have none. */
type TimedEvent = RunEventBody & { readonly at?: number };

type Growing<Part> = { -readonly [Key in keyof Part]: Part[Key] };

const NO_CELL: Cell = Object.freeze({ index: 0, scenario: "", subject: "", judge: "", replicate: 1 });

/** The fold of the events of one conversation. Stores, tables, reports, transcripts and `play` all read this. */
export function foldConversation(events: Iterable<RunEventBody>): Conversation {
  const conversation = new Conversation();
  for (const event of events) conversation.apply(event);
  return conversation;
}

/** What the events of a conversation come to. Where it was resumed, the last attempt counts. */
export class Conversation {
  /** Empty before the first event. */
  conversation: string;
  /** True once it has begun. */
  hasBegun = false;
  cell: Cell = NO_CELL;
  scenarioHash = "";
  /** Null before the first event. */
  settings: ConversationSettings | null = null;
  /** The short values of its row; null without a row. */
  itemHash: string | null = null;
  rowValues: JsonObject | null = null;
  /** What was said before the first turn. */
  history: readonly Message[] = [];
  /** What it continues, if it is an arm of a fork. */
  fork: ForkPoint | null = null;
  /** The arms in which it continues. */
  arms: readonly string[] = [];
  /** Null while the conversation goes on. */
  status: ConversationStatus | null = null;
  failure: RunFailure | undefined;
  /** What stopped it from outside, or because something failed. */
  stop: ConversationStop | null = null;
  /** From 1; each resume is one more. */
  attempt = 1;
  /** How many turns are finished. */
  turnCount = 0;
  spending: Spending = NOTHING_SPENT;
  /** Of that, what the simulated user took. */
  simulator: Spending = NOTHING_SPENT;
  readonly #userSpending = new Map<number, Spending>();
  startedAt: number | null = null;
  endedAt: number | null = null;
  readonly outcomes: Map<string, OutcomeEvent> = new Map();
  readonly verdicts: VerdictCounts = noVerdicts();
  readonly judges: JudgeTally = new JudgeTally();
  /** What has changed since the owner emptied them. */
  readonly changedTurns: Set<number> = new Set();
  readonly changedOutcomes: Set<string> = new Set();
  readonly #turns = new Map<number, Growing<Turn>>();
  #lastStarted = 0;
  /** Calls of the subject that are under way. */
  readonly #calls = new Set<string>();

  constructor(conversation = "") {
    this.conversation = conversation;
  }

  /** Turns that were asked or are finished, in order. */
  get turns(): readonly Turn[] {
    return [...this.#turns.values()]
      .filter((turn) => turn.startedAt !== undefined || turn.messages !== undefined || isFinishedTurn(turn))
      .sort((one, other) => one.turn - other.turn);
  }

  /** Turns that were read and verified, in order. */
  get finishedTurns(): readonly (Turn & FinishedTurn)[] {
    return this.turns.filter(isFinishedTurn);
  }

  /** The nodes of the finished turns. */
  get path(): readonly string[] {
    return this.finishedTurns.map(({ node }) => node);
  }

  /** The question that was asked last, if its turn is not finished. */
  get unfinished(): Turn | undefined {
    const last = this.#turns.get(this.#lastStarted);
    return last === undefined || isFinishedTurn(last) ? undefined : last;
  }

  /** A turn at whatever stage. */
  turn(number: number): Turn | undefined {
    return this.#turns.get(number);
  }

  apply(event: TimedEvent): void {
    switch (event.type) {
      case "conversation-start":
        this.conversation = event.conversation;
        this.hasBegun = true;
        this.cell = event.cell;
        this.scenarioHash = event.scenarioHash;
        this.settings = event.settings;
        this.itemHash = event.itemHash ?? null;
        this.rowValues = event.rowValues ?? null;
        this.history = event.history ?? [];
        this.fork = event.fork ?? null;
        this.startedAt = event.at ?? null;
        break;
      case "conversation-resume":
        this.attempt = event.attempt;
        if (event.restarts === true) this.#forgetTurns();
        this.judges.subtract(event.judgedAgain ?? []);
        this.#reopen();
        break;
      case "turn-start":
        this.#startTurn(event, event.at);
        break;
      case "call-start":
        if (event.purpose === "subject") this.#calls.add(event.call);
        break;
      case "retry": {
        const turn = this.#turn(event.turn);
        turn.retries = [...(turn.retries ?? []), event];
        break;
      }
      case "call-end":
        if (this.#calls.delete(event.call) && event.failure === undefined && !event.cached) {
          const turn = this.#turn(event.turn);
          turn.latencyMs = (turn.latencyMs ?? 0) + event.latencyMs;
          this.changedTurns.add(event.turn);
        }
        break;
      case "turn-user": {
        this.spending = addSpending(this.spending, event.spending);
        this.simulator = addSpending(this.simulator, event.spending);
        this.#userSpending.set(event.turn, event.spending);
        break;
      }
      case "turn-reply":
        this.#reply(event);
        break;
      case "turn-judgement": {
        this.spending = addSpending(this.spending, event.spending);
        const turn = this.#turn(event.turn);
        turn.spending = addSpending(turn.spending ?? NOTHING_SPENT, event.spending);
        const judges = judgesIn(event, this.cell.judge);
        for (const answered of judges) this.judges.add(answered);
        if (Object.keys(event.judgement.parsed).length > 0)
          turn.readBy = judges.length === 1 ? (judges[0]?.judge ?? "") : this.cell.judge;
        break;
      }
      case "conversation-stop":
        this.stop ??= event;
        this.spending = addSpending(this.spending, event.spending ?? NOTHING_SPENT);
        break;
      case "turn-end":
        this.#finishTurn(event, event.at);
        break;
      case "hop": {
        const { target, edge, fallback, tested, fork } = event;
        const turn = this.#turn(event.turn);
        turn.hop = { target, edge, fallback, tested, ...(fork === undefined ? {} : { fork }) };
        turn.next = target;
        this.changedTurns.add(event.turn);
        break;
      }
      case "warning":
        if (event.turn !== undefined) this.#warn(event.turn, event);
        break;
      case "outcome":
        this.outcomes.set(event.name, event);
        this.changedOutcomes.add(event.name);
        break;
      case "conversation-end":
        this.#end(event, event.at);
        break;
    }
  }

  #reopen(): void {
    this.status = null;
    this.failure = undefined;
    this.stop = null;
    this.endedAt = null;
    for (const name of this.outcomes.keys()) this.changedOutcomes.add(name);
    this.outcomes.clear();
  }

  /** What was said no longer counts; what it took does. */
  #forgetTurns(): void {
    for (const number of [...this.#turns.keys()]) this.#drop(number);
    this.turnCount = 0;
    this.#lastStarted = 0;
  }

  #startTurn({ turn: number, node, agent, model, instructions, messages }: TurnStart, at?: number): void {
    // A question that is asked again: its earlier answer no longer counts, nor do later turns.
    for (let later = number + 1; this.#turns.has(later); later++) this.#drop(later);
    this.#count(number, -1);
    const warnings = this.#turns.get(number)?.warnings;
    const last = messages.at(-1);
    this.#turns.set(number, {
      turn: number,
      node,
      ...(agent === undefined ? {} : { agent }),
      model,
      ...(instructions === undefined ? {} : { instructions }),
      ...(last?.role === "user" ? { questionText: last.content } : {}),
      messages,
      ...(at === undefined ? {} : { startedAt: at }),
      ...(warnings === undefined ? {} : { warnings }),
    });
    this.#lastStarted = number;
    this.changedTurns.add(number);
  }

  #reply(event: TurnReply): void {
    const { turn: number, reply, messages, reportedCalls, finish, stepLimit, labels, spending } = event;
    this.spending = addSpending(this.spending, spending);
    const turn = this.#turn(number);
    turn.reply = reply;
    turn.replyMessages = messages;
    turn.finish = finish;
    if (stepLimit !== undefined) turn.stepLimit = stepLimit;
    if (labels !== undefined) turn.labels = labels;
    if (reportedCalls !== undefined) turn.reportedCalls = reportedCalls;
    const toolCalls = toolCallsIn(event);
    if (toolCalls.length > 0) turn.toolCalls = toolCalls;
    turn.spending = addSpending(this.#userSpending.get(number) ?? NOTHING_SPENT, spending);
  }

  #finishTurn({ result }: TurnEnd, at?: number): void {
    const number = result.turn;
    this.#count(number, -1);
    const turn = this.#turn(number);
    // A judge that was asked again no longer failed.
    if (result.judgeFailure === undefined) delete turn.judgeFailure;
    Object.assign(turn, result);
    turn.verdict = turnVerdict(result);
    if (at !== undefined) turn.endedAt = at;
    this.#count(number, 1);
    this.turnCount = Math.max(this.turnCount, number);
    this.changedTurns.add(number);
  }

  #end({ cell, status, failure, turnCount, spending, arms = [] }: ConversationEnd, at?: number): void {
    this.arms = arms;
    this.cell = cell;
    this.status = status;
    this.failure = failure;
    this.turnCount = turnCount;
    this.spending = spending;
    this.endedAt = at ?? null;
    const { unfinished } = this;
    for (const number of this.#turns.keys()) {
      if (number <= turnCount) continue;
      // What an earlier attempt had after its last turn. The question that was left without an answer stays.
      if (unfinished?.turn !== number || isFinished(status)) this.#drop(number);
      this.changedTurns.add(number);
    }
  }

  #warn(number: number, { code, message }: { readonly code: string; readonly message: string }): void {
    const turn = this.#turn(number);
    // A turn that is asked again may warn again.
    if (turn.warnings?.some((known) => known.message === message)) return;
    turn.warnings = [...(turn.warnings ?? []), { code, message }];
  }

  #turn(number: number): Growing<Turn> {
    let turn = this.#turns.get(number);
    if (turn === undefined) {
      turn = { turn: number, node: "" };
      this.#turns.set(number, turn);
    }
    return turn;
  }

  #drop(number: number): void {
    this.#count(number, -1);
    this.#turns.delete(number);
    this.changedTurns.add(number);
  }

  #count(number: number, by: 1 | -1): void {
    const verdict = this.#turns.get(number)?.verdict;
    if (verdict !== undefined) this.verdicts[verdict] += by;
  }
}

/** The tool calls of a turn: those that were made for the model, and those that an agent reports. */
export function toolCallsIn({ messages, reportedCalls = [] }: TurnReply): readonly ToolCall[] {
  const made = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  return [...made, ...reportedCalls];
}

/**
 * The events that `step` folds, in order. Where the conversation was resumed, what had stopped it no longer counts, nor do
 * judgements that were never made because of it.
 */
export function inputEvents(events: Iterable<RunEventBody>): readonly ConversationEvent[] {
  let inputs: ConversationEvent[] = [];
  for (const event of events) {
    switch (event.type) {
      case "conversation-start":
      case "turn-user":
      case "turn-reply":
      case "turn-judgement":
      case "conversation-stop":
        inputs.push(event);
        break;
      case "conversation-resume":
        inputs =
          event.restarts === true ? begunAgain(inputs) : inputs.filter((earlier) => !isVoid(earlier, event));
    }
  }
  return inputs;
}

/** The start of a conversation that begins again: what was said no longer counts, what it took does. */
function begunAgain(inputs: readonly ConversationEvent[]): ConversationEvent[] {
  const spent = inputs
    .map((event) => (event.type === "conversation-start" ? event.spent : event.spending) ?? NOTHING_SPENT)
    .reduce(addSpending, NOTHING_SPENT);
  return inputs.flatMap((event) => (event.type === "conversation-start" ? [{ ...event, spent }] : []));
}

/** What judges answered, of the events that `step` folds. */
export function judgementsIn(inputs: readonly ConversationEvent[]): readonly TurnJudgementEvent[] {
  return inputs.filter((event) => event.type === "turn-judgement");
}

/** A judge that answered badly has answered, unless it is to be asked again; one that was never asked has not. */
function isVoid(event: ConversationEvent, { retriesErrors, retriesUnreadable }: ConversationResume): boolean {
  if (event.type === "conversation-stop") return true;
  if (event.type !== "turn-judgement") return false;
  if (retriesUnreadable && judgesIn(event).some(({ result }) => result === "unreadable")) return true;
  if (event.failure === undefined) return false;
  const { category } = event.failure;
  return retriesErrors || category === "cancelled" || category === "budget";
}

/** How it went with each judge that was asked. An event that names none is of the conversation's judge. */
export function judgesIn(
  { judges, judgement, failure }: TurnJudgementEvent,
  judge = "",
): readonly JudgeAnswered[] {
  if (judges !== undefined) return judges;
  if (failure === undefined) return [{ judge, result: judgement.status }];
  return [{ judge, result: "failed", reason: failure.message, category: failure.category }];
}

/** How often a conversation was begun or resumed, according to its events. */
export function attemptsIn(events: Iterable<RunEventBody>): number {
  let attempts = 1;
  for (const event of events) if (event.type === "conversation-resume") attempts++;
  return attempts;
}
