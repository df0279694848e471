import { lazy } from "../../../core/lazy.ts";
import { TextError } from "../../../core/liquid/text-template.ts";
import {
  END,
  type Question,
  type ScenarioDefinition,
  type ScenarioNode,
} from "../../../core/scenario/definition.ts";
import { foldTurn } from "../../../core/state/advance-state.ts";
import { failedConditions, type RoutingDecision, resolveNextNode } from "../../../core/state/routing.ts";
import { INITIAL_STATE, isFinished, type ScenarioState } from "../../../core/state/state.ts";
import { appended, itemsOf, listOf } from "../../../core/values/growing-list.ts";
import { type JudgementPart, joinParts } from "../../grading/judge/judge-turn.ts";
import type { ReplyConclusion } from "../../grading/verify/conclude-reply.ts";
import { meaningPairs } from "../../grading/verify/semantic-match.ts";
import { toolCallsIn } from "../../journal/fold/conversation.ts";
import type {
  ConversationEvent,
  ConversationStart,
  ConversationStop,
  DerivedEvent,
  ForkPoint,
  TurnJudgementEvent,
  TurnReply,
  TurnUser,
} from "../../journal/run-event.ts";
import { addSpending, NOTHING_SPENT } from "../../journal/spending.ts";
import type { Turn } from "../../journal/turn.ts";
import { agentName, NOTHING_SEEN, prepareQuestion } from "./agent-view.ts";
import {
  BEFORE_START,
  type ConversationState,
  conversationEnd,
  type Effect,
  type Ending,
  finishedTurn,
  isRead,
  type NextQuestion,
  NOTHING_CONCLUDED,
  type OpenTurn,
  turnOfParent,
} from "./conversation-state.ts";
import { decideOutcomes } from "./decide-outcomes.ts";
import { leftToJudge, needsAt, nodePlan, plannedParts } from "./node-plan.ts";
import { nextOfUser } from "./simulate-user.ts";
import {
  askedNode,
  concludeTurn,
  isKnown,
  lastUser,
  questionToVerify,
  readNode,
  scopeAt,
  withoutTemplate,
} from "./turn-texts.ts";
import { type UserMessage, userAfter } from "./user-contract.ts";

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
    case "turn-user":
      transition.user(event);
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

/** One step in the making; the state it began with stays as it was. */
class Transition {
  readonly effects: Effect[] = [];
  readonly events: DerivedEvent[] = [];
  readonly #definition: ScenarioDefinition;
  readonly #draft: { -readonly [Key in keyof ConversationState]: ConversationState[Key] };

  constructor(definition: ScenarioDefinition, state: ConversationState) {
    this.#definition = definition;
    this.#draft = { ...state };
  }

  get state(): ConversationState {
    return this.#draft;
  }

  start({
    conversation,
    cell,
    settings,
    history = [],
    fork,
    spent = NOTHING_SPENT,
  }: ConversationStart): void {
    const draft = this.#draft;
    if (fork !== undefined) return this.#startArm({ conversation, cell, settings }, fork);
    if (draft.conversation !== "") return;
    Object.assign(draft, { conversation, cell, settings, history, spending: spent });
    draft.next = { node: this.#definition.entryNode, edge: null };
    this.#advance();
  }

  /** Continues a conversation that has ended at a fork, as one of its own: its turns are there, and belong to the parent. */
  #startArm(
    start: Pick<ConversationState, "conversation" | "cell" | "settings">,
    { edge, target }: ForkPoint,
  ): void {
    const draft = this.#draft;
    if (draft.ending?.fork === undefined) return;
    let turns: ConversationState["turns"] = null;
    for (const turn of itemsOf(draft.turns)) turns = appended(turns, turnOfParent(turn));
    const fresh = { ending: null, status: null, outcomes: {} };
    Object.assign(draft, start, { turns, ...fresh, spending: NOTHING_SPENT, userSpending: NOTHING_SPENT });
    if (target === END) draft.ending = { status: "completed" };
    else draft.next = { node: target, edge };
    this.#advance();
  }

  user({ turn, text, reveals, done, spending }: TurnUser): void {
    const draft = this.#draft;
    if (draft.next === null || draft.simulating !== turn) return;
    draft.simulating = 0;
    draft.next = { ...draft.next, written: { text, reveals, done } };
    draft.spending = addSpending(draft.spending, spending);
    draft.userSpending = addSpending(draft.userSpending, spending);
    this.#advance();
  }

  reply(event: TurnReply): void {
    const draft = this.#draft;
    const asked = draft.open.at(-1);
    if (asked === undefined || asked.turn !== event.turn || asked.reply !== undefined) return;
    const { turn, agent = "", question = "" } = asked;
    const { reply, finish, labels, spending } = event;
    const toolCalls = toolCallsIn(event);
    const answered = {
      ...asked,
      question,
      reply,
      finish,
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(labels === undefined ? {} : { labels }),
      spending,
    };
    draft.open = [...draft.open.slice(0, -1), answered];
    draft.spending = addSpending(draft.spending, spending);
    const { messages, told } = draft.views[agent] ?? NOTHING_SEEN;
    draft.views = { ...draft.views, [agent]: { messages, said: event.messages, seen: turn, told } };
    draft.spoken = appended(draft.spoken, answered);
    this.#advance();
  }

  judgement({ turn, part, judgement, failure, spending }: TurnJudgementEvent): void {
    const draft = this.#draft;
    const position = turn - (draft.open[0]?.turn ?? turn + 1);
    const open = draft.open[position];
    if (open?.judgements?.[part] !== null) return;
    const judged: OpenTurn = {
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
    this.#readReplies();
    for (let first = draft.open[0]; first !== undefined; first = draft.open[0]) {
      const turn = this.#withMeanings(first);
      if (!isRead(turn)) break;
      this.#finishTurn(turn);
      this.#readReplies();
    }
    const last = draft.open.at(-1);
    if (last !== undefined && last.reply !== undefined && last.hop === undefined && draft.ending === null)
      this.#hopAhead(last);
    if (draft.next !== null && draft.ending === null) this.#ask(draft.next);
    if (draft.ending !== null && draft.open.length === 0 && draft.status === null) this.#finish(draft.ending);
  }

  /** Adds what is asked of the judge about each reply whose texts are known by now. */
  #readReplies(): void {
    const draft = this.#draft;
    for (const [position, open] of draft.open.entries()) {
      if (open.reply === undefined || open.judgements !== undefined) continue;
      if (isKnown(this.#definition, draft, needsAt(this.#definition, open.node).read, open.turn))
        draft.open = draft.open.with(position, this.#opened(open));
    }
  }

  /** A turn whose reply is being read: rules have read what they can, and the judge is asked for the rest. */
  #opened(open: OpenTurn): OpenTurn {
    const { turn, node, reply = "", finish = "", labels } = open;
    const authored = nodePlan(this.#definition, node, this.#draft.settings);
    const read = this.#rendered(open, () => {
      const needs = needsAt(this.#definition, node).read;
      const scope = lazy(() => scopeAt(this.#definition, this.#draft, { before: turn, node, needs }));
      const reads = readNode(authored, open, scope);
      // What others have read is not read again.
      const unread =
        labels === undefined ? leftToJudge({ ...authored, node: reads.node }, { reply, finish }) : [];
      const plan =
        unread.length === 0 ? authored : nodePlan(this.#definition, node, this.#draft.settings, unread);
      const read = unread.length === 0 ? reads : readNode(plan, open, scope);
      const parts = labels === undefined ? plannedParts(plan, read, this.#draft.settings) : [];
      return { plan, unread, reads: read, parts };
    });
    if (read === undefined) return { ...open, judgements: [], reads: withoutTemplate(authored) };
    const { plan, unread, reads, parts } = read;
    if (labels !== undefined) return { ...open, judgements: [], reads };
    for (const [part, judgePlan] of parts.entries())
      this.effects.push({ type: "judge", turn, node, part, plan: judgePlan, reads, reply, finish });
    return {
      ...open,
      plan,
      judgements: new Array<null>(plan.parts.length + (plan.comparesMeaning ? 1 : 0)).fill(null),
      ...(unread.length === 0 ? {} : { unreadByRules: unread }),
      reads,
    };
  }

  /** What is concluded about a turn from what is known of it, and the question that it was compared with. */
  #conclude(
    open: OpenTurn,
    known: readonly JudgementPart[],
    scenario: ScenarioState,
  ): { readonly conclusion: ReplyConclusion; readonly question: Question } {
    const { reads = open.plan } = open;
    const turn = { ...open, reads };
    const question =
      this.#rendered(open, () => questionToVerify(this.#definition, this.#draft, turn)) ??
      withoutTemplate(reads).node.question;
    return { conclusion: concludeTurn(turn, { question, known, scenario }), question };
  }

  /** Renders texts of a turn. One that cannot be rendered ends the conversation as an error of its author. */
  #rendered<Rendered>(
    { turn, node }: Pick<Turn, "turn" | "node">,
    render: () => Rendered,
  ): Rendered | undefined {
    try {
      return render();
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      const message = `A text of node "${node}" cannot be rendered: ${error.message}.`;
      const { ending } = this.#draft;
      const failure = { category: "author", stage: "run", node, turn, message } as const;
      if (ending === null || isFinished(ending.status)) this.#draft.ending = { status: "error", failure };
      return undefined;
    }
  }

  /** Asks for what is needed to compare meanings, once everything else of the turn and all turns before are read. */
  #withMeanings(open: OpenTurn): OpenTurn {
    const draft = this.#draft;
    const { reply, judgements, turn } = open;
    const { comparesMeaning, parts } = open.plan;
    if (!comparesMeaning || reply === undefined || judgements?.at(-1) !== null) return open;
    const others = judgements.slice(0, -1);
    if (others.includes(null)) return open;
    const known = others as readonly JudgementPart[];
    const { conclusion, question } = this.#conclude(open, known, draft.scenario);
    const pairs = meaningPairs(question.template, conclusion.parsed, draft.scenario);
    if (Object.keys(pairs).length === 0)
      return { ...open, judgements: judgements.with(-1, { ...joinParts([]), similarities: {} }) };
    if (draft.compared < turn)
      this.effects.push({ type: "embed", turn, node: open.node, part: parts.length, pairs });
    draft.compared = Math.max(draft.compared, turn);
    return open;
  }

  #finishTurn(open: OpenTurn): void {
    const draft = this.#draft;
    const reply = open.reply ?? "";
    const known = open.judgements as readonly JudgementPart[];
    const { status, ...conclusion } = this.#conclude(open, known, draft.scenario).conclusion;
    const finished = {
      node: open.node,
      questionText: open.questionText ?? "",
      reply,
      ...(open.user === undefined ? {} : { user: open.user }),
      ...conclusion,
    };
    const { state, updateProblem } = foldTurn(draft.scenario, finished, this.#node(open.node).stateUpdate);
    draft.scenario = state;
    draft.open = draft.open.slice(1);
    if (updateProblem !== undefined) this.#warn("state_update_failed", open.turn, updateProblem);
    const findings = { ...conclusion, readStatus: status, quotes: joinParts(known).quotes };
    const hop = open.hop ?? (draft.ending === null ? this.#route(open, state, findings) : null);
    const result = finishedTurn(open, findings, hop?.target ?? null);
    draft.turns = appended(draft.turns, result);
    this.events.push({ type: "turn-end", conversation: draft.conversation, result });
    if (hop !== null && open.hop === undefined) this.#hop(open, hop);
  }

  /** Where the conversation goes after a turn. Texts in conditions see the turn as if it were finished. */
  #route(
    { turn, node, ...open }: OpenTurn,
    state: ScenarioState,
    findings?: Parameters<typeof finishedTurn>[1],
  ): RoutingDecision {
    const draft = this.#draft;
    return resolveNextNode(this.#definition.edges, state, () => {
      const turns =
        findings === undefined
          ? draft.turns
          : appended(draft.turns, finishedTurn({ turn, node, ...open }, findings, null));
      return scopeAt(this.#definition, { ...draft, turns }, { before: turn + 1, node, isAfter: true });
    });
  }

  /** Goes on from a turn that is still being read, if nothing that is missing matters for where to. */
  #hopAhead(open: OpenTurn): void {
    const draft = this.#draft;
    const { waits, branches, reads } = open.plan;
    if (open.judgements === undefined && reads) return;
    if (waits === "everything" || waits.some((part) => open.judgements?.[part] === null)) return;
    const state = branches ? this.#stateAhead() : { ...INITIAL_STATE, currentNode: open.node };
    const hop = this.#route(open, state);
    draft.open = draft.open.with(-1, { ...open, hop });
    this.#hop(open, hop);
  }

  /** The state after the last turn, as far as routing reads it: what is still being read of earlier turns is not routed on. */
  #stateAhead(): ScenarioState {
    const draft = this.#draft;
    let state = draft.ahead.turn > draft.scenario.turn ? draft.ahead : draft.scenario;
    for (const open of draft.open.slice(state.turn - draft.scenario.turn)) {
      const { reads } = open.plan;
      const reply = open.reply ?? "";
      const known = (open.judgements ?? []).filter((part) => part !== null);
      const conclusion = reads ? this.#conclude(open, known, state).conclusion : NOTHING_CONCLUDED;
      const user = open.user === undefined ? {} : { user: open.user };
      ({ state } = foldTurn(state, { node: open.node, reply, ...user, ...conclusion }));
    }
    draft.ahead = state;
    return state;
  }

  #hop({ turn, node }: Turn, decision: RoutingDecision): void {
    const draft = this.#draft;
    this.events.push({ type: "hop", conversation: draft.conversation, turn, node, ...decision });
    for (const failed of failedConditions(decision))
      this.#warn("condition_failed", turn, `the condition ${node} → ${failed.target}: ${failed.reason}`);
    const { target, fork, edge } = decision;
    const isLimited = turn >= draft.settings.turnLimit;
    if (fork !== undefined && edge !== null)
      draft.ending = isLimited ? { status: "limit_reached" } : { status: "completed", fork: edge };
    else if (target === null || target === END) draft.ending = { status: "completed" };
    else if (isLimited) draft.ending = { status: "limit_reached" };
    else draft.next = { node: target, edge: decision.edge };
  }

  /** What the simulated user says next, if that is known; else it is asked for. */
  #writtenByUser(next: NextQuestion, turn: number): UserMessage | undefined {
    const draft = this.#draft;
    const { user } = this.#node(next.node);
    if (next.written !== undefined || user === undefined || draft.simulating === turn) return next.written;
    const place = { turn, node: next.node };
    const found = this.#rendered(place, () => {
      const scope = scopeAt(this.#definition, draft, { before: turn, node: next.node });
      return nextOfUser(this.#definition, draft, { user, scope, place });
    });
    if (found === undefined || "written" in found) return found?.written;
    if ("problem" in found) {
      const failure = { category: "author", stage: "simulator", message: found.problem, ...place } as const;
      draft.ending = { status: "error", failure };
    } else {
      draft.simulating = turn;
      this.effects.push(found);
    }
    return undefined;
  }

  /** Asks the next question, if everything that its texts read is known. */
  #ask(next: NextQuestion): void {
    const { node: id, edge } = next;
    const draft = this.#draft;
    const { settings, spoken } = draft;
    const turn = (spoken?.length ?? 0) + 1;
    const authored = this.#node(id);
    const { ask: needs } = needsAt(this.#definition, id);
    if (!isKnown(this.#definition, draft, needs, turn)) return;
    const written = this.#writtenByUser(next, turn);
    if (authored.user !== undefined && written === undefined) return;
    const scope = lazy(() => scopeAt(this.#definition, draft, { before: turn, node: id, needs }));
    draft.next = null;
    const asks = this.#rendered({ turn, node: id }, () =>
      askedNode(this.#definition, authored, { scope, settings, written: written?.text }),
    );
    if (asks === undefined) return;
    const { instructions, node } = asks;
    const agent = agentName(node.agentIdentity);
    const view = draft.views[agent] ?? NOTHING_SEEN;
    const prepared = prepareQuestion({
      node,
      handover: edge === null ? undefined : this.#definition.edges[edge]?.handover,
      view,
      history: view === NOTHING_SEEN ? draft.history : [],
      last: (count) => itemsOf(spoken, count),
      answered: turn - 1,
      turns: () => listOf(draft.turns),
    });
    if ("problem" in prepared) {
      const place = { stage: "handover", node: id, turn, message: prepared.problem } as const;
      draft.ending = { status: "error", failure: { category: "author", ...place } };
      return;
    }
    const { text, added, messages, transcript, tells } = prepared;
    const told = tells ? turn - 1 : view.told;
    draft.views = { ...draft.views, [agent]: { messages, said: [], seen: turn - 1, told } };
    const { question } = node.question;
    const asked: OpenTurn = {
      turn,
      node: id,
      plan: nodePlan(this.#definition, id, settings),
      ...(agent === "" ? {} : { agent }),
      ...(written === undefined ? {} : { user: userAfter(written, lastUser(draft)) }),
      question,
      questionText: text,
    };
    draft.open = [...draft.open, asked];
    this.effects.push({
      type: "ask",
      turn,
      node: id,
      agent,
      messages,
      added,
      ...(instructions === undefined ? {} : { instructions }),
      ...(transcript === undefined ? {} : { transcript }),
    });
  }

  #finish({ status, failure }: Ending): void {
    const draft = this.#draft;
    draft.status = status;
    const end = failure === undefined ? { status } : { status, failure };
    const outcomes = decideOutcomes(this.#definition, draft);
    draft.outcomes = Object.fromEntries(
      outcomes.map(({ type: _, conversation: __, name, ...result }) => [name, result]),
    );
    this.events.push(...outcomes, conversationEnd(this.#definition, draft, end));
    this.effects.push({ type: "finish", ...end });
  }

  #node(id: string): ScenarioNode {
    // Ids come from the definition's own entry and edges.
    return this.#definition.nodes[id] as ScenarioNode;
  }

  #warn(code: string, turn: number, message: string): void {
    this.events.push({ type: "warning", conversation: this.#draft.conversation, turn, code, message });
  }
}
