import { memoize } from "../../core/lazy.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { parseScenario } from "../../core/scenario/parse-scenario.ts";
import { DefinitionError } from "../../core/schema/format-issue.ts";
import type { ConversationStatus } from "../../core/state/state.ts";
import { RunError } from "../journal/failure.ts";
import { type Conversation, foldConversation } from "../journal/fold/conversation.ts";
import { definitionsIn } from "../journal/fold/run.ts";
import type { RunEvent, RunEventBody, RunStart } from "../journal/run-event.ts";
import type { ServerStore } from "../journal/store/postgres/server-store.ts";
import { type RunJournal, staysAsItIs } from "../journal/store/store.ts";
import { systemClock } from "../run/calls/clock.ts";
import type { CellGroup } from "../run/cell-source.ts";
import type { StopReason } from "../run/conversation-driver.ts";
import { differences, type EarlierRun } from "../run/earlier-run.ts";
import { GroupRunner } from "../run/group-runner.ts";
import type { ConversationPlan } from "../run/run-context.ts";
import type { RunOptions } from "../run/run-options.ts";
import { allModels, conversationId, type RunSetup, setUpRun } from "../run/set-up-run.ts";
import { SharedBudget } from "./shared-budget.ts";
import { type OwnParts, optionsOf, refuseAddresses, type WorkSheet } from "./work-sheet.ts";
import type { WorkState, WorkTables } from "./work-tables.ts";

/** What a worker needs for a run. */
interface HostedRunParts {
  readonly run: string;
  readonly sheet: WorkSheet;
  readonly sheetHash: string;
  readonly store: ServerStore;
  readonly tables: WorkTables;
  /** The worker's own keys, addresses, tools and code. */
  readonly own: OwnParts;
  /** Called once if nothing can be written any more. */
  readonly fail: (error: unknown) => void;
}

/** How a job ended, and which conversations it had. */
interface HostedJob {
  /** False if conversations were suspended. */
  readonly isOver: boolean;
  readonly conversations: readonly string[];
  readonly errors: number;
}

const STOPPED: StopReason = { status: "cancelled", message: "The run was stopped." };

/** A conversation whose workers all die is given up after this many. */
const MOST_TAKEOVERS = 20;
const GIVEN_UP: StopReason = {
  status: "error",
  message: `More than ${MOST_TAKEOVERS} workers have died while they ran this conversation. Look for the reason in their logs, and resume with --retry-errors.`,
};

/** A run of which this process runs some conversations, together with other processes. */
export class HostedRun {
  readonly run: string;
  readonly #parts: HostedRunParts;
  readonly #journal: RunJournal;
  readonly #setup: RunSetup;
  readonly #budget: SharedBudget | undefined;
  readonly #groups = new Set<GroupRunner>();
  /** Rejects if nothing can be written any more. */
  readonly #failure: Promise<never>;
  #state: WorkState = "running";
  #isSuspended = false;

  private constructor(
    parts: HostedRunParts,
    opened: {
      readonly journal: RunJournal;
      readonly setup: RunSetup;
      readonly budget: SharedBudget | undefined;
      readonly failure: Promise<never>;
    },
  ) {
    this.run = parts.run;
    this.#parts = parts;
    this.#journal = opened.journal;
    this.#setup = opened.setup;
    this.#budget = opened.budget;
    this.#failure = opened.failure;
  }

  /** Opens a run. Throws `RunError` with what this worker lacks. */
  static async open(parts: HostedRunParts): Promise<HostedRun> {
    const { run, sheet, store, tables, own } = parts;
    const failure = Promise.withResolvers<never>();
    // It may reject before anything waits for it.
    failure.promise.catch(() => {});
    const fail = (error: unknown): void => {
      failure.reject(error);
      parts.fail(error);
    };
    // Of the runs whose answers it may use, everything is needed here.
    const { useCalls = [] } = sheet.options as Pick<RunOptions, "useCalls">;
    await store.pull(useCalls);
    const start = store.run(run)?.start;
    if (start === undefined) throw new RunError([`There is no run "${run}" in the store.`]);
    const scenarios = await scenariosOf(store, start, { own, coded: sheet.coded });
    const options: RunOptions = { ...optionsOf(sheet, own), scenarios, store, run };
    // The time of a run is limited by the clock of the server.
    const { runMs: _runMs, ...timeouts } = options.timeouts ?? {};
    const { budget: limits = {} } = options;
    const budget =
      Object.keys(limits).length === 0
        ? undefined
        : new SharedBudget({ limits, fail, spend: (spend) => tables.spend(run, spend) });
    const journal = store.reopen(run, { isShared: true });
    const emit = (body: RunEventBody): void => {
      const event: RunEvent = { ...body, at: Math.round(systemClock.now()) };
      journal.append(event);
    };
    const setup = await setUpRun(
      { ...options, timeouts },
      {
        clock: systemClock,
        joined: start,
        budget,
        isResumed: true,
        emit,
        durable: () => journal.durable(),
        fail,
      },
    );
    // Everything that shapes answers must be as it was when the run began.
    const changes = differences(
      comparable(start),
      comparable({ ...setup.start, conversations: start.conversations }),
    );
    if (changes.length > 0) {
      await setup.close();
      throw new RunError([`This worker would ask differently than the run "${run}" was begun.`, ...changes]);
    }
    return new HostedRun(parts, { journal, setup, budget, failure: failure.promise });
  }

  /** True if the run must be opened again: it was stopped, or resumed with other options. */
  isOutdated(sheetHash: string): boolean {
    return this.#state !== "running" || sheetHash !== this.#parts.sheetHash;
  }

  /** The accounts that it asks. */
  get accounts(): readonly string[] {
    const { context } = this.#setup;
    return [...new Set(allModels(context).map(({ account }) => account))];
  }

  /** Divides the caps of accounts among workers. */
  share(workers: ReadonlyMap<string, number>): void {
    this.#setup.caller.share((account) => workers.get(account) ?? 1);
  }

  /** Runs the conversations of a job that are not finished, from where their journals end; in a new job, none has started. */
  async runJob(
    group: CellGroup,
    { isNew, takeovers }: { readonly isNew: boolean; readonly takeovers: number },
  ): Promise<HostedJob> {
    const plans = group.cells.map((cell) => this.#setup.conversation(cell, group.row));
    const conversations = new Set(plans.map(({ conversation }) => conversation));
    let errors = 0;
    const groups = new GroupRunner({
      setup: this.#setup,
      earlier: await this.#earlier(conversations, isNew),
      onRecord: ({ status }) => {
        if (status === "error") errors++;
      },
    });
    this.#groups.add(groups);
    if (takeovers > MOST_TAKEOVERS) groups.stop(GIVEN_UP);
    this.#apply(groups);
    try {
      const isOver = await Promise.race([groups.run(group), this.#failure]);
      await this.#journal.durable();
      return { isOver, conversations: [...conversations], errors };
    } finally {
      this.#groups.delete(groups);
    }
  }

  /** Applies the state of the run; true if it has changed. */
  follow(state: WorkState): boolean {
    if (state === this.#state || state === "running") return false;
    this.#state = state;
    for (const groups of this.#groups) this.#apply(groups);
    this.#setup.caller.stopWaiting(STOPPED.message);
    return true;
  }

  /** Makes no new calls and ends no conversation: other workers continue them. */
  suspend(): void {
    this.#isSuspended = true;
    for (const groups of this.#groups) groups.suspend();
  }

  async close(): Promise<void> {
    for (const groups of this.#groups) groups.suspend();
    await this.#setup.close();
    await this.#budget?.close();
  }

  #apply(groups: GroupRunner): void {
    if (this.#isSuspended) groups.suspend();
    if (this.#state === "stopping") groups.stop(STOPPED);
    if (this.#state === "aborting") groups.abort(STOPPED);
    if (this.#state === "timeout")
      groups.abort({ status: "timeout", message: "The run took longer than it may." });
  }

  /** What the journal says about the conversations of a job. Arms are added to its conversations when they are met. */
  async #earlier(conversations: Set<string>, isNew: boolean): Promise<EarlierRun> {
    const { retryErrors = false, retryUnreadable = false } = this.#parts.sheet.resume ?? {};
    const events = isNew ? new Map<string, RunEvent[]>() : await this.#eventsOf([...conversations]);
    const folded = new Map<string, Conversation>();
    const stateOf = ({ conversation }: ConversationPlan): Conversation | undefined => {
      conversations.add(conversation);
      const own = events.get(conversation);
      return own === undefined ? undefined : memoize(folded, conversation, () => foldConversation(own));
    };
    return {
      retriesErrors: retryErrors,
      retriesUnreadable: retryUnreadable,
      isFinished: (plan) => {
        const state = stateOf(plan);
        if (state === undefined) return false;
        const { status, judges } = state;
        const judged = { failedJudgements: judges.failed, unreadableJudgements: judges.unreadable };
        return staysAsItIs({ status, ...judged }, { retryErrors, retryUnreadable });
      },
      // A finished conversation has a status.
      statusOf: (plan) => stateOf(plan)?.status as ConversationStatus,
      journal: (plan) => {
        stateOf(plan);
        return events.get(plan.conversation);
      },
    };
  }

  /** The events of conversations, and of the arms in which these continue. */
  async #eventsOf(conversations: readonly string[]): Promise<Map<string, RunEvent[]>> {
    const { store, run } = this.#parts;
    const found = new Map<string, RunEvent[]>();
    for (let wanted = conversations; wanted.length > 0; ) {
      const arms = new Set<string>();
      for (const event of await store.eventsOf(run, wanted)) {
        if (!("conversation" in event) || event.conversation === undefined) continue;
        memoize(found, event.conversation, () => []).push(event);
        if (event.type !== "conversation-end") continue;
        for (const arm of event.arms ?? []) arms.add(conversationId({ ...event.cell, arm }));
      }
      wanted = [...arms].filter((name) => !found.has(name));
    }
    return found;
  }
}

/** The source of rows is not compared: rows come with the conversations. */
function comparable({ configuration, ...start }: RunStart): RunStart {
  const { datasets: _datasets, ...rest } = configuration;
  return { ...start, configuration: rest };
}

/** The scenarios of a run: as the journal keeps them, or of the worker's project file where they are code. */
async function scenariosOf(
  store: ServerStore,
  { run, scenarios }: RunStart,
  { own, coded }: { readonly own: OwnParts; readonly coded: readonly string[] },
): Promise<readonly ScenarioDefinition[]> {
  const found = new Map<string, ScenarioDefinition>();
  for (const { scenario, definition } of definitionsIn(await store.eventsOf(run, null))) {
    if (coded.includes(scenario)) continue;
    try {
      found.set(scenario, parseScenario(JSON.parse(definition)));
    } catch (error) {
      // It may be code.
      if (!(error instanceof DefinitionError)) throw error;
    }
  }
  const isRight = (name: string): boolean => found.get(name)?.hash === scenarios[name];
  const missing = Object.keys(scenarios).filter((name) => !isRight(name));
  if (missing.length > 0)
    for (const definition of await own.scenarios())
      if (missing.includes(definition.name)) found.set(definition.name, definition);
  const wrong = missing.filter((name) => !isRight(name));
  if (wrong.length > 0)
    throw new RunError(
      wrong.map(
        (name) =>
          `The scenario "${name}" has code, and the project file of this worker does not have it in the same version. Start the worker with the project file of the run: --config`,
      ),
    );
  const kept = Object.keys(scenarios).filter((name) => !missing.includes(name));
  refuseAddresses(
    kept.map((name) => found.get(name) as ScenarioDefinition),
    own,
  );
  // All of them are right.
  return Object.keys(scenarios).map((name) => found.get(name) as ScenarioDefinition);
}
