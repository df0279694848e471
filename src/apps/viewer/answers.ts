import type { ConversationStatus } from "../../core/state/state.ts";
import type { JsonObject, JsonValue } from "../../core/values/json.ts";
import type { MadeCall } from "../../engine/journal/fold/calls.ts";
import type { Conversation } from "../../engine/journal/fold/conversation.ts";
import type { OutcomeScore } from "../../engine/journal/fold/tally.ts";
import type { JudgeHealth } from "../../engine/journal/judge-health.ts";
import type { Cell, Label, RunStart } from "../../engine/journal/run-event.ts";
import type { FoundTurn } from "../../engine/journal/store/run-browser.ts";
import type { ConversationSummary, RunSummary } from "../../engine/journal/store/store.ts";
import type { Retry, Turn, TurnVerdict, TurnWarning } from "../../engine/journal/turn.ts";
import type { Message } from "../../engine/models/message.ts";
import type { Comparison } from "../../insight/report/data/compare-sides.ts";
import type { ComparisonLine } from "../../insight/report/data/comparison.ts";
import type { RateReport } from "../../insight/report/data/rates.ts";
import type { RunRates } from "../../insight/report/data/run-rates.ts";
import type { EdgeRole } from "../../insight/report/graph/drawn-graph.ts";

// What the server answers and the page shows. Everything here is JSON; an export has the same answers in files.

/** What a request that cannot be answered gets. */
export interface ErrorAnswer {
  readonly error: string;
  readonly code: string;
}

/** A run in the list of runs. */
export interface RunEntry
  extends Pick<RunSummary, "run" | "startedAt" | "endedAt" | "tags" | "parent" | "spending">,
    Pick<RunStart, "subjects" | "judges" | "replicates"> {
  /** `running` while a process writes it, `stopped` if it ended early or its process is gone. */
  /** `failed` if every conversation ended with an error. */
  readonly state: "running" | "stopped" | "finished" | "failed";
  /** The first of them, and how many there are. */
  readonly scenarios: readonly string[];
  readonly scenarioCount: number;
  /** Planned, and ended in any way. */
  readonly conversations: number;
  readonly ended: number;
  /** The first outcome in short; empty if there is none. */
  readonly headline: string;
}

/** The list of runs. */
export interface RunsAnswer {
  readonly store: string;
  readonly runs: readonly RunEntry[];
}

/** A scenario of a run. */
export interface ScenarioEntry {
  readonly scenario: string;
  readonly tags: readonly string[];
}

/** Conversations that ended early, by what ended them. */
export interface FailureCause {
  readonly status: ConversationStatus;
  readonly category: string | null;
  readonly subject: string;
  readonly count: number;
}

/** The rates of a run as tables show them. Which nodes have unread replies stands in their graphs. */
export type ShownRates = Omit<RunRates, "best" | "unread">;

/** The page of a run. */
export interface RunAnswer extends RunEntry, Pick<RunSummary, "statuses"> {
  readonly rates: ShownRates;
  readonly health: readonly JudgeHealth[];
  readonly causes: readonly FailureCause[];
  readonly scenarioEntries: readonly ScenarioEntry[];
  /** What results can be grouped by: `tag`, `variant.order`, `arm`. */
  readonly groups: readonly string[];
  /** What outcomes mean, by name, where authors say so. */
  readonly descriptions: Readonly<Record<string, string>>;
}

/** An outcome of one scenario and subject: how many are true, of how many that are decided; the sum of numbers. */
export interface HeatCell {
  readonly yes: number;
  readonly n: number;
  readonly sum: number;
  /** Not decided, because a reply could not be read, or because of an error. */
  readonly inconclusive: number;
  readonly errors: number;
}

/** An item, or a scenario with all of its items. */
export interface HeatLine {
  readonly scenario: string;
  /** The id of the row, for links. */
  readonly row?: string;
  /** What a person sees: the scenario, and the row. */
  readonly name: string;
  /** By subject; null where one has no such conversation. */
  readonly cells: readonly (HeatCell | null)[];
}

/** One outcome by item and subject. */
export interface HeatAnswer {
  readonly outcome: string;
  readonly subjects: readonly string[];
  readonly lines: readonly HeatLine[];
}

/** A conversation in a list; its turns are its nodes with their verdicts. */
export interface ConversationEntry extends Cell, Pick<ConversationSummary, "conversation" | "status"> {
  readonly turns: readonly (readonly [node: string, verdict: TurnVerdict | null, edge: number | null])[];
  readonly outcomes: Readonly<Record<string, OutcomeScore>>;
  /** What distinguishes it within its scenario and subject, in words: `row q17, order=a, replicate 2`. */
  readonly place: string;
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** A page of a list of conversations. */
export interface ConversationsAnswer {
  readonly conversations: readonly ConversationEntry[];
  /** What to ask for next; null at the end. */
  readonly next: string | null;
}

/** A field of a template as it was read, against its truth. */
export interface FieldView {
  readonly name: string;
  /** Missing if nothing looked for it. */
  readonly value?: JsonValue;
  readonly result: boolean | null;
  readonly score: number;
  readonly expected: string | null;
  readonly reason?: string;
  readonly quote?: string;
  /** Values that it may have, for labels. */
  readonly choices: readonly JsonValue[];
}

/** A trait of a rubric. */
export interface TraitView {
  readonly name: string;
  readonly value: JsonValue;
  readonly reason?: string;
  readonly description?: string;
  /** Values that it may have, for labels. */
  readonly choices: readonly JsonValue[];
}

/** An edge that leaves the node of a turn, and the result of its condition. */
export interface EdgeView {
  readonly edge: number;
  /** Several for a fork. */
  readonly targets: readonly string[];
  /** In words; empty for an edge without a condition. */
  readonly condition: string;
  readonly result: "taken" | "not met" | "not evaluable" | "not tried";
  readonly reason?: string;
}

/** A call that a turn made. */
export interface CallView extends Pick<MadeCall, "call" | "purpose" | "model" | "startedAt"> {
  readonly endedAt: number | null;
  readonly latencyMs: number | null;
  readonly cached: boolean;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cost: number | null;
  readonly attempts: number | null;
  readonly failure: string | null;
}

/** A turn with everything that explains it. */
export interface TurnView
  extends Pick<
    Turn,
    | "turn"
    | "node"
    | "agent"
    | "model"
    | "instructions"
    | "user"
    | "reply"
    | "finish"
    | "verdict"
    | "score"
    | "refused"
    | "next"
    | "startedAt"
  > {
  readonly question: string;
  /** True of a turn that an arm of a fork has from its parent. */
  readonly isOfParent?: boolean;
  /** Where the arms of a fork go from here. */
  readonly arms?: readonly string[];
  /** What was sent before the question since the last turn: given history, examples, what a handover wrote. */
  readonly before: readonly Message[];
  /** Messages of the model and of tools before the reply. */
  readonly steps: readonly Message[];
  readonly fields: readonly FieldView[];
  readonly traits: readonly TraitView[];
  readonly edges: readonly EdgeView[];
  /** Why the judge could not be asked, as a sentence. */
  readonly judgeFailure?: string;
  readonly warnings: readonly TurnWarning[];
  readonly retries: readonly Retry[];
  readonly calls: readonly CallView[];
  /** The state that routing saw after the turn; missing until it is read. */
  readonly state?: JsonObject;
}

/** An outcome of a conversation. */
export interface OutcomeView {
  readonly name: string;
  readonly value: OutcomeScore;
  readonly description?: string;
  readonly good?: boolean;
  /** The turns it looks at, from 1. */
  readonly turns: readonly number[];
}

/** The page of a conversation. */
export interface ConversationAnswer
  extends Readonly<
    Pick<Conversation, "conversation" | "cell" | "status" | "attempt" | "spending" | "startedAt" | "endedAt">
  > {
  readonly run: string;
  /** What distinguishes it within its scenario and subject, in words. */
  readonly place: string;
  /** Why it failed, as a sentence. */
  readonly failure: string | null;
  /** The conversation that an arm of a fork continues, and the turn of the fork. */
  readonly parent: { readonly conversation: string; readonly turn: number } | null;
  readonly turns: readonly TurnView[];
  readonly outcomes: readonly OutcomeView[];
  /** True if the stored scenario is not the one of this conversation. */
  readonly isChanged: boolean;
  readonly initialState: JsonObject;
  /** The graph with the texts of the row and the variant of the conversation, if it has any. */
  readonly graph?: GraphAnswer;
  /** The same item, replicate and judge with other subjects, itself included. */
  readonly others: readonly { readonly conversation: string; readonly subject: string }[];
  readonly previous: string | null;
  readonly next: string | null;
}

/** A call as it was sent and answered. */
export interface CallAnswer {
  readonly request: JsonValue;
  readonly reply: JsonValue;
}

/** How turns at a node were judged. */
export interface NodeTraffic {
  readonly subject: string;
  readonly node: string;
  readonly visits: number;
  readonly verdicts: Readonly<Partial<Record<TurnVerdict, number>>>;
}

/** How often an edge was followed. */
export interface EdgeTraffic {
  readonly subject: string;
  readonly edge: number;
  readonly hops: number;
}

/** A node of a graph. */
export interface GraphNode {
  readonly id: string;
  readonly question: string;
  /** Fields and their truths, in words. */
  readonly fields: readonly {
    readonly name: string;
    readonly description: string;
    readonly truth: string | null;
  }[];
}

/** An edge of a graph. */
export interface GraphEdge {
  readonly edge: number;
  readonly source: string;
  readonly target: string;
  readonly condition: string;
  readonly role: EdgeRole;
}

/** The graph of a scenario. */
export interface GraphAnswer {
  readonly scenario: string;
  readonly description: string;
  readonly entry: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A scenario with its traffic in a run. */
export interface ScenarioAnswer {
  /** Null if the stored scenario cannot be read. */
  readonly graph: GraphAnswer | null;
  /** The row and variant that the texts of the graph are of; absent without. */
  readonly example?: string;
  readonly subjects: readonly string[];
  readonly nodes: readonly NodeTraffic[];
  readonly edges: readonly EdgeTraffic[];
  readonly conversations: Readonly<Record<string, number>>;
}

/** A conversation that would reach something, as a rehearsal has found it. */
export interface WitnessView {
  /** The row and the variant that it is about; empty if there are none. */
  readonly place: string;
  /** Words that stand for each reply, and what is said about it. */
  readonly turns: readonly {
    readonly node: string;
    readonly reply: string;
    readonly verdict: TurnVerdict;
  }[];
  readonly status: ConversationStatus;
  /** True if code that could not be analysed may not allow it. */
  readonly isAssumed: boolean;
}

/** What all subjects of a run together reached of a scenario. */
export interface CoverageAnswer {
  /** How much was reached of what can be reached. */
  readonly shares: readonly {
    readonly kind: "nodes" | "edges" | "outcomes";
    readonly reached: number;
    readonly possible: number;
  }[];
  /** What can be reached and was not; of an edge, also its number. */
  readonly notReached: readonly {
    readonly kind: "nodes" | "edges" | "outcomes";
    readonly name: string;
    readonly edge?: number;
    readonly witness: WitnessView | null;
  }[];
  /** Why the scenario could not be rehearsed: then everything in it counts as something that can be reached. */
  readonly problem?: string;
}

/** A page of a list of pairs: two conversations each, about the same item. */
export interface PairsAnswer {
  readonly pairs: readonly { readonly a: ConversationEntry; readonly b: ConversationEntry }[];
  readonly next: string | null;
}

/** The rates of a run by group; of very many groups, the first. */
export interface GroupsAnswer extends RateReport {
  /** How many lines are left out. */
  readonly more: number;
}

/** The rates of a run with exact intervals. */
export interface RatesAnswer {
  readonly rates: ShownRates;
  /** By outcome, the subject that is better than every other, where comparisons say so; as JSON of subject and judge. */
  readonly best: Readonly<Record<string, string>>;
  /** What makes the rates doubtful, in sentences. */
  readonly warnings: readonly string[];
}

/** A line of a comparison, with the number of pairs that differ and a sentence. */
export interface ComparedLine extends Omit<ComparisonLine, "onlyA" | "onlyB"> {
  readonly onlyA: number;
  readonly onlyB: number;
  readonly sentence: string;
}

/** Two subjects compared; or why they cannot be, as two that have nothing in common. */
export type ComparisonAnswer =
  | (Omit<Comparison, "lines"> & { readonly lines: readonly ComparedLine[]; readonly problem?: undefined })
  | { readonly problem: string };

/** The turns to review, and the labels of the run. */
export interface ReviewAnswer {
  readonly turns: readonly FoundTurn[];
  readonly labels: readonly Label[];
  /** The name of the user who labels. */
  readonly who: string;
}
