import { basename, dirname, resolve } from "node:path";
import { nearestOf } from "../../core/schema/nearest-name.ts";
import { countStatuses, isInterrupted } from "../../core/state/state.ts";
import { openStore } from "../../engine/journal/store/open-store.ts";
import {
  isPostgresAddress,
  mayHoldStore,
  shownStore,
} from "../../engine/journal/store/postgres/postgres-address.ts";
import {
  type ConversationSummary,
  type Retried,
  type RunSummary,
  type Store,
  type StoreOptions,
  staysAsItIs,
} from "../../engine/journal/store/store.ts";
import { StoreError } from "../../engine/journal/store/store-error.ts";
import { refuseLinkAway } from "../../system/files/write-whole-file.ts";
import { ProjectError } from "../project/project-error.ts";
import { readLevels } from "../project/short-forms.ts";

/** Opens the store of a project to write to it; it is made if there is none. Never through a link: the folder may be a stranger's. */
export async function openToWrite(
  path: string,
  options: Pick<StoreOptions, "durable" | "runs"> = {},
): Promise<Store> {
  if (!isPostgresAddress(path)) await refuseLinkAway(path, ownerOf(path));
  return openStore(path, options);
}

/** The folder that a store must not leave: that of the project, or the one at hand. */
function ownerOf(path: string): string {
  const folder = dirname(resolve(path));
  return basename(folder) === ".elenchus" ? dirname(folder) : process.cwd();
}

/** Opens the store of a project, where there must be one already, and closes it after `use`. */
export async function withRuns<Result>(
  path: string,
  use: (store: Store) => Result | Promise<Result>,
  { readOnly = true, durable = false }: { readonly readOnly?: boolean; readonly durable?: boolean } = {},
): Promise<Result> {
  if (!mayHoldStore(path))
    throw new ProjectError([`There are no runs in ${path} yet. Start one: elenchus run`]);
  const store = readOnly ? await openStore(path, { readOnly }) : await openToWrite(path, { durable });
  try {
    return await use(store);
  } catch (error) {
    // What no release writes makes readers stumble.
    if (!(error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError))
      throw error;
    const place = shownStore(path);
    const advice =
      "If it was changed or damaged, restore a copy. Otherwise report this, with the output of --debug.";
    const message = `The store ${place} cannot be read: ${error.message.replace(/\.$/, "")}. ${advice}`;
    throw new StoreError("corrupt", message, { path: place, cause: error });
  } finally {
    await store.close();
  }
}

/** Opens the store of a project for reading, if there is one, and closes it after `use`. */
export async function withStoreIfAny<Result>(
  path: string,
  use: (store: Store | undefined) => Promise<Result>,
): Promise<Result> {
  const store = await openStoreIfAny(path);
  try {
    return await use(store);
  } finally {
    await store?.close();
  }
}

/** Opens the store of a project for reading, if there is one. */
export async function openStoreIfAny(path: string): Promise<Store | undefined> {
  if (!mayHoldStore(path)) return undefined;
  try {
    return await openStore(path, { readOnly: true });
  } catch (error) {
    if (error instanceof StoreError && error.code === "missing") return undefined;
    throw error;
  }
}

/** Finds a run by its name or the beginning of it. Without a name: the latest run. */
export function findRun(store: Store, name: string | undefined): RunSummary {
  const byStart = (): readonly RunSummary[] =>
    store.runs().toSorted((one, other) => one.startedAt - other.startedAt);
  const run = name === undefined ? byStart().at(-1) : store.run(name);
  if (run !== undefined) return run;
  if (name === undefined)
    throw new ProjectError(["There are no runs in the store yet. Start one: elenchus run"]);
  const names = store.runs().map((one) => one.run);
  const several = names.filter((one) => one.startsWith(name));
  if (several.length > 1)
    throw new ProjectError([`Several runs begin with "${name}": ${several.join(", ")}. Write more of it.`]);
  const { nearest } = nearestOf(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new ProjectError([`There is no run "${name}".${hint} List the runs: elenchus list`]);
}

/** Finds a conversation by its name or the beginning of it. */
export function findConversation(store: Store, run: string, name: string): ConversationSummary | undefined {
  let found: ConversationSummary | undefined;
  for (const summary of store.conversations(run, { conversation: name })) {
    if (summary.conversation === name) return summary;
    if (found !== undefined)
      throw new ProjectError([`Several conversations begin with "${name}". Write more of it.`]);
    found = summary;
  }
  return found;
}

/** How many conversations a resume would continue. */
export function countOpen(store: Store, summary: RunSummary, retried: Retried = {}): number {
  if (retried.retryErrors || retried.retryUnreadable) {
    let stays = 0;
    for (const one of store.conversations(summary.run)) if (staysAsItIs(one, retried)) stays++;
    return summary.start.conversations + (summary.arms ?? 0) - stays;
  }
  return neverEnded(summary);
}

/** True if a resume would continue a conversation. */
export function isOpen(summary: RunSummary, { retryErrors, retryUnreadable }: Retried): boolean {
  const { statuses, unjudged, unreadable } = summary;
  const again = (retryErrors ? (statuses.error ?? 0) + unjudged : 0) + (retryUnreadable ? unreadable : 0);
  return neverEnded(summary) + again > 0;
}

function neverEnded({ start, statuses, arms = 0 }: RunSummary): number {
  return start.conversations + arms - countStatuses(statuses, (status) => !isInterrupted(status));
}

/** The levels of `--variant`. Throws a `ProjectError` if a factor is missing. */
export function levelsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  const levels = readLevels(texts);
  if (typeof levels === "string") throw new ProjectError([levels]);
  return levels;
}
