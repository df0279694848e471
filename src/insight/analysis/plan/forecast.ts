import type { Question } from "../../../core/scenario/definition.ts";
import type { Cell } from "../../../engine/journal/run-event.ts";
import type { ModelParameters } from "../../../engine/models/model-parameters.ts";
import type { AnyModel } from "../../../engine/run/calls/call-cache.ts";
import type { RunContext } from "../../../engine/run/run-context.ts";
import type { WatchedTurn } from "../rehearsal/watched-turns.ts";
import type { Slot, Slots } from "./amounts.ts";
import type { PlanAssumptions } from "./assumptions.ts";
import type { EarlierReplies, EarlierReply, NodeVisit } from "./earlier-replies.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** The time of a call that was not measured: a delay before the first token, then a rate of tokens. */
const FIRST_WORD_MS = 1_000;
const TOKENS_PER_SECOND = 50;

/** What is known and assumed about the models of a run: how long replies are, how often judges are asked, what calls take. */
export class Forecast {
  readonly run: RunContext;
  readonly slots: Slots;
  readonly assumptions: PlanAssumptions;
  /** How often a subject may be asked in one turn. */
  readonly toolSteps: number;
  /** The truths whose vectors are asked for. */
  readonly truths = new Set<string>();
  readonly #given: Partial<PlanAssumptions>;
  readonly #earlier: EarlierReplies | undefined;

  constructor(options: {
    readonly run: RunContext;
    readonly slots: Slots;
    readonly assumptions: PlanAssumptions;
    /** The assumptions that the user gave: they override what was measured. */
    readonly given: Partial<PlanAssumptions>;
    readonly hasTools: boolean;
    readonly earlier: EarlierReplies | undefined;
  }) {
    const { run, slots, assumptions, given, hasTools, earlier } = options;
    this.run = run;
    this.slots = slots;
    this.assumptions = assumptions;
    this.toolSteps = hasTools ? run.toolSteps : 1;
    this.#given = given;
    this.#earlier = earlier;
  }

  /** One call of a model, in the tokens that the model counts. */
  call(
    { role, model }: Slot,
    { input, output }: { readonly input: number; readonly output: number },
  ): { readonly calls: number; readonly input: number; readonly output: number } {
    const measured = this.#earlier?.scale(role, model.name);
    if (measured === undefined) return { calls: 1, input, output };
    // How long a reply is was measured by node; other answers have no such measure.
    const answer = role === "subject" ? output * measured.output : measured.meanOutput;
    return { calls: 1, input: input * measured.input, output: answer };
  }

  /** About how long a call takes, in milliseconds. */
  latency({ role, model }: Slot, output: number): number {
    return this.#earlier?.latency(role, model.name) ?? FIRST_WORD_MS + (1000 * output) / TOKENS_PER_SECOND;
  }

  /**
   * How long a reply at a node is, in estimated tokens. If that was not measured, subjects reply like the examples that they are shown,
   * and at least as much as the reference answer.
   */
  replyTokens(
    cell: Cell,
    node: string,
    { question, model }: { readonly question: Question; readonly model: Pick<AnyModel, "identity"> },
  ): number {
    const { fewShot = [], rawAnswer } = question;
    const shown = fewShot.map(({ answer }) => estimateTokens(answer));
    const assumed =
      shown.length > 0
        ? shown.reduce((sum, tokens) => sum + tokens, 0) / shown.length
        : Math.max(this.assumptions.reply, estimateTokens(rawAnswer));
    const tokens = this.#given.reply ?? this.#earlier?.replyTokens(cell, node) ?? assumed;
    return Math.min(tokens, mostOutput(model));
  }

  /** How often a subject is asked in a turn: more than once if it calls tools. */
  callsPerTurn(cell: Cell, node: string): number {
    if (this.toolSteps === 1) return 1;
    const steps = this.#given.steps ?? this.#earlier?.callsPerTurn(cell, node) ?? this.assumptions.steps;
    return Math.min(steps, this.toolSteps);
  }

  /** The share of replies that rules leave to the judge. */
  unread(cell: Cell, node: string): number {
    return this.#given.unread ?? this.#earlier?.unread(cell, node) ?? this.assumptions.unread;
  }

  /** How many calls a request to a judge takes, with repairs. */
  repairs({ model }: Slot): number {
    return this.#earlier?.repairs(model.name) ?? 1;
  }

  /** Replies of an earlier run at a node; none if the user gave probabilities for them. */
  repliesBefore(cell: Cell, place: NodeVisit, watched: WatchedTurn): readonly EarlierReply[] {
    return this.#isGiven(place) ? [] : (this.#earlier?.replies(cell, place, watched) ?? []);
  }

  /** What is assumed of replies that were never given at their node. */
  shares(cell: Cell): PlanAssumptions {
    return { ...this.assumptions, ...this.#earlier?.shares(cell), ...this.#given };
  }

  #isGiven({ node }: NodeVisit): boolean {
    const { right, rightAt, unreadable } = this.#given;
    return right !== undefined || unreadable !== undefined || rightAt?.[node] !== undefined;
  }
}

/** How many tokens a model may reply with at most. */
function mostOutput({ identity: { parameters } }: Pick<AnyModel, "identity">): number {
  const { maxOutputTokens } = (parameters ?? {}) as ModelParameters;
  return maxOutputTokens ?? Number.POSITIVE_INFINITY;
}
