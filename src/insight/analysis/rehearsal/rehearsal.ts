import type { Truth } from "../../../core/logic/kleene.ts";
import type { Variant } from "../../../core/scenario/variants.ts";
import type { ConversationStatus } from "../../../core/state/state.ts";
import type { JsonObject } from "../../../core/values/json.ts";

/**
 * Whether something can happen: `maybe` if that depends on code that could not be analysed, or if the exploration stopped before it
 * had seen everything.
 */
export type Possibility = "yes" | "maybe" | "no";

/** A value that an outcome can have. */
export type RehearsedValue = boolean | number | "inconclusive" | "not_applicable";

/** One turn of a rehearsed conversation. Its reply represents all replies that the scenario does not distinguish from it. */
export interface RehearsedTurn {
  readonly node: string;
  /** A text in place of a reply: checks on the raw reply see it. */
  readonly reply: string;
  /** What is read of the reply. */
  readonly parsed: JsonObject;
  /** True if nothing can be read of the reply. */
  readonly unreadable?: true;
  /** The verdict that the scenario comes to. */
  readonly verifyResult: Truth;
  /** True if the template does not verify such a reply. */
  readonly notVerified?: true;
  readonly refused?: Truth;
  readonly rubric?: JsonObject;
  /** What the simulated user does when it writes the question. */
  readonly user?: { readonly reveals: readonly string[]; readonly done: boolean };
  /** The edge that is taken afterwards, by its position in the scenario; null where none leads on. */
  readonly edge: number | null;
}

/** The row and the variant that a conversation is about. */
export interface RehearsedPlace {
  /** The id of the row. */
  readonly row?: string;
  /** What a person sees in place of the id. */
  readonly rowName?: string;
  readonly variant?: Variant;
}

/** A conversation that takes a certain path: replies that a scripted subject can give, and their results. */
export interface Witness {
  readonly place: RehearsedPlace;
  readonly turns: readonly RehearsedTurn[];
  readonly status: ConversationStatus;
  /** The arm of a fork that it ends in. */
  readonly arm?: string;
  readonly outcomes: Readonly<Record<string, RehearsedValue>>;
  /** True if it takes a way that code which could not be analysed may not allow. */
  readonly isAssumed?: true;
}

/** Whether a node can be reached. */
export interface RehearsedNode {
  readonly id: string;
  readonly isReached: Possibility;
  /** The least number of turns after which it is asked; null if it is not reached. */
  readonly after: number | null;
  /** A shortest conversation that asks it; null if it is not reached. */
  readonly witness: Witness | null;
  /** Why it is not reached: the turn limit comes first, or no path of replies leads to it. */
  readonly reason?: "turn_limit" | "no_path";
  /** How many replies the scenario distinguishes here. */
  readonly replies: number;
}

/** Why an edge is never taken. */
export type NeverTaken =
  /** Its source is never asked. */
  | { readonly reason: "source_not_reached" }
  /** Its condition never holds in any state that can occur there. */
  | { readonly reason: "never_holds" }
  /** Wherever its condition may hold, an edge before it is taken; `by` has the positions of those edges. */
  | { readonly reason: "taken_before"; readonly by: readonly number[] };

/** Whether an edge can be taken. */
export interface RehearsedEdge {
  /** Its position in the scenario. */
  readonly edge: number;
  readonly source: string;
  readonly target: string;
  readonly isTaken: Possibility;
  /** A shortest conversation that takes it; null if it is never taken. */
  readonly witness: Witness | null;
  readonly never?: NeverTaken;
}

/** One value of an outcome, and a shortest conversation that has it. */
export interface OutcomeWitness {
  readonly value: RehearsedValue;
  readonly isPossible: Exclude<Possibility, "no">;
  readonly witness: Witness;
}

/** The values that an outcome can have. */
export interface RehearsedOutcome {
  readonly name: string;
  /** The values that can occur: true, false, numbers from the smallest, inconclusive, not applicable. */
  readonly values: readonly OutcomeWitness[];
  /** False if there may be other values: code or words of replies decide, or not everything was explored. */
  readonly isComplete: boolean;
}

/** Nodes that a conversation can visit again and again. */
export interface RehearsedLoop {
  readonly nodes: readonly string[];
  /** A conversation that gets into a state of the loop from which no reply leads to an end: only the turn limit ends it. */
  readonly trap: Witness | null;
  /** A conversation that stays in the loop until the turn limit; null if something else always ends it before. */
  readonly untilLimit: Witness | null;
}

/** A conversation that a mistake of the author ends: a text that cannot be rendered, a contract that is not valid. */
export interface RehearsedFailure {
  readonly message: string;
  readonly witness: Witness;
}

/** How many different conversations there are. */
export interface PathTotals {
  /**
   * Conversations that differ in a node or in a reply that the scenario distinguishes. Null if they were not counted. Of a scenario with
   * rows or variants, those of the place that has the most.
   */
  readonly count: bigint | null;
  /** Of those, the ones that the turn limit ends. */
  readonly limited: bigint | null;
  /** Different sequences of nodes, with how they end; null if there are too many to count. */
  readonly routes: bigint | null;
  /** The shortest ones, up to the limit that was asked for. */
  readonly listed: readonly Witness[];
}

/** Something that the rehearsal could not find out. */
export interface Undecided {
  readonly kind: /** A function that uses something from outside itself: it was not run, and every answer was tried. */
    | "opaque_function"
    /** Code that threw, or took too long or too much memory, when it was run on representative values. */
    | "code_failed"
    /** It depends on the words of a reply, or on what a run costs. */
    | "words_or_cost"
    /** Only some of the possible replies, rows, variants or states were tried. */
    | "not_all_tried";
  /** In words: `the condition of the edge from "ask" to "probe"`. */
  readonly place: string;
  readonly message: string;
}

/** What can happen in the conversations of a scenario, found without a model. */
export interface Rehearsal {
  readonly scenario: string;
  readonly turnLimit: number;
  /** The rows and variants that were rehearsed: those that the scenario treats alike are rehearsed once. */
  readonly places: readonly RehearsedPlace[];
  readonly nodes: readonly RehearsedNode[];
  readonly edges: readonly RehearsedEdge[];
  readonly outcomes: readonly RehearsedOutcome[];
  readonly shortest: Witness | null;
  readonly longest: Witness | null;
  readonly paths: PathTotals;
  readonly loops: readonly RehearsedLoop[];
  /** How conversations can end as an error of the author. */
  readonly failures: readonly RehearsedFailure[];
  readonly undecided: readonly Undecided[];
  /** How many different states were found. */
  readonly states: number;
  /** False if the exploration stopped at its limit: then `no` becomes `maybe`. */
  readonly isComplete: boolean;
}
