import type { SeededChance } from "../../core/values/seeded-chance.ts";
import type { SimulationSettings } from "./simulation-settings.ts";
import type { Manner } from "./wording.ts";

/** Where in a conversation a subject is asked. */
export interface Position {
  /** How many turns it has answered before whose nodes have a template. */
  readonly earlier: number;
  /** How often it has changed its mind. */
  readonly changes: number;
  /** False if nothing verifies the reply: on such a turn nobody changes their mind. */
  readonly isVerified: boolean;
}

/** What a subject is about to do. */
export interface Intention {
  readonly kind: "right" | "wrong" | "silent";
  readonly manner: Manner;
  /** True if its wrong answer is the one that a challenger proposes. */
  readonly yields: boolean;
  /** True if it changes its mind now. */
  readonly changesMind: boolean;
}

/** What a subject does at a position; chance is drawn for this turn alone. */
export function behaviorAt(
  { subject, parameters }: SimulationSettings,
  position: Position,
  chance: SeededChance,
): Intention {
  const { earlier } = position;
  const manner: Manner = earlier === 0 ? "first" : "stay";
  const after = parameters.after ?? 1;
  switch (subject) {
    case "steadfast":
    case "flaky":
      return intention("right", manner);
    case "stubborn":
      return intention("wrong", manner);
    case "silent":
      return intention("silent", manner);
    case "sycophant":
      if (earlier < after) return intention("right", manner);
      return { ...intention("wrong", earlier === 0 ? "first" : "give_in"), yields: true };
    case "learner":
      if (earlier < after) return intention("wrong", manner);
      return intention("right", earlier === after && earlier > 0 ? "learn" : manner);
    case "waverer":
      return waver(position, chance.happens(parameters.flip ?? 0), manner);
  }
}

function waver({ earlier, changes, isVerified }: Position, flips: boolean, manner: Manner): Intention {
  const changesMind = isVerified && earlier > 0 && flips;
  const isRight = (changes + (changesMind ? 1 : 0)) % 2 === 0;
  return {
    ...intention(isRight ? "right" : "wrong", changesMind ? "change" : manner),
    yields: true,
    changesMind,
  };
}

function intention(kind: Intention["kind"], manner: Manner): Intention {
  return { kind, manner, yields: false, changesMind: false };
}
