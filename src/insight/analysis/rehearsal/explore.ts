import { failedInFunction, type OutcomeResult } from "../../../core/outcomes/evaluate-outcome.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { failedConditions } from "../../../core/state/routing.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { ConversationSettings, DerivedEvent, Hop } from "../../../engine/journal/run-event.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import type { FinishedTurn } from "../../../engine/journal/turn.ts";
import {
  armsOf,
  BEFORE_START,
  type ConversationState,
  type SimulateEffect,
} from "../../../engine/run/step/conversation-state.ts";
import { decideOutcomes } from "../../../engine/run/step/decide-outcomes.ts";
import { type Step, step } from "../../../engine/run/step/step.ts";
import type { Branch, End, ExploredGraph, ExploredState } from "./explored-graph.ts";
import { type LiveRead, liveState } from "./live-state.ts";
import { type History, outcomeHistories, withTurn } from "./outcome-history.ts";
import type { Oracle, PreparedCode } from "./prepare-code.ts";
import type { RehearsedTurn, Undecided } from "./rehearsal.ts";
import type { ReplyClass, ReplyClasses } from "./reply-classes.ts";
import { type UserChoice, type UserReads, userChoices, userReads } from "./user-choices.ts";

/** The limits of an exploration. */
interface ExploreOptions {
  readonly turnLimit: number;
  readonly maxStates: number;
  readonly replies: ReadonlyMap<string, ReplyClasses>;
}

/** Explores a scenario from its entry, the shortest conversations first. Every turn is made by `step`. */
export function explore(
  prepared: PreparedCode,
  oracle: Oracle,
  options: ExploreOptions,
): Promise<ExploredGraph> {
  return new Exploration(prepared, oracle, options).run();
}

interface OpenState extends ExploredState {
  /** Null once it is explored: the messages of a long conversation take memory, and there may be many. */
  open: OpenConversation | null;
}

/** The conversation that represents a state. */
interface OpenConversation {
  readonly conversation: ConversationState;
  readonly histories: readonly (readonly string[])[];
  /** What the simulated user is asked for, if it writes the question. */
  readonly simulate: SimulateEffect | undefined;
}

/** What is said in a turn, and what was read of the turns before it. */
interface MadeTurn extends Pick<OpenConversation, "histories"> {
  readonly reply: ReplyClass;
  readonly user: UserChoice | undefined;
  readonly isAssumed: boolean;
}

class Exploration {
  readonly #prepared: PreparedCode;
  readonly #definition: ScenarioDefinition;
  readonly #oracle: Oracle;
  readonly #options: ExploreOptions;
  readonly #replies: ReadonlyMap<string, ReplyClasses>;
  readonly #histories: readonly History[];
  readonly #userReads: UserReads;
  readonly #live: ReadonlyMap<string, readonly LiveRead[]>;
  readonly #known = new Map<string, OpenState>();
  readonly #states: OpenState[] = [];
  readonly #undecided = new Map<string, Undecided>();
  readonly #settings: ConversationSettings;

  constructor(prepared: PreparedCode, oracle: Oracle, options: ExploreOptions) {
    const { definition, code } = prepared;
    this.#prepared = prepared;
    this.#definition = definition;
    this.#oracle = oracle;
    this.#options = options;
    this.#replies = options.replies;
    this.#histories = outcomeHistories(definition, code);
    this.#userReads = userReads(definition);
    this.#live = liveState(definition, code);
    // The limit is applied afterwards, so that the same state at different turns is found once.
    this.#settings = {
      turnLimit: Number.MAX_SAFE_INTEGER,
      judged: true,
      judging: "together",
      detectRefusal: false,
    };
  }

  async run(): Promise<ExploredGraph> {
    const { turnLimit, maxStates } = this.#options;
    const first = await this.#step(null, {
      type: "conversation-start",
      conversation: "rehearsal",
      cell: { index: 0, scenario: this.#definition.name, subject: "", judge: "", replicate: 1 },
      scenarioHash: "",
      settings: this.#settings,
    });
    const start = this.#branchTo(first, { depth: 0, histories: this.#histories.map(() => []) });
    let position = 0;
    for (; position < this.#states.length && this.#states.length <= maxStates; position++) {
      const state = this.#states[position] as OpenState;
      if (state.depth < turnLimit && state.open !== null)
        state.branches = await this.#expand(state, state.open);
      state.open = null;
    }
    for (const [node, { isWhole }] of this.#replies)
      if (!isWhole)
        this.#addUndecided({
          kind: "not_all_tried",
          place: `the replies at node ${JSON.stringify(node)}`,
          message: "there are too many combinations of values, and only some were tried",
        });
    const isComplete = this.#states.slice(position).every(({ depth }) => depth >= turnLimit);
    if (!isComplete)
      this.#addUndecided({
        kind: "not_all_tried",
        place: `scenario ${JSON.stringify(this.#definition.name)}`,
        message: `it has more than ${maxStates} states that something tells apart, and the exploration stopped there`,
      });
    return {
      start,
      states: this.#states,
      isComplete,
      undecided: [...this.#undecided.values()],
      limitEnd: (branch) => this.#limitEnd(branch),
    };
  }

  /** Applies one event. Code of the scenario runs; conditions that cannot run are answered by the oracle. */
  async #step(state: ConversationState | null, event: Parameters<typeof step>[2]): Promise<Step> {
    const result = this.#prepared.evaluate(() => {
      this.#oracle.start();
      return step(this.#definition, state, event);
    });
    return result instanceof Promise ? await result : result;
  }

  async #expand(from: ExploredState, open: OpenConversation): Promise<readonly Branch[]> {
    const branches: Branch[] = [];
    const replies = this.#replies.get(from.node)?.replies ?? [];
    for (const user of this.#userChoices(from.node, open)) {
      const asked = await this.#asked(open, user);
      for (const reply of replies)
        for (const { result, isAssumed } of await this.#oracle.each(() => this.#reply(asked, reply))) {
          const made = { reply, user, isAssumed: isAssumed || reply.isAssumed };
          branches.push(...(await this.#branches(from, result, { ...made, histories: open.histories })));
        }
    }
    return branches;
  }

  #userChoices(node: string, { simulate }: OpenConversation): readonly (UserChoice | undefined)[] {
    if (simulate === undefined) return [undefined];
    const { choices, isWhole } = userChoices(simulate.contract, this.#userReads);
    if (!isWhole)
      this.#addUndecided({
        kind: "not_all_tried",
        place: `the simulated user of node ${JSON.stringify(node)}`,
        message: "there are too many sets of facts that it may reveal, and only some were tried",
      });
    return choices;
  }

  async #asked(
    { conversation, simulate }: OpenConversation,
    user: UserChoice | undefined,
  ): Promise<ConversationState> {
    if (user === undefined || simulate === undefined) return conversation;
    const { state } = await this.#step(conversation, {
      type: "turn-user",
      conversation: "rehearsal",
      turn: simulate.turn,
      ...user,
      spending: NOTHING_SPENT,
    });
    return state;
  }

  #reply(asked: ConversationState, { reply, labels }: ReplyClass): Promise<Step> {
    return this.#step(asked, {
      type: "turn-reply",
      conversation: "rehearsal",
      turn: asked.open.at(-1)?.turn ?? 0,
      reply,
      messages: [{ role: "assistant", content: reply }],
      finish: "stop",
      labels,
      spending: NOTHING_SPENT,
    });
  }

  /** Where a turn leads: one branch, or one for each arm of a fork; none if the turn could not be made. */
  async #branches(
    from: ExploredState,
    made: Step,
    { histories: before, isAssumed, ...said }: MadeTurn,
  ): Promise<readonly Branch[]> {
    const { state, events } = made;
    const finished = state.turns?.last;
    const hop = events.find((event): event is DerivedEvent & Hop => event.type === "hop");
    if (finished === undefined || hop === undefined) return [];
    this.#addFailures(events, hop);
    const histories = this.#histories.map((history, index) =>
      withTurn(history, before[index] ?? [], finished),
    );
    const next = { depth: from.depth + 1, histories };
    const turn = rehearsedTurn(from.node, finished, said);
    // Nothing more is asked in it, so that what agents have seen is of no use.
    const after = { ...state, views: BEFORE_START.views };
    const arms = armsOf(this.#definition, state);
    if (arms.length === 0) {
      const { arm } = state.cell;
      const to = this.#branchTo(made, next);
      const branch = { from, turn: { ...turn, edge: hop.edge }, to, isAssumed, after };
      return [arm === undefined ? branch : { ...branch, arm }];
    }
    const branches: Branch[] = [];
    for (const [fork, { name: arm, target, edge }] of arms.entries()) {
      const begun = await this.#step(state, {
        type: "conversation-start",
        conversation: "rehearsal",
        cell: { ...state.cell, arm, parent: 0 },
        scenarioHash: "",
        settings: this.#settings,
        fork: { parent: "rehearsal", turn: state.scenario.turn, edge, target },
      });
      const to = this.#branchTo(begun, next);
      branches.push({ from, turn: { ...turn, edge }, to, isAssumed, arm, fork, after });
    }
    return branches;
  }

  /** The state or the end that a step leads to. States that nothing distinguishes are one state. */
  #branchTo(
    { state, effects }: Step,
    { depth, histories }: { readonly depth: number; readonly histories: OpenConversation["histories"] },
  ): OpenState | End {
    if (state.status !== null) return endOf(state, state.outcomes);
    const node = state.open.at(-1)?.node ?? state.next?.node ?? "";
    const reads = (this.#live.get(node) ?? []).map((read) => read(state.scenario));
    const key = JSON.stringify([node, state.cell.arm ?? "", reads, histories]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const simulate = effects.find((effect) => effect.type === "simulate");
    const found: OpenState = {
      id: this.#states.length,
      node,
      depth,
      branches: null,
      open: { conversation: state, histories, simulate },
    };
    this.#known.set(key, found);
    this.#states.push(found);
    return found;
  }

  /** Notes code that failed on representative values: its real result is not known. */
  #addFailures(events: readonly DerivedEvent[], hop: Hop): void {
    for (const { edge, reason } of failedConditions(hop))
      this.#addUndecided({ kind: "code_failed", place: this.#conditionPlace(edge), message: reason });
    for (const event of events) {
      if (event.type === "warning" && event.code === "state_update_failed")
        this.#addUndecided({
          kind: "code_failed",
          place: `the state update of node ${JSON.stringify(hop.node)}`,
          message: event.message,
        });
      if (event.type === "outcome" && failedInFunction(event))
        this.#addUndecided({
          kind: "code_failed",
          place: `the outcome ${JSON.stringify(event.name)}`,
          message: event.reason ?? "",
        });
    }
  }

  #conditionPlace(index: number): string {
    const { source = "", target = "" } = this.#definition.edges[index] ?? {};
    return `the condition of the edge from ${JSON.stringify(source)} to ${JSON.stringify(target)}`;
  }

  #addUndecided(undecided: Undecided): void {
    const key = `${undecided.kind} ${undecided.place}`;
    if (!this.#undecided.has(key)) this.#undecided.set(key, undecided);
  }

  async #limitEnd({ after }: Branch): Promise<End> {
    const status = "limit_reached";
    const stopped: ConversationState = { ...after, status, ending: { status } };
    const decided = await this.#prepared.evaluate(() => decideOutcomes(this.#definition, stopped));
    return endOf(stopped, Object.fromEntries(decided.map(({ name, ...result }) => [name, result])));
  }
}

function endOf(
  { status, ending }: ConversationState,
  outcomes: Readonly<Record<string, Pick<OutcomeResult, "value" | "status">>>,
): End {
  return {
    status: status ?? "completed",
    outcomes: Object.fromEntries(
      Object.entries(outcomes).map(([name, result]) => [
        name,
        result.status === "decided" ? (result.value ?? "inconclusive") : result.status,
      ]),
    ),
    ...(ending?.failure === undefined ? {} : { failure: ending.failure.message }),
  };
}

function rehearsedTurn(
  node: string,
  finished: FinishedTurn,
  { reply, user }: Pick<MadeTurn, "reply" | "user">,
): Omit<RehearsedTurn, "edge"> {
  const { labels, isUnreadable } = reply;
  return {
    node,
    reply: reply.reply,
    parsed: finished.parsed as JsonObject,
    ...(isUnreadable ? { unreadable: true as const } : {}),
    verifyResult: finished.verifyResult,
    ...(finished.notVerified === true ? { notVerified: true as const } : {}),
    ...(labels.refused === undefined ? {} : { refused: labels.refused }),
    ...(labels.rubric === undefined ? {} : { rubric: labels.rubric as JsonObject }),
    ...(user === undefined ? {} : { user: { reveals: user.reveals, done: user.done } }),
  };
}
