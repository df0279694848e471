import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { Cell } from "../journal/run-event.ts";
import { SharedCalls } from "./calls/call-cache.ts";
import type { CellGroup } from "./cell-source.ts";
import { ConversationDriver, foldPlan, type StopReason } from "./conversation-driver.ts";
import type { EarlierRun } from "./earlier-run.ts";
import { recordReplies, storedReplies } from "./records/known-replies.ts";
import type { ConversationPlan } from "./run-context.ts";
import type { RecordedReplies } from "./run-options.ts";
import { conversationId, type RunSetup } from "./set-up-run.ts";
import {
  type Arm,
  armsOf,
  type ConversationRecord,
  type ConversationState,
  conversationRecord,
} from "./step/conversation-state.ts";

/** What groups of conversations are run with. */
interface GroupRunnerParts {
  readonly setup: RunSetup;
  /** What the journal says already; null if nothing has begun before. */
  readonly earlier: EarlierRun | null;
  /** The replies to grade again. */
  readonly recorded?: RecordedReplies | undefined;
  /** A conversation is over, or was before the run was resumed. */
  readonly onRecord: (record: ConversationRecord, cell: Cell) => void;
  /** A conversation was run to its end. */
  readonly onRun?: () => void;
  /** A conversation continues in so many arms. */
  readonly onArms?: (count: number) => void;
}

/** Runs groups of conversations that share their calls, each with the arms in which it continues. */
export class GroupRunner {
  readonly #parts: GroupRunnerParts;
  readonly #active = new Set<ConversationDriver>();
  #stopReason: StopReason | undefined;
  #isSuspended = false;

  constructor(parts: GroupRunnerParts) {
    this.#parts = parts;
  }

  /** How many conversations are under way. */
  get active(): number {
    return this.#active.size;
  }

  /** Ends all conversations at once. */
  abort(reason: StopReason): void {
    this.#stopReason ??= reason;
    for (const driver of this.#active) driver.abort(reason);
  }

  /** Asks nothing new. A conversation ends when its calls in flight have finished. */
  stop(reason: StopReason): void {
    this.#stopReason ??= reason;
    for (const driver of this.#active) driver.stop(reason);
  }

  /** Asks nothing new and ends no conversation: another process goes on with them where their journals end. */
  suspend(): void {
    this.#isSuspended = true;
    for (const driver of this.#active) driver.suspend();
  }

  /** Runs a group. What was finished before stays as it is. Gives false if a conversation was suspended. */
  async run({ cells, row, record }: CellGroup): Promise<boolean> {
    const { setup, earlier } = this.#parts;
    const plans = cells
      .map((cell) => setup.conversation(cell, row))
      // A conversation that is finished may have arms that are not.
      .filter((plan) => !earlier?.isFinished(plan) || hasForks(plan.definition));
    const shared = plans.length > 1 ? new SharedCalls() : undefined;
    const ran = await Promise.all(plans.map((plan) => this.#runTree({ ...plan, shared, record })));
    return ran.every((isOver) => isOver);
  }

  /** The record of a conversation that was finished before the run was resumed; null if it never began. */
  async finished(plan: ConversationPlan): Promise<ConversationRecord | null> {
    const state = await this.#folded(plan);
    return state === null ? null : recordOf(plan, state);
  }

  /** Runs a conversation, and then the arms in which it continues. */
  async #runTree(plan: ConversationPlan): Promise<boolean> {
    const { setup, earlier, onArms } = this.#parts;
    const state = earlier?.isFinished(plan) ? await this.#finishedBefore(plan) : await this.#runOne(plan);
    if (state === null) return false;
    const arms = armPlans(plan, state, setup.conversations);
    if (arms.length === 0) return true;
    onArms?.(arms.length);
    return (await Promise.all(arms.map((arm) => this.#runTree(arm)))).every((isOver) => isOver);
  }

  /** The state of a conversation that was finished before the run was resumed. Arms are recorded here, the others at the end. */
  async #finishedBefore(plan: ConversationPlan): Promise<ConversationState> {
    // What is finished has begun.
    const state = (await this.#folded(plan)) as ConversationState;
    if (plan.from !== undefined) this.#parts.onRecord(recordOf(plan, state), plan.cell);
    return state;
  }

  /** Where a conversation stands according to its journal. */
  async #folded(plan: ConversationPlan): Promise<ConversationState | null> {
    const { state } = await foldPlan(plan, this.#parts.earlier?.journal(plan) ?? []);
    return state;
  }

  /** Null if the conversation was suspended. */
  async #runOne(plan: ConversationPlan, before?: ConversationDriver): Promise<ConversationState | null> {
    const { setup, earlier, recorded, onRecord, onRun } = this.#parts;
    const graded = recorded?.of(plan.cell);
    const replies =
      graded !== undefined && before === undefined
        ? storedReplies(graded, recorded?.reruns === true)
        : plan.record !== undefined
          ? recordReplies(plan.record, plan.from?.fork.turn)
          : undefined;
    if (this.#isSuspended) return null;
    // What began again is asked anew.
    const driver = new ConversationDriver(setup.context, {
      ...plan,
      ...(replies === undefined ? {} : { replies }),
    });
    if (this.#stopReason !== undefined) driver.stop(this.#stopReason);
    this.#active.add(driver);
    const journal = earlier?.journal(plan);
    const running =
      before !== undefined
        ? driver.beginAgain(before)
        : journal === undefined
          ? driver.start()
          : driver.resume(journal, earlier as EarlierRun);
    const record = await Promise.race([running, driver.suspended]);
    this.#active.delete(driver);
    if (record === null && driver.beginsAgain && !this.#isSuspended) return this.#runOne(plan, driver);
    if (record === null) return null;
    if (graded !== undefined) recorded?.onEnd(graded, record, plan.cell);
    onRecord(record, plan.cell);
    onRun?.();
    return driver.state;
  }
}

function recordOf({ definition }: ConversationPlan, state: ConversationState): ConversationRecord {
  return conversationRecord(
    state,
    armsOf(definition, state).map(({ name }) => name),
  );
}

/** True of a scenario whose conversations may continue in several arms. */
export function hasForks({ edges }: ScenarioDefinition): boolean {
  return edges.some(({ fork }) => fork !== undefined);
}

/** The conversations in which one continues that has ended at a fork; none for any other. */
export function armPlans(
  plan: ConversationPlan,
  state: ConversationState,
  /** How many conversations the run has, without arms. */
  conversations: number,
): readonly ConversationPlan[] {
  return armsOf(plan.definition, state).map((arm) => {
    const { name, edge, target } = arm;
    const cell = {
      ...plan.cell,
      index: armIndex(plan, arm, conversations),
      arm: name,
      parent: plan.cell.index,
    };
    const fork = { parent: plan.conversation, turn: state.turns?.length ?? 0, edge, target };
    const { record, sources } = plan;
    return {
      ...plan,
      conversation: conversationId(cell),
      cell,
      from: { state, fork },
      ...(sources === undefined ? {} : { sources: sources.forArm(cell) }),
      ...(record === undefined
        ? {}
        : { record: { ...(record.arms?.get(name) ?? NO_RECORD), arms: record.arms } }),
    };
  });
}

const NO_RECORD = Object.freeze({ turns: Object.freeze([]) });

/**
 * The position of an arm among the results: after all conversations without arms, and the same whichever arm is begun first. The
 * arms of an arm count on in the same way.
 */
function armIndex({ definition, cell }: ConversationPlan, { ordinal }: Arm, conversations: number): number {
  const most = Math.max(...definition.edges.map(({ fork = [] }) => fork.length));
  const parent = Math.floor(cell.index / conversations);
  return (cell.index % conversations) + conversations * (parent * (most + 1) + ordinal);
}
