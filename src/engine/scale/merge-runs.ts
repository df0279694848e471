import type { ConversationStatus } from "../../core/state/state.ts";
import { sha256 } from "../../core/values/hash.ts";
import { isRecord } from "../../core/values/json.ts";
import { RunError } from "../journal/failure.ts";
import { callIdentity, endOfRun } from "../journal/fold/run.ts";
import { JudgeTally, judgeHealth } from "../journal/judge-health.ts";
import type { RunEnd, RunEvent, RunStart } from "../journal/run-event.ts";
import { addSpending, NOTHING_SPENT } from "../journal/spending.ts";
import type { ConversationSummary, ReceivedRun, RunSummary, Store } from "../journal/store/store.ts";
import { answeredCall, definitionsOf } from "../journal/transfer/stored-run.ts";
import { differences } from "../run/earlier-run.ts";
import { isShard, type Shard } from "../run/shard.ts";

/** A store with a shard of a run. */
export interface ShardStore {
  readonly store: Store;
  /** The name of the store in sentences, such as its path. */
  readonly name: string;
}

/** How shards are joined. */
export interface MergeOptions {
  /** The name of the run (default: that of the shards if they share one, else made from their names). */
  readonly as?: string;
}

/** A shard of a run in its store. */
interface Part extends ShardStore {
  readonly summary: RunSummary;
  readonly shard: Shard & { readonly whole: string };
}

/** How many events are appended before they must have been written. */
const AT_ONCE = 10_000;

/**
 * Joins the shards of a run into one run, which is then the same as if it had not been divided. Takes the latest run of each shard
 * in each store. Throws `RunError` if the shards are not those of one run, or one is missing or given twice; nothing is then written.
 *
 * @example
 * await mergeRuns(await openStore("all.db"), [{ store: first, name: "1.db" }, { store: second, name: "2.db" }]);
 */
export async function mergeRuns(
  target: Store,
  stores: readonly ShardStore[],
  { as }: MergeOptions = {},
): Promise<{ readonly run: string }> {
  const parts = stores.flatMap(shardsIn).sort((one, other) => one.shard.index - other.shard.index);
  refuseOthers(parts);
  const run = as ?? nameOf(parts);
  if (run.trim() === "") throw new RunError(["A run needs a name that is not empty."]);
  if (target.run(run)?.run === run)
    throw new RunError([`There is a run "${run}" in the store already. Give the merged run another name.`]);
  const conversations = conversationsOf(parts);
  const received = target.receive(startOf(parts, run));
  try {
    const endedAt = await write(received, parts, conversations);
    received.finish({ run, tags: [], endedAt, sharesCalls: false });
  } catch (error) {
    received.discard();
    throw error;
  }
  return { run };
}

/** The shards in a store that belong to the same run as the latest of them; of each shard, the latest. */
function shardsIn({ store, name }: ShardStore): readonly Part[] {
  const found = store.runs().flatMap((summary) => {
    const { shard } = summary.start.configuration;
    return isShardOfRun(shard) ? [{ store, name, summary, shard }] : [];
  });
  const latestFirst = found.sort((one, other) => other.summary.startedAt - one.summary.startedAt);
  const [latest] = latestFirst;
  if (latest === undefined)
    throw new RunError([`There is no shard of a run in ${name}. Make one: elenchus run --shard 1/5`]);
  const own = new Map<number, Part>();
  for (const part of latestFirst) {
    const { index, of, whole } = part.shard;
    if (whole === latest.shard.whole && of === latest.shard.of && !own.has(index)) own.set(index, part);
  }
  return [...own.values()];
}

function isShardOfRun(value: unknown): value is Part["shard"] {
  if (!isRecord(value)) return false;
  const { index, of, whole } = value;
  return isShard({ index: Number(index), of: Number(of) }) && typeof whole === "string";
}

/** Throws `RunError` unless the parts are all shards of one run. */
function refuseOthers(parts: readonly Part[]): void {
  const [first] = parts;
  if (first === undefined) throw new RunError(["There is nothing to merge. Name the stores of all shards."]);
  const problems = parts.flatMap((part) => {
    const places = `${placeOf(first)} and ${placeOf(part)}`;
    if (part.shard.of !== first.shard.of) return [`${places} are of different numbers of shards.`];
    const changes = differences(wholeOf(first.summary.start), wholeOf(part.summary.start));
    if (changes.length > 0) return [`${places} are of different runs.`, ...changes];
    if (part.shard.whole !== first.shard.whole)
      return [`${places} are of different runs: they do not have the same rows or levels.`];
    const datasets = Object.entries(part.summary.start.datasets ?? {});
    const changed = datasets.filter(([scenario, hash]) => first.summary.start.datasets?.[scenario] !== hash);
    if (changed.length === 0) return [];
    const names = changed.map(([scenario]) => scenario).join(", ");
    return [`${places} are of different runs: rows of ${names} have changed in between.`];
  });
  if (problems.length > 0) throw new RunError([...new Set(problems)]);
  const twice = parts.filter((part, position) => parts[position - 1]?.shard.index === part.shard.index);
  if (twice.length > 0)
    throw new RunError(twice.map((part) => `Shard ${shardText(part)} is there twice, also in ${part.name}.`));
  const there = new Set(parts.map(({ shard }) => shard.index));
  const all = Array.from({ length: first.shard.of }, (_, index) => index + 1);
  const missing = all.filter((index) => !there.has(index)).map((index) => `${index}/${first.shard.of}`);
  if (missing.length === 0) return;
  const what = missing.length === 1 ? "A shard is" : `${missing.length} shards are`;
  throw new RunError([`${what} missing: ${missing.join(", ")}. Name the stores of all shards.`]);
}

function shardText({ shard: { index, of } }: Part): string {
  return `${index}/${of}`;
}

function placeOf(part: Part): string {
  return `Shard ${shardText(part)} in ${part.name}`;
}

/** The start event of a shard without its shard. */
function wholeOf({ configuration, ...start }: RunStart): RunStart {
  const { shard: _shard, ...rest } = configuration;
  return { ...start, configuration: rest };
}

function nameOf(parts: readonly Part[]): string {
  const names = new Set(parts.map(({ summary }) => summary.run));
  const [name = ""] = names;
  return names.size === 1 ? name : sha256([...names].join("\n")).slice(0, 12);
}

function startOf(parts: readonly Part[], run: string): RunStart & { readonly at: number } {
  // There is at least one.
  const [{ summary }] = parts as readonly [Part, ...Part[]];
  // A run from other stores was not started here.
  const { origin: _origin, ...start } = wholeOf(summary.start);
  const count = parts.reduce((sum, part) => sum + part.summary.start.conversations, 0);
  const at = Math.min(...parts.map((part) => part.summary.startedAt));
  return { ...start, run, conversations: count, at };
}

interface Placed {
  readonly part: Part;
  readonly summary: ConversationSummary;
}

/** All conversations in the order of results. Shards of one run cannot have the same: their files were changed. */
function conversationsOf(parts: readonly Part[]): readonly Placed[] {
  const all = parts.flatMap((part) =>
    [...part.store.conversations(part.summary.run)].map((summary) => ({ part, summary })),
  );
  const places = new Map<string, Part>();
  for (const { part, summary } of all) {
    const other = places.get(summary.conversation);
    if (other !== undefined)
      throw new RunError([
        `The conversation ${summary.conversation} is in ${other.name} and in ${part.name}. These are no shards of one run.`,
      ]);
    places.set(summary.conversation, part);
  }
  return all.sort((one, other) => one.summary.index - other.summary.index);
}

/** Returns when the run ended; null if a shard has not. */
async function write(
  received: ReceivedRun,
  parts: readonly Part[],
  conversations: readonly Placed[],
): Promise<number | null> {
  const kept = new Set<string>();
  const [first] = parts;
  if (first !== undefined)
    for (const event of definitionsOf(first.store, first.summary.run)) received.append(event);
  let waiting = 0;
  for (const { part, summary } of conversations) {
    for (const event of part.store.events(part.summary.run, summary.conversation)) {
      received.append(event);
      waiting++;
      const identity = callIdentity(event);
      if (identity === undefined || kept.has(identity)) continue;
      const call = answeredCall(part.store, part.summary.run, identity);
      if (call === undefined) continue;
      kept.add(identity);
      received.keep(call);
    }
    if (waiting < AT_ONCE) continue;
    waiting = 0;
    await received.durable();
  }
  const events = eventsOfRun(parts);
  for (const event of events) received.append(event);
  await received.durable();
  return events.map(endOfRun).find((at) => at !== undefined) ?? null;
}

/** The events of the run as a whole: each warning once, outages, and its end if all shards have ended. */
function eventsOfRun(parts: readonly Part[]): readonly RunEvent[] {
  const warnings = new Map<string, RunEvent>();
  const outages: RunEvent[] = [];
  const ends: (RunEnd & Pick<RunEvent, "at">)[] = [];
  for (const { store, summary } of parts) {
    const ended: (RunEnd & Pick<RunEvent, "at">)[] = [];
    for (const event of store.events(summary.run, null)) {
      if (event.type === "run-end") ended.push(event);
      else if (event.type === "warning") warnings.set(`${event.code} ${event.message}`, event);
      else if (event.type === "outage") outages.push(event);
    }
    // One that was resumed may have ended before, and not again.
    if (summary.endedAt !== null) ends.push(...ended.slice(-1));
  }
  outages.sort((one, other) => one.at - other.at);
  return [...warnings.values(), ...outages, ...(ends.length === parts.length ? [joinedEnd(ends)] : [])];
}

function joinedEnd(ends: readonly (RunEnd & Pick<RunEvent, "at">)[]): RunEvent {
  const statuses: Partial<Record<ConversationStatus, number>> = {};
  const judging = new JudgeTally();
  for (const end of ends) {
    for (const [status, count] of Object.entries(end.statuses) as [ConversationStatus, number][])
      statuses[status] = (statuses[status] ?? 0) + count;
    judging.merge(end.judges ?? []);
  }
  const spending = ends.map((end) => end.spending).reduce(addSpending, NOTHING_SPENT);
  const judges = judging.counts.map(judgeHealth);
  const at = Math.max(...ends.map((end) => end.at));
  return { type: "run-end", statuses, spending, ...(judges.length === 0 ? {} : { judges }), at };
}
