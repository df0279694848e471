import { RunError } from "../journal/run-error.ts";
import type { Cell } from "../journal/run-event.ts";
import type { Store } from "../journal/store/store.ts";
import type { Model } from "../models/model.ts";
import { ModelError } from "../models/model-error.ts";
import { startedWith } from "./earlier-run.ts";
import { type HeldConversation, heldConversation } from "./recorded-conversation.ts";
import type { RunOptions, SubjectOption } from "./run-options.ts";
import { type Run, startRun } from "./run-scenarios.ts";
import { type Divergence, findDivergence } from "./step/divergence.ts";

/** With what stored replies are verified again. */
export interface RegradeOptions extends Omit<RunOptions, "subjects" | "resume" | "parent"> {
  readonly store: Store;
  /** The subjects of the run, if conversations that go another way are to be held again from there. */
  readonly subjects?: SubjectOption | readonly SubjectOption[];
  /** True to hold conversations again from where they go another way (default false). */
  readonly rerun?: boolean;
}

/** A run that verifies stored replies again. */
export interface Regrading extends Run {
  /** The conversations that would now take another edge, each with the hop that differs. */
  readonly divergences: Promise<readonly Divergence[]>;
}

/**
 * Verifies the replies of a run against changed templates, rubrics, judges or outcomes, into a new run that is linked to it.
 * Nobody asks the subject again, unless a conversation goes another way and `rerun` says so; without it, such a conversation
 * ends there as `cancelled`, and its outcomes are inconclusive.
 */
export function regrade(name: string, options: RegradeOptions): Regrading {
  const { rerun = false, store, ...rest } = options;
  const summary = store.run(name);
  if (summary === undefined) throw new RunError([`There is no run "${name}" in the store.`]);
  if (rerun && rest.subjects === undefined)
    throw new RunError(["To hold conversations again, give the `subjects` of the run."]);
  const subjects = rest.subjects ?? summary.start.subjects.map(silent);
  const held = heldConversations(store, summary.run);
  const run = startRun(
    { ...startedWith(summary.start), ...rest, subjects, store, parent: summary.run },
    { held, reruns: rerun },
  );
  return {
    get results() {
      return run.results;
    },
    get divergences() {
      return run.results.then((records) =>
        records.flatMap((record) => findDivergence(held(record), record) ?? []),
      );
    },
    stop: () => run.stop(),
    [Symbol.asyncIterator]: () => run[Symbol.asyncIterator](),
  };
}

/** What was said in the cell of a run; judges have all read the same, so any of them will do. */
function heldConversations(store: Store, run: string): (cell: Cell) => HeldConversation {
  const conversations = new Map<string, string>();
  for (const { conversation, scenario, subject, replicate, row } of store.conversations(run)) {
    const key = JSON.stringify([scenario, subject, replicate, row]);
    if (!conversations.has(key)) conversations.set(key, conversation);
  }
  return ({ scenario, subject, replicate, row = null }) => {
    const conversation = conversations.get(JSON.stringify([scenario, subject, replicate, row]));
    if (conversation !== undefined) return heldConversation(store.events(run, conversation));
    return { turns: [], stop: { type: "conversation-stop", conversation: "", status: "cancelled" } };
  };
}

/** Stands for a subject that is not asked. */
function silent(name: string): Model {
  return {
    name,
    identity: { provider: "stored", model: name },
    account: "stored",
    price: null,
    reply: () => Promise.reject(new ModelError("cancelled", `${name} is not asked again.`)),
  };
}
