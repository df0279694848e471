import { type ConversationStatus, isInterrupted } from "../../../core/state/state.ts";
import type { ErrorCategory } from "../../models/model-error.ts";
import type { RunFailure } from "../failure.ts";
import { JudgeStreaks } from "../judge-health.ts";
import type {
  CallEnd,
  CallRetry,
  CallStart,
  OutageEvent,
  RunEvent,
  RunEventBody,
  RunStart,
  ScenarioDefine,
  Warning,
} from "../run-event.ts";
import { noVerdicts, type TurnVerdict, turnVerdict, type VerdictCounts } from "../turn.ts";

/** A sum of which some parts may be unknown: `known` is then the least it can be. */
export interface PartlyKnown {
  known: number;
  /** How many parts are unknown. */
  unknown: number;
}

/** Counts what happened in a run, or with one of its subjects. Takes the same memory however much happens. */
export class RunTally {
  /** Conversations that are over: nothing is left to do when the run is resumed. */
  finished = 0;
  /** Conversations that were cut short: by the person, a limit of time, or the budget. */
  cutShort = 0;
  /** Replies of subjects. */
  replies = 0;
  /** Finished turns. */
  turns = 0;
  readonly verdicts: VerdictCounts = noVerdicts();
  /** Judges that do not work. */
  readonly judges: JudgeStreaks = new JudgeStreaks();
  /** Calls of models that were made, answered or not. */
  calls = 0;
  /** Of these, calls that were sent and have no usable answer. */
  unanswered = 0;
  /** Answers that were known already. */
  cached = 0;
  retries = 0;
  /** Why the latest call was made again. */
  lastRetry: CallRetry | undefined;
  readonly tokens: PartlyKnown = { known: 0, unknown: 0 };
  /** In USD. */
  readonly cost: PartlyKnown = { known: 0, unknown: 0 };
  /** Conversations that failed, and turns whose judge could not be asked. */
  readonly errors: Map<ErrorCategory, number> = new Map();
  /** How many conversations ended with a failure, of whatever kind. */
  failures = 0;
  /** The failures of the first and of the latest of them. */
  firstFailure: RunFailure | undefined;
  lastFailure: RunFailure | undefined;

  get errorCount(): number {
    return [...this.errors.values()].reduce((sum, count) => sum + count, 0);
  }

  apply(event: RunEventBody): void {
    switch (event.type) {
      case "turn-reply":
        this.replies++;
        break;
      case "turn-judgement":
        for (const answered of event.judges ?? []) this.judges.add(answered);
        break;
      case "turn-end":
        this.turns++;
        this.verdicts[turnVerdict(event.result)]++;
        this.#countError(event.result.judgeFailure?.category);
        break;
      case "conversation-end":
        if (isInterrupted(event.status)) this.cutShort++;
        else this.finished++;
        this.#fail(event.failure);
        break;
      case "retry":
        this.retries++;
        this.lastRetry = event;
        break;
      case "call-end":
        this.#countCall(event);
        break;
    }
  }

  /** Adds what another has counted. */
  merge(other: RunTally): void {
    for (const count of [
      "finished",
      "cutShort",
      "replies",
      "turns",
      "calls",
      "unanswered",
      "cached",
      "retries",
      "failures",
    ] as const)
      this[count] += other[count];
    for (const verdict of Object.keys(this.verdicts) as TurnVerdict[])
      this.verdicts[verdict] += other.verdicts[verdict];
    for (const sum of ["tokens", "cost"] as const) {
      this[sum].known += other[sum].known;
      this[sum].unknown += other[sum].unknown;
    }
    for (const [category, count] of other.errors)
      this.errors.set(category, (this.errors.get(category) ?? 0) + count);
    this.firstFailure ??= other.firstFailure;
    this.lastFailure = other.lastFailure ?? this.lastFailure;
  }

  #fail(failure: RunFailure | undefined): void {
    // They have a status of their own, and say nothing about models.
    if (failure === undefined || failure.category === "mismatch" || failure.category === "contract") return;
    this.failures++;
    this.firstFailure ??= failure;
    this.lastFailure = failure;
    this.#countError(failure.category);
  }

  #countCall({ cached, cost, usage, unanswered }: CallEnd): void {
    if (unanswered !== undefined) {
      this.calls += unanswered.calls;
      this.unanswered += unanswered.calls;
      addTo(this.cost, unanswered.cost);
      addTo(this.tokens, unanswered.tokens);
    }
    // Uses of tools and calls that failed have no cost, not even an unknown one.
    if (cost === undefined) return;
    if (cached) {
      this.cached++;
      return;
    }
    this.calls++;
    addTo(this.cost, cost);
    addTo(this.tokens, usage === undefined ? null : usage.inputTokens + usage.outputTokens);
  }

  #countError(category: ErrorCategory | undefined): void {
    if (category === undefined || NO_ERRORS.has(category)) return;
    this.errors.set(category, (this.errors.get(category) ?? 0) + 1);
  }
}

/** A run that was stopped, or ran out of its budget, did what it was asked to. */
const NO_ERRORS: ReadonlySet<ErrorCategory> = new Set(["cancelled", "budget", "mismatch", "contract"]);

function addTo(sum: PartlyKnown, part: number | null): void {
  if (part === null || !Number.isFinite(part)) sum.unknown++;
  else sum.known += part;
}

/** The fold of the events of a run. Takes memory for the conversations under way, not for those that are over. */
export class RunFold {
  readonly overall: RunTally = new RunTally();
  /** By the name of the subject, in the order of the run. */
  readonly subjects: Map<string, RunTally> = new Map();
  readonly warnings: KeptWarnings = new KeptWarnings();
  /** Accounts whose servers cannot be reached, by name. */
  readonly outages: Map<string, OutageEvent & Pick<RunEvent, "at">> = new Map();
  /** The first event, with its time. */
  start: (RunStart & { readonly at: number }) | undefined;
  endedAt: number | undefined;
  /** How many conversations there are, as far as is known: forks make more of them. */
  planned = 0;
  /** How many conversations ended how; known at the end of the run. */
  statuses: Readonly<Partial<Record<ConversationStatus, number>>> | undefined;
  /** The models of calls that were begun and have no answer yet, by call. */
  readonly #calls = new Map<string, string>();
  /** The tally of each conversation that is under way. */
  readonly #running = new Map<string, RunTally>();

  /** How many conversations are under way. */
  get running(): number {
    return this.#running.size;
  }

  /** Calls that were begun and have no answer yet. */
  get inFlight(): number {
    return this.#calls.size;
  }

  /** How many answers of which model are waited for; the model with most of them first. */
  get awaited(): readonly (readonly [model: string, count: number])[] {
    const counts = new Map<string, number>();
    for (const model of this.#calls.values()) counts.set(model, (counts.get(model) ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one);
  }

  /** Takes in an event; the events of a run in their order. */
  apply(event: RunEvent): void {
    this.overall.apply(event);
    if ("conversation" in event && event.conversation !== undefined)
      this.#running.get(event.conversation)?.apply(event);
    switch (event.type) {
      case "run-start":
        this.start = event;
        this.planned = event.conversations;
        for (const subject of event.subjects) this.#subject(subject);
        break;
      case "run-end":
        this.endedAt = event.at;
        this.statuses = event.statuses;
        // Calls that were given up may have no end of their own.
        this.#calls.clear();
        break;
      case "conversation-start":
        this.#running.set(event.conversation, this.#subject(event.cell.subject));
        break;
      case "conversation-resume":
        // Its subject is known at its end.
        this.#running.set(event.conversation, new RunTally());
        break;
      case "conversation-end": {
        const subject = this.#subject(event.cell.subject);
        const tally = this.#running.get(event.conversation);
        if (tally === undefined) subject.apply(event);
        else if (tally !== subject) subject.merge(tally);
        this.#running.delete(event.conversation);
        break;
      }
      case "call-start":
        this.#calls.set(`${event.conversation} ${event.call}`, event.model);
        break;
      case "call-end":
        this.#calls.delete(`${event.conversation} ${event.call}`);
        break;
      case "progress":
        this.planned = Math.max(this.planned, event.total);
        break;
      case "warning":
        this.warnings.add(event);
        break;
      case "outage":
        if (event.status === "end") this.outages.delete(event.account);
        else this.outages.set(event.account, event);
        break;
    }
  }

  #subject(name: string): RunTally {
    let tally = this.subjects.get(name);
    if (tally === undefined) {
      tally = new RunTally();
      this.subjects.set(name, tally);
    }
    return tally;
  }
}

/** A warning, and how often it was given. */
interface CountedWarning extends Warning {
  count: number;
}

/** How many different warnings are kept. */
const KEPT = 20;

/** The warnings of a run: the first that differ are kept, all are counted. */
class KeptWarnings {
  readonly #kept = new Map<string, CountedWarning>();
  #count = 0;
  #dropped = 0;
  #last: Warning | undefined;

  /** In the order in which they were first given. */
  get kept(): readonly CountedWarning[] {
    return [...this.#kept.values()];
  }

  /** How many were given, kept or not. */
  get count(): number {
    return this.#count;
  }

  get last(): Warning | undefined {
    return this.#last;
  }

  /** How many were given that are not kept, because there were too many kinds before them. */
  get dropped(): number {
    return this.#dropped;
  }

  add(warning: Warning): void {
    this.#count++;
    this.#last = warning;
    const key = `${warning.code} ${warning.message}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) kept.count++;
    else if (this.#kept.size < KEPT) this.#kept.set(key, { ...warning, count: 1 });
    else this.#dropped++;
  }
}

/** The scenarios that a run was begun with; they come before the first conversation. */
export function* definitionsIn(events: Iterable<RunEvent>): Generator<ScenarioDefine & Pick<RunEvent, "at">> {
  for (const event of events) {
    if ("conversation" in event && event.conversation !== undefined) return;
    if (event.type === "scenario-define") yield event;
  }
}

/** True of an event that a journal keeps. How far a run is follows from the others. */
export function isKept(event: RunEventBody): boolean {
  return event.type !== "progress";
}

/** When the run ended, if this event says so. */
export function endOfRun(event: RunEvent): number | undefined {
  return event.type === "run-end" ? event.at : undefined;
}

/** The identity of the call that an event begins; undefined of other events, and of calls of tools. */
export function callIdentity(event: RunEventBody): string | undefined {
  return event.type === "call-start" ? event.identity : undefined;
}

/** The calls that ended, each with how it started, in the order of their ends. */
export function* endedCalls(
  events: Iterable<RunEventBody>,
): Generator<CallStart & Pick<CallEnd, "cached" | "failure">> {
  const started = new Map<string, CallStart>();
  for (const event of events) {
    if (event.type !== "call-start" && event.type !== "call-end") continue;
    const key = `${event.conversation} ${event.call}`;
    if (event.type === "call-start") {
      started.set(key, event);
      continue;
    }
    const start = started.get(key);
    started.delete(key);
    if (start === undefined) continue;
    const { cached, failure } = event;
    yield { ...start, cached, ...(failure === undefined ? {} : { failure }) };
  }
}

/** What a person who watches should read at once: a call that is made again, or a warning. */
export function noticeIn(event: RunEventBody): CallRetry | Warning | undefined {
  return event.type === "retry" || event.type === "warning" ? event : undefined;
}
