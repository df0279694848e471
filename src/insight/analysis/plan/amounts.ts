import type { AnyModel } from "../../../engine/run/calls/call-cache.ts";

/** What a model is asked for. */
export type Role = "subject" | "judge" | "simulator" | "embedder";

/** The least, the expected and the most of something. */
export interface Spread {
  readonly least: number;
  readonly expected: number;
  readonly most: number;
}

/** A model in a role. */
export interface Slot {
  readonly role: Role;
  readonly model: AnyModel;
  /** Where its amounts begin: calls, input tokens, output tokens. */
  readonly at: number;
}

/** All numbers of a plan in one array: conversations, turns, milliseconds, and those of each slot. */
export type Amounts = Float64Array;

/** Where the amounts that belong to no model are. */
export const CONVERSATIONS = 0;
/** Turns. */
export const TURNS = 1;
/** How long a conversation takes without waiting, in milliseconds. */
export const MILLISECONDS = 2;
const FIRST_SLOT = 3;
const PER_SLOT = 3;

/** The models of a run, each with a place among the amounts. */
export class Slots {
  readonly all: readonly Slot[];
  readonly #byKey = new Map<string, Slot>();

  constructor(models: Readonly<Record<Role, readonly AnyModel[]>>) {
    const all: Slot[] = [];
    for (const [role, list] of Object.entries(models) as [Role, readonly AnyModel[]][])
      for (const model of list) {
        const key = `${role} ${model.name}`;
        if (this.#byKey.has(key)) continue;
        const slot = { role, model, at: FIRST_SLOT + PER_SLOT * all.length };
        this.#byKey.set(key, slot);
        all.push(slot);
      }
    this.all = all;
  }

  /** The place of a model in a role. The run has resolved all models that are asked. */
  of(role: Role, { name }: Pick<AnyModel, "name">): Slot {
    return this.#byKey.get(`${role} ${name}`) as Slot;
  }

  zero(): Amounts {
    return new Float64Array(FIRST_SLOT + PER_SLOT * this.all.length);
  }

  /** Amounts that are zero at first; `fill` may change that. */
  spread(fill: (spread: AmountSpread) => void = () => {}): AmountSpread {
    const spread = { least: this.zero(), expected: this.zero(), most: this.zero() };
    fill(spread);
    return spread;
  }
}

/** Adds calls of a slot; the tokens are those of one call. */
export function addCalls(
  amounts: Amounts,
  { at }: Slot,
  { calls, input, output }: { readonly calls: number; readonly input: number; readonly output: number },
): void {
  addAt(amounts, at, calls);
  addAt(amounts, at + 1, calls * input);
  addAt(amounts, at + 2, calls * output);
}

/** Adds amounts to others, multiplied. */
export function addAmounts(to: Amounts, more: Amounts, times = 1): void {
  for (let index = 0; index < to.length; index++) to[index] = (to[index] ?? 0) + (more[index] ?? 0) * times;
}

/** The sum of two amounts. */
export function sumOf(one: Amounts, other: Amounts): Amounts {
  return one.map((amount, index) => amount + (other[index] ?? 0));
}

/** Replaces each amount by the chosen one of two: the smaller or the larger. */
export function extend(to: Amounts, other: Amounts, choose: (one: number, other: number) => number): void {
  for (let index = 0; index < to.length; index++) to[index] = choose(to[index] ?? 0, other[index] ?? 0);
}

/** The least, the expected and the most of everything. */
export interface AmountSpread {
  readonly least: Amounts;
  readonly expected: Amounts;
  readonly most: Amounts;
}

/** The numbers of a spread. */
export const KEYS = ["least", "expected", "most"] as const;

/** Adds to one amount. */
export function addAt(amounts: Amounts, index: number, more: number): void {
  amounts[index] = (amounts[index] ?? 0) + more;
}

/** Adds a spread to another. */
export function addSpread(to: AmountSpread, more: AmountSpread): void {
  for (const key of KEYS) addAmounts(to[key], more[key]);
}

/** One amount of a spread. */
export function spreadAt({ least, expected, most }: AmountSpread, index: number): Spread {
  return { least: least[index] ?? 0, expected: expected[index] ?? 0, most: most[index] ?? 0 };
}
