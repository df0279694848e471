import type { Cell } from "../../journal/run-event.ts";
import type { RunContext } from "../../run/run-context.ts";
import type { WatchedTurn } from "../rehearsal/watched-turns.ts";
import type { Slot, Slots } from "./amounts.ts";
import type { PlanAssumptions } from "./assumptions.ts";
import type { EarlierReplies, EarlierReply } from "./earlier-replies.ts";

/** A call without a measured time: the first word comes after this, and then so many tokens a second. */
const FIRST_WORD_MS = 1_000;
const TOKENS_PER_SECOND = 50;

/** What is known and assumed about the models of a run: how long replies are, how often judges are asked, what calls take. */
export class Forecast {
  readonly run: RunContext;
  readonly slots: Slots;
  readonly assumptions: PlanAssumptions;
  /** How often a subject may be asked in one turn. */
  readonly toolSteps: number;
  readonly #given: Partial<PlanAssumptions>;
  readonly #earlier: EarlierReplies | undefined;
  readonly #truths = new Set<string>();

  constructor(options: {
    readonly run: RunContext;
    readonly slots: Slots;
    readonly assumptions: PlanAssumptions;
    /** Of those, what a person has said: it goes before what was measured. */
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

  /** How long a reply at a node is, in estimated tokens. */
  replyTokens(cell: Cell, node: string): number {
    return this.#given.reply ?? this.#earlier?.replyTokens(cell, node) ?? this.assumptions.reply;
  }

  /** How often a subject is asked in a turn: more than once if it calls tools. */
  callsPerTurn(cell: Cell, node: string): number {
    return this.toolSteps === 1 ? 1 : (this.#earlier?.callsPerTurn(cell, node) ?? 1);
  }

  /** The share of replies that rules leave to the judge. */
  unread(cell: Cell, node: string): number {
    return this.#given.unread ?? this.#earlier?.unread(cell, node) ?? this.assumptions.unread;
  }

  /** How many calls a request to a judge takes, with repairs. */
  repairs({ model }: Slot): number {
    return this.#earlier?.repairs(model.name) ?? 1;
  }

  /** Replies of an earlier run at a node; none if there are none, or a person has said how likely replies are. */
  repliesBefore(
    cell: Cell,
    place: { readonly node: string; readonly visit: number },
    watched: WatchedTurn,
  ): readonly EarlierReply[] {
    const { right, rightAt, unreadable } = this.#given;
    if (right !== undefined || unreadable !== undefined || rightAt?.[place.node] !== undefined) return [];
    return this.#earlier?.replies(cell, place, watched) ?? [];
  }

  noteTruth(truth: string): void {
    this.#truths.add(truth);
  }

  /** The truths whose vectors are asked for. */
  get truths(): ReadonlySet<string> {
    return this.#truths;
  }
}
