import type { ConversationStatus } from "../../core/state/state.ts";
import { canonicalJson, type JsonObject, withoutUndefined } from "../../core/values/json.ts";
import { itemKey, itemName } from "../journal/cell.ts";
import { RunError } from "../journal/failure.ts";
import type { RunEvent, RunStart } from "../journal/run-event.ts";
import { type ConversationSummary, type Store, staysAsItIs } from "../journal/store/store.ts";
import type { Retries } from "./conversation-driver.ts";
import type { ConversationPlan } from "./run-context.ts";
import type { RunInternals, RunOptions } from "./run-options.ts";
import type { RunSetup } from "./set-up-run.ts";

/** What the journal of a run says when the run is resumed. */
export interface EarlierRun extends Retries {
  /** True if nothing is left to do. */
  isFinished(plan: ConversationPlan): boolean;
  /** The status of a finished conversation. */
  statusOf(plan: ConversationPlan): ConversationStatus;
  /** Undefined if the conversation has not started. */
  journal(plan: ConversationPlan): Iterable<RunEvent> | undefined;
}

/** The options of a run that its journal has: defaults for a resume and for regrading. */
export function startedWith({ seed, replicates, configuration }: RunStart): Partial<RunOptions> {
  const { turnLimit, judging, reading, detectRefusal, toolSteps, shard } = configuration;
  // The configuration was written by `setUpRun` from options of these types.
  return {
    seed,
    replicates,
    ...withoutUndefined({ turnLimit, judging, reading, detectRefusal, toolSteps, shard }),
  } as unknown as Partial<RunOptions>;
}

/** Throws `RunError` if a run was started with other options than those it is resumed with. */
export function refuseChanges(store: Store, start: RunStart): void {
  const summary = store.run(start.run);
  if (summary === undefined) throw new RunError([`There is no run "${start.run}" in the store.`]);
  const changes = differences(summary.start, start);
  if (changes.length === 0) return;
  throw new RunError([cannotResume(start.run), ...changes]);
}

/** Throws `RunError` if rows of which a run has conversations have changed since it was started. */
export async function refuseChangedRows(store: Store, { start, factors, itemHash }: RunSetup): Promise<void> {
  const stored = new Map<string, ConversationSummary>();
  for (const summary of store.conversations(start.run))
    if (summary.itemHash !== null) stored.set(summary.item, summary);
  const changed: string[] = [];
  for (const { name: scenario, dataset } of stored.size === 0 ? [] : factors.scenarios)
    for await (const { id, values } of dataset ?? []) {
      const before = stored.get(itemKey({ scenario, row: id }));
      if (before !== undefined && before.itemHash !== itemHash(scenario, values))
        changed.push(itemName(before));
    }
  if (changed.length > 0)
    throw new RunError([cannotResume(start.run), `${changedRows(changed)}, since the run was started.`]);
}

/** How many rows have changed, and some of them. */
function changedRows(items: readonly string[]): string {
  const [count, shown] = [items.length, items.slice(0, 5).join(", ")];
  return `${count === 1 ? "1 row has" : `${count} rows have`} changed (${shown}${count > 5 ? ", …" : ""})`;
}

function cannotResume(run: string): string {
  return `The run "${run}" cannot be resumed, because what it was started with has changed. Start a new run: answers that are still right come from the store.`;
}

/** Reads what a resume needs from the store. */
export function earlierRun(
  store: Store,
  run: string,
  resume: NonNullable<RunInternals["resume"]>,
): EarlierRun {
  const statuses = new Map<string, ConversationStatus | null>();
  const open = new Set<string>();
  for (const summary of store.conversations(run)) {
    statuses.set(summary.conversation, summary.status);
    if (!staysAsItIs(summary, resume)) open.add(summary.conversation);
  }
  return {
    retriesErrors: resume.retryErrors,
    retriesUnreadable: resume.retryUnreadable,
    isFinished: ({ conversation }) => statuses.has(conversation) && !open.has(conversation),
    // A finished conversation has a status.
    statusOf: ({ conversation }) => statuses.get(conversation) as ConversationStatus,
    journal: ({ conversation }) => (statuses.has(conversation) ? store.events(run, conversation) : undefined),
  };
}

/** Limits of time and money do not shape answers. */
const MAY_CHANGE: readonly string[] = ["timeouts", "budget"];

/** The differences, in sentences. */
export function differences(before: RunStart, now: RunStart): readonly string[] {
  const parts = (start: RunStart): Readonly<Record<string, unknown>> => {
    const { seed, subjects, judges, replicates, scenarios, configuration } = start;
    const settings = Object.entries(configuration).map(([key, value]) => [`\`${key}\``, value] as const);
    const hashes = Object.entries(scenarios).map(([name, hash]) => [`The scenario "${name}"`, hash] as const);
    const named = { "The seed": seed, "The list of subjects": subjects, "The list of judges": judges };
    return {
      ...named,
      "The number of replicates": replicates,
      ...Object.fromEntries(hashes),
      ...Object.fromEntries(settings.filter(([key]) => !MAY_CHANGE.includes(key.slice(1, -1)))),
    };
  };
  const [was, is] = [parts(before), parts(now)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((key) => canonicalJson(was[key]) !== canonicalJson(is[key]))
    .map((key) => {
      if (was[key] === undefined) return `${key} was not part of it.`;
      if (is[key] === undefined) return `${key} is missing.`;
      if (key.startsWith("The scenario")) return `${key} has changed: its content has another hash.`;
      return `${key} was ${shown(was[key])} and is ${shown(is[key])}.`;
    });
}

function shown(value: unknown): string {
  const text = canonicalJson(value as JsonObject);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
