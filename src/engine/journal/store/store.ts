import { type ConversationStatus, isInterrupted } from "../../../core/state/state.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { CallRequest, RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { ModelReply } from "../../models/model.ts";
import type { CellTally, OutcomeScore } from "../fold/tally.ts";
import type { JudgeHealth } from "../judge-health.ts";
import type { Label, RunEvent, RunStart } from "../run-event.ts";
import type { Spending } from "../spending.ts";
import type { TurnVerdict } from "../turn.ts";

/** The journal of one run, open for writing. */
export interface RunJournal {
  /** Takes an event; it is written together with others, soon. */
  append(event: RunEvent): void;
  /** Resolves once everything appended so far will survive; undefined if it does already. Rejects if it cannot be written. */
  durable(): Promise<void> | undefined;
}

/** A run as lists show it. */
export interface RunSummary {
  readonly run: string;
  readonly startedAt: number;
  /** Null until it ends. */
  readonly endedAt: number | null;
  readonly start: RunStart;
  /** The run that this one verifies again. */
  readonly parent: string | null;
  readonly tags: readonly string[];
  /** How many conversations have ended how; those that have not ended are not counted. */
  readonly statuses: Readonly<Partial<Record<ConversationStatus, number>>>;
  readonly spending: Spending;
  /** The health of each judge that was asked. Earlier versions did not count it. */
  readonly judges: readonly JudgeHealth[];
  /** In how many arms conversations continue, beside those that the start says; absent if in none. */
  readonly arms?: number;
  /** Of the spending, what simulated users took; absent if there were none. */
  readonly simulator?: Spending;
  /** How many finished conversations have turns whose judge could not be asked. */
  readonly unjudged: number;
  /** How many finished conversations have answers of judges that could not be read. */
  readonly unreadable: number;
}

/** A conversation as tables show it. */
export interface ConversationSummary {
  readonly run: string;
  readonly conversation: string;
  readonly index: number;
  readonly scenario: string;
  readonly subject: string;
  readonly judge: string;
  readonly replicate: number;
  /** The id of the dataset's row; null without a dataset, and in runs of earlier versions. */
  readonly row: string | null;
  /** Position of the row in the dataset, from 0. */
  readonly rowIndex: number | null;
  /** What a person sees in place of the id: a name and the first words of the question; null without a dataset, and if the row is not at hand. */
  readonly rowName: string | null;
  /** The level of each factor; null without variants. */
  readonly variant: Readonly<Record<string, string>> | null;
  /** Which arm of a fork, and the index of the conversation that it continues. */
  readonly arm: string | null;
  readonly parent: number | null;
  /** The same in all conversations about the same row of the same scenario: they are compared in pairs. */
  readonly item: string;
  /** The hash of what the scenario uses of the row; null without a row. */
  readonly itemHash: string | null;
  /** Null until it ends. */
  readonly status: ConversationStatus | null;
  /** How many turns are finished. */
  readonly turnCount: number;
  /** How many requests to judges failed. */
  readonly failedJudgements: number;
  /** How many answers of judges could not be read. */
  readonly unreadableJudgements: number;
  readonly spending: Spending;
}

/** A turn as statistics see it. */
export interface ScoredTurn {
  readonly node: string;
  readonly verdict: TurnVerdict;
}

/** What statistics need of a conversation: where it stands, how it ended, and what its outcomes and turns are worth. */
export interface ConversationScore
  extends Omit<
    ConversationSummary,
    "run" | "turnCount" | "failedJudgements" | "unreadableJudgements" | "spending"
  > {
  readonly scenarioHash: string;
  /** The short values of its row, if they were asked for; null without a row, and in runs of earlier versions. */
  readonly rowValues?: JsonObject | null;
  readonly outcomes: ReadonlyMap<string, OutcomeScore>;
  /** The finished turns in order; empty unless they were asked for. */
  readonly turns: readonly ScoredTurn[];
}

/** What of the scores is read. */
export interface ScoreOptions {
  /** True to read turns, too. */
  readonly turns?: boolean;
  /** True to read the values of rows, too. */
  readonly rowValues?: boolean;
  /** Only the conversations of this subject. */
  readonly subject?: string;
}

/** What a resume does again besides going on with what was stopped. */
export interface Retried {
  /** Conversations that failed, or whose judge did. */
  readonly retryErrors?: boolean;
  /** Conversations with answers of judges that could not be read. */
  readonly retryUnreadable?: boolean;
}

/** False of a conversation that a resume goes on with. */
export function staysAsItIs(
  {
    status,
    failedJudgements,
    unreadableJudgements,
  }: Pick<ConversationSummary, "status" | "failedJudgements" | "unreadableJudgements">,
  { retryErrors = false, retryUnreadable = false }: Retried,
): boolean {
  if (retryErrors && (failedJudgements > 0 || status === "error")) return false;
  if (retryUnreadable && unreadableJudgements > 0) return false;
  return status !== null && !isInterrupted(status);
}

/** Which conversations are meant; what is left out is not looked at. */
export interface ConversationFilter {
  readonly scenario?: string;
  readonly subject?: string;
  readonly judge?: string;
  readonly status?: ConversationStatus | null;
  /** The beginning of its name. */
  readonly conversation?: string;
  /** Conversations with these levels of these factors. */
  readonly variant?: Readonly<Record<string, string>>;
}

/** One line of a results table: the conversations of one scenario, subject and judge. */
export interface ResultRow {
  readonly scenario: string;
  readonly subject: string;
  readonly judge: string;
  readonly conversations: number;
  /** In how many arms they continue; absent if in none. */
  readonly arms?: number;
  readonly statuses: Readonly<Partial<Record<ConversationStatus, number>>>;
  /** `unjudged`: the judge could not be asked, or there is none. `unverified`: there is no template. `notVerified`: a gate left them out; absent if there are none. */
  readonly turns: {
    readonly passed: number;
    readonly failed: number;
    readonly unreadable: number;
    readonly unjudged: number;
    readonly unverified: number;
    readonly notVerified?: number;
  };
  /** Who read the turns that are right or wrong: `rules`, or the name of a judge; of `self`, that of the subject. */
  readonly readers: Readonly<Record<string, number>>;
  /** By the name of the outcome: how many are true, false, decided numbers (with their mean), and not decided. */
  readonly outcomes: Readonly<
    Record<
      string,
      {
        readonly yes: number;
        readonly no: number;
        readonly numbers: number;
        readonly mean: number | null;
        /** Not decided, because a reply could not be read. */
        readonly inconclusive: number;
        /** Not decided in a conversation that was cut short, or where the judge could not be asked. */
        readonly infrastructure: number;
        /** Conversations to which the outcome does not apply; absent if there are none. */
        readonly notApplicable?: number;
      }
    >
  >;
  readonly spending: Spending;
  /** Of that, what simulated users took; absent if there were none. */
  readonly simulator?: Spending;
  /** The turns of each node that has a template, and how many of their replies have no verdict. */
  readonly nodes: Readonly<Record<string, NodeTurns>>;
}

/** Turns at a node with a template. */
export interface NodeTurns {
  readonly turns: number;
  readonly unreadable: number;
  /** The judge could not be asked, or there is none. */
  readonly unjudged: number;
}

/** Answered calls that came with a run from elsewhere. */
export interface RunCalls {
  /** The answer to a call, without the work of putting its messages together. A store on a server gives it later. */
  find(identity: string): ModelReply | undefined | Promise<ModelReply | undefined>;
  get(identity: string): RecordedCall | undefined;
  /** Keeps an answer; written together with the events of a run, soon. */
  keep(call: RecordedCall): void;
  readonly size: number;
}

/** A call that is to be made: by this process, or it is answered already because another process made it. */
export type CallClaim =
  | { readonly reply: ModelReply }
  /** To be called when the call is over; what was kept is there for others by then. */
  | { readonly reply?: undefined; readonly release: () => void };

/** The answered calls of a project. */
export interface CallStore extends RunCalls {
  /**
   * Of a store that several processes share: resolves when this process may make a call. While another process makes the same
   * one, its answer is waited for; a process that dies no longer counts. Rejects with the reason of `signal`.
   */
  claim?(identity: string, signal: AbortSignal): Promise<CallClaim>;
  /** Calls that are most like this one: the same beginning of messages first, then the same model. */
  near(request: CallRequest, limit?: number): readonly RecordedCall[];
}

/** What a received run is in the end. */
interface ReceivedEnd {
  readonly run: string;
  readonly tags: readonly string[];
  /** Null if it can be resumed. */
  readonly endedAt: number | null;
  /** True if its calls may answer those of other runs, too. */
  readonly sharesCalls: boolean;
}

/** A run that comes from elsewhere. Nobody sees it before it is whole. */
export interface ReceivedRun extends RunJournal {
  /** Keeps an answer that came with the run. */
  keep(call: RecordedCall): void;
  /** The run is whole; throws if there is another one of its name meanwhile. */
  finish(end: ReceivedEnd): void;
  /** Removes what has come. */
  discard(): void;
}

/** Where runs are written down, and read again. Everything else is computed from it. */
export interface Store {
  readonly calls: CallStore;
  /** Answers that came with a run from elsewhere. They are not among `calls`, so that they answer no other run. */
  callsOf(run: string): RunCalls;
  /** Begins a run with its first event; throws if there is a run of this name. */
  begin(start: RunStart & { readonly at: number }, options?: { readonly parent?: string }): RunJournal;
  /** Begins a run that comes from elsewhere. */
  receive(start: RunStart & { readonly at: number }, options?: { readonly parent?: string }): ReceivedRun;
  /**
   * Goes on with a run that was begun before; throws if there is none. With `isShared`, this process is one of several that write
   * conversations of the run, each its own: whether the run has ended, and who leads it, stays as it is.
   */
  reopen(run: string, options?: { readonly isShared?: boolean }): RunJournal;
  runs(): readonly RunSummary[];
  /** Undefined if there is none; the beginning of a name is enough if it is the only one. */
  run(name: string): RunSummary | undefined;
  /** In the order of results, read as they are asked for. */
  conversations(run: string, filter?: ConversationFilter): Iterable<ConversationSummary>;
  /**
   * The events of a run, in the order they were appended, read as they are asked for; those of one conversation, or with null only
   * those that belong to none.
   */
  events(run: string, conversation?: string | null): Iterable<RunEvent>;
  /** Of a store on a server: the file of its copy. */
  readonly file?: string;
  /** What the conversations of a run are worth, one by one in the order of results. */
  scores(run: string, options?: ScoreOptions): Iterable<ConversationScore>;
  /** By scenario, subject and judge. */
  results(run: string): readonly ResultRow[];
  /** Adds what persons say about replies, also to a run that has ended. Throws if a conversation is not in the run. */
  label(run: string, labels: readonly Omit<Label, "type">[]): void;
  /** What persons said about replies; of several labels by one person on one field, the last. */
  labels(run: string): readonly Label[];
  /** What was counted while the run was written, by scenario, subject, judge, variant and arm: quick for runs of any size. */
  tallies(run: string): readonly CellTally[];
  tag(run: string, tags: readonly string[]): void;
  /** Deletes a run with the answers that came with it; `calls` stay, for they may answer others. */
  delete(run: string): void;
  /** Removes what nothing refers to, and gives the space back. `calls` older than a time may go, too. */
  compact(options?: { readonly callsBefore?: number }): void;
  /** Of a store on a server, which is read from a copy: reads what others have written, of some runs or of all. */
  pull?(runs?: readonly string[]): Promise<void>;
  /** Writes what is left, and closes; of a store on a server, when the server has it. */
  close(): void | Promise<void>;
}

/** How a store's file is opened. */
export interface StoreOptions {
  /** True to read only; the file must then be there (default false). */
  readonly readOnly?: boolean;
  /** True to flush every group of events to the disk; false flushes once a second, so that a power cut loses at most that (default false). */
  readonly durable?: boolean;
  /** How long to wait for another process that is writing (default 10,000). */
  readonly lockTimeoutMs?: number;
  /** Of a store on a server: the runs whose events are read (default: all). */
  readonly runs?: readonly string[];
}
