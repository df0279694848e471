import { END, type ScenarioDefinition, type ScenarioNode } from "../../core/scenario/definition.ts";
import { foldTurn } from "../../core/state/advance-state.ts";
import { type RoutingDecision, resolveNextNode } from "../../core/state/routing.ts";
import { INITIAL_STATE, isFinished, type ScenarioState } from "../../core/state/state.ts";
import { freezeDeep } from "../../core/values/frozen-copy.ts";
import { appended, itemsOf, listOf } from "../../core/values/growing-list.ts";
import { ownValue } from "../../core/values/json.ts";
import { concludeReply, type ReplyConclusion } from "../../grading/judge/assess-reply.ts";
import { type JudgementPart, joinParts } from "../../grading/judge/judge-turn.ts";
import { concludeLabels } from "../../grading/verify/conclude-labels.ts";
import { meaningPairs } from "../../grading/verify/semantic-match.ts";
import type {
  ConversationEvent,
  ConversationSettings,
  ConversationStart,
  ConversationStop,
  DerivedEvent,
  TurnJudgementEvent,
  TurnReply,
} from "../../journal/run-event.ts";
import { addSpending, NOTHING_SPENT } from "../../journal/spending.ts";
import type { FinishedTurn, Turn } from "../../journal/turn.ts";
import { agentName, NOTHING_SEEN, prepareQuestion } from "./agent-view.ts";
import { BEFORE_START, type ConversationState, type Effect, type Ending } from "./conversation-state.ts";
import { decideOutcomes } from "./decide-outcomes.ts";
import { leftToJudge, type NodePlan, nodePlan } from "./node-plan.ts";

/** What follows from an event. */
export interface Step {
  readonly state: ConversationState;
  /** What is now ready to be done. */
  readonly effects: readonly Effect[];
  /** What follows for the journal: it could be computed again from the events that were folded. */
  readonly events: readonly DerivedEvent[];
}

/**
 * Folds an event into a conversation: no clock, no randomness, no I/O. An event that does not fit
 * changes nothing. Folding the same events gives the same state, so a journal is all that is needed to go on.
 */
export function step(
  definition: ScenarioDefinition,
  state: ConversationState | null,
  event: ConversationEvent,
): Step {
  const transition = new Transition(definition, state ?? BEFORE_START);
  switch (event.type) {
    case "conversation-start":
      transition.start(event);
      break;
    case "turn-reply":
      transition.reply(event);
      break;
    case "turn-judgement":
      transition.judgement(event);
      break;
    case "conversation-stop":
      transition.stop(event);
      break;
  }
  const { effects, events } = transition;
  return { state: transition.state, effects, events };
}

type Draft = { -readonly [Key in keyof ConversationState]: ConversationState[Key] };

const NOTHING_CONCLUDED: Pick<ReplyConclusion, "verifyResult" | "parsed" | "rubric" | "refused"> =
  Object.freeze({
    verifyResult: null,
    parsed: Object.freeze({}),
    rubric: Object.freeze({}),
    refused: null,
  });

const NOTHING_PLANNED: Pick<NodePlan, "parts" | "comparesMeaning"> = Object.freeze({
  parts: [],
  comparesMeaning: false,
});

/** One step in the making; the state it began with stays as it was. */
class Transition {
  readonly effects: Effect[] = [];
  readonly events: DerivedEvent[] = [];
  readonly #definition: ScenarioDefinition;
  readonly #draft: Draft;

  constructor(definition: ScenarioDefinition, state: ConversationState) {
    this.#definition = definition;
    this.#draft = { ...state };
  }

  get state(): ConversationState {
    return this.#draft;
  }

  start({ conversation, cell, settings }: ConversationStart): void {
    const draft = this.#draft;
    if (draft.conversation !== "") return;
    Object.assign(draft, { conversation, cell, settings });
    this.#ask(this.#definition.entryNode, null);
    this.#advance();
  }

  reply(event: TurnReply): void {
    const draft = this.#draft;
    const asked = draft.open.at(-1);
    if (asked === undefined || asked.turn !== event.turn || asked.reply !== undefined) return;
    const { turn, node, agent = "", question = "" } = asked;
    const { reply, finish, labels, spending } = event;
    // What others have read is not read again.
    const unread = labels === undefined ? leftToJudge(this.#plan(node), event) : [];
    const plan = labels === undefined ? this.#plan(node, unread) : NOTHING_PLANNED;
    const { parts, comparesMeaning } = plan;
    const toolCalls = event.messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []) : [],
    );
    const answered = {
      ...asked,
      question,
      reply,
      finish,
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(labels === undefined ? {} : { labels }),
      judgements: Array.from({ length: parts.length + (comparesMeaning ? 1 : 0) }, () => null),
      ...(unread.length === 0 ? {} : { unreadByRules: unread }),
      spending,
    };
    draft.open = [...draft.open.slice(0, -1), answered];
    draft.spending = addSpending(draft.spending, spending);
    const { messages, told } = draft.views[agent] ?? NOTHING_SEEN;
    draft.views = { ...draft.views, [agent]: { messages, said: event.messages, seen: turn, told } };
    draft.spoken = appended(draft.spoken, answered);
    const rest = unread.length === 0 ? {} : { unread };
    for (const part of parts.keys())
      this.effects.push({ type: "judge", turn, node, part, reply, finish, ...rest });
    this.#advance();
  }

  judgement({ turn, part, judgement, failure, spending }: TurnJudgementEvent): void {
    const draft = this.#draft;
    const position = turn - (draft.open[0]?.turn ?? turn + 1);
    const open = draft.open[position];
    if (open?.judgements?.[part] !== null) return;
    const judged: Turn = {
      ...open,
      judgements: open.judgements.with(part, judgement),
      ...(failure === undefined ? {} : { judgeFailure: open.judgeFailure ?? failure }),
      spending: addSpending(open.spending ?? NOTHING_SPENT, spending),
    };
    draft.open = draft.open.with(position, judged);
    draft.spending = addSpending(draft.spending, spending);
    this.#advance();
  }

  stop({ status, failure, spending = NOTHING_SPENT }: ConversationStop): void {
    const draft = this.#draft;
    if (draft.conversation === "" || draft.status !== null) return;
    if (draft.ending !== null && !isFinished(draft.ending.status)) return;
    draft.ending = failure === undefined ? { status } : { status, failure };
    draft.spending = addSpending(draft.spending, spending);
    // A question without an answer is no turn.
    if (draft.open.length > 0 && draft.open.at(-1)?.reply === undefined) draft.open = draft.open.slice(0, -1);
    this.#advance();
  }

  /** Does all that has become possible: finish turns in order, go on from the last one, end. */
  #advance(): void {
    const draft = this.#draft;
    for (let first = draft.open[0]; first !== undefined; first = draft.open[0]) {
      const turn = this.#withMeanings(first);
      if (!isRead(turn)) break;
      this.#finishTurn(turn);
    }
    const last = draft.open.at(-1);
    if (last !== undefined && last.reply !== undefined && last.hop === undefined && draft.ending === null)
      this.#hopAhead(last);
    if (draft.ending !== null && draft.open.length === 0 && draft.status === null) this.#finish(draft.ending);
  }

  /** Asks for what is needed to compare meanings, once everything else of the turn and all turns before are read. */
  #withMeanings(open: Turn): Turn {
    const draft = this.#draft;
    const { reply, judgements, finish, turn } = open;
    const { node, comparesMeaning, parts, traits } = this.#plan(open.node, open.unreadByRules);
    if (!comparesMeaning || reply === undefined || judgements?.at(-1) !== null) return open;
    const { question } = node;
    const others = judgements.slice(0, -1);
    if (others.includes(null)) return open;
    const read = joinParts(others as readonly JudgementPart[]);
    const { parsed } = concludeReply({ question, reply, finish, traits, state: draft.scenario }, read);
    const pairs = meaningPairs(question.template, parsed, draft.scenario);
    if (Object.keys(pairs).length === 0)
      return { ...open, judgements: judgements.with(-1, { ...joinParts([]), similarities: {} }) };
    if (draft.compared < turn)
      this.effects.push({ type: "embed", turn, node: open.node, part: parts.length, pairs });
    draft.compared = Math.max(draft.compared, turn);
    return open;
  }

  #finishTurn(open: Turn): void {
    const draft = this.#draft;
    const { node, traits } = this.#plan(open.node, open.unreadByRules);
    const reply = open.reply ?? "";
    const parts = open.judgements as readonly JudgementPart[];
    const joined = joinParts(parts);
    const input = { question: node.question, reply, finish: open.finish, traits, state: draft.scenario };
    const { status, ...conclusion } =
      open.labels === undefined ? concludeReply(input, joined) : concludeLabels(input, open.labels);
    const finished = { node: open.node, questionText: open.questionText ?? "", reply, ...conclusion };
    const { state, updateProblem } = foldTurn(draft.scenario, finished, node.stateUpdate);
    draft.scenario = state;
    draft.open = draft.open.slice(1);
    if (updateProblem !== undefined) this.#warn("state_update_failed", open.turn, updateProblem);
    const hop = open.hop ?? (draft.ending === null ? resolveNextNode(this.#definition.edges, state) : null);
    const result = finishedTurn(
      open,
      { ...conclusion, readStatus: status, quotes: joined.quotes },
      hop?.target ?? null,
    );
    draft.turns = appended(draft.turns, result);
    this.events.push({ type: "turn-end", conversation: draft.conversation, result });
    if (hop !== null && open.hop === undefined) this.#hop(open, hop);
  }

  /** Goes on from a turn that is still being read, if nothing that is missing matters for where to. */
  #hopAhead(open: Turn): void {
    const draft = this.#draft;
    const { waits, branches } = this.#plan(open.node, open.unreadByRules);
    if (waits === "everything" || waits.some((part) => open.judgements?.[part] === null)) return;
    const state = branches ? this.#stateAhead() : { ...INITIAL_STATE, currentNode: open.node };
    const hop = resolveNextNode(this.#definition.edges, state);
    draft.open = draft.open.with(-1, { ...open, hop });
    this.#hop(open, hop);
  }

  /** The state after the last turn, as far as routing reads it: what is still being read of earlier turns is not routed on. */
  #stateAhead(): ScenarioState {
    const draft = this.#draft;
    let state = draft.ahead.turn > draft.scenario.turn ? draft.ahead : draft.scenario;
    for (const open of draft.open.slice(state.turn - draft.scenario.turn)) {
      const { reads, node, traits } = this.#plan(open.node, open.unreadByRules);
      const reply = open.reply ?? "";
      const known = (open.judgements ?? []).filter((part) => part !== null);
      const input = { question: node.question, reply, finish: open.finish, traits, state };
      const conclusion = !reads
        ? NOTHING_CONCLUDED
        : open.labels === undefined
          ? concludeReply(input, joinParts(known))
          : concludeLabels(input, open.labels);
      ({ state } = foldTurn(state, { node: open.node, reply, ...conclusion }));
    }
    draft.ahead = state;
    return state;
  }

  #hop({ turn, node }: Turn, decision: RoutingDecision): void {
    const draft = this.#draft;
    const { conversation } = draft;
    this.events.push({ type: "hop", conversation, turn, node, ...decision });
    const { target } = decision;
    if (target === null || target === END) draft.ending = { status: "completed" };
    else if (turn >= draft.settings.turnLimit) draft.ending = { status: "limit_reached" };
    else this.#ask(target, decision.edge);
  }

  #ask(id: string, edge: number | null): void {
    const draft = this.#draft;
    const { settings, spoken } = draft;
    const node = this.#node(id);
    const agent = agentName(node.agentIdentity);
    const view = draft.views[agent] ?? NOTHING_SEEN;
    const turn = (spoken?.length ?? 0) + 1;
    const prepared = prepareQuestion({
      node,
      handover: edge === null ? undefined : this.#definition.edges[edge]?.handover,
      view,
      last: (count) => itemsOf(spoken, count),
      answered: turn - 1,
      turns: () => listOf(draft.turns),
    });
    if ("problem" in prepared) {
      const message = prepared.problem;
      draft.ending = {
        status: "error",
        failure: { category: "author", stage: "handover", node: id, turn, message },
      };
      return;
    }
    const { text, added, messages, transcript, tells } = prepared;
    const told = tells ? turn - 1 : view.told;
    draft.views = { ...draft.views, [agent]: { messages, said: [], seen: turn - 1, told } };
    const { question } = node.question;
    const asked: Turn = { turn, node: id, ...(agent === "" ? {} : { agent }), question, questionText: text };
    draft.open = [...draft.open, asked];
    const instructions = instructionsAt(node, this.#definition, settings);
    this.effects.push({
      type: "ask",
      turn,
      node: id,
      agent,
      ...(instructions === undefined ? {} : { instructions }),
      messages,
      added,
      ...(transcript === undefined ? {} : { transcript }),
    });
  }

  #finish({ status, failure }: Ending): void {
    const draft = this.#draft;
    draft.status = status;
    const { conversation, cell, spending, turns } = draft;
    const end = failure === undefined ? { status } : { status, failure };
    const outcomes = decideOutcomes(this.#definition, draft);
    draft.outcomes = Object.fromEntries(
      outcomes.map(({ type: _, conversation: __, name, ...result }) => [name, result]),
    );
    this.events.push(...outcomes);
    this.events.push({
      type: "conversation-end",
      conversation,
      cell,
      ...end,
      turnCount: turns?.length ?? 0,
      path: itemsOf(turns).map(({ node }) => node),
      spending,
    });
    this.effects.push({ type: "finish", ...end });
  }

  #node(id: string): ScenarioNode {
    // Ids come from the definition's own entry and edges.
    return this.#definition.nodes[id] as ScenarioNode;
  }

  #plan(id: string, unread?: readonly string[]): NodePlan {
    return nodePlan(this.#definition, id, this.#draft.settings, unread);
  }

  #warn(code: string, turn: number, message: string): void {
    this.events.push({ type: "warning", conversation: this.#draft.conversation, turn, code, message });
  }
}

/** The system prompt at a node: that of its override, its agent, the scenario, or the subject. */
function instructionsAt(
  { modelOverride, agentIdentity }: ScenarioNode,
  { systemPrompt }: ScenarioDefinition,
  { instructions, subjectInstructions = {} }: ConversationSettings,
): string | undefined {
  const subject = modelOverride?.subject;
  const reference = typeof subject === "object" && "model" in subject ? subject : undefined;
  const named = reference?.model ?? subject;
  const ofSubject = typeof named === "string" ? ownValue(subjectInstructions, named) : undefined;
  const found =
    modelOverride?.systemPrompt ??
    reference?.systemPrompt ??
    (typeof agentIdentity === "object" ? agentIdentity.systemPrompt : undefined) ??
    systemPrompt ??
    (ofSubject as string | undefined) ??
    instructions;
  return found === "" ? undefined : found;
}

/** True if nothing of the turn is missing. */
function isRead({ reply, judgements }: Turn): boolean {
  return reply !== undefined && judgements !== undefined && !judgements.includes(null);
}

/** The turn as it is finished and frozen: it is given to authors' functions. */
function finishedTurn(
  open: Turn,
  findings: Omit<ReplyConclusion, "status"> & Pick<FinishedTurn, "readStatus" | "quotes">,
  next: string | null,
): FinishedTurn {
  const { turn, node, agent, questionText = "", reply = "", judgeFailure, finish = "", toolCalls } = open;
  const { unreadByRules: unread } = open;
  return freezeDeep({
    turn,
    node,
    ...(agent === undefined ? {} : { agent }),
    questionText,
    reply,
    ...findings,
    ...(unread === undefined ? {} : { unreadByRules: unread }),
    ...(judgeFailure === undefined ? {} : { judgeFailure }),
    finish,
    ...(toolCalls === undefined ? {} : { toolCalls }),
    next,
    spending: open.spending ?? NOTHING_SPENT,
  });
}
