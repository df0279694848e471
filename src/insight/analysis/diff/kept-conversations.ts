import { DEFAULTS } from "../../../core/defaults.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { variantCells } from "../../../core/scenario/variants.ts";
import { deepEqual, type JsonObject } from "../../../core/values/json.ts";
import { foldCalls } from "../../../engine/journal/fold/calls.ts";
import type { RunEvent } from "../../../engine/journal/run-event.ts";
import type { ConversationSummary, RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { hasForks } from "../../../engine/run/group-runner.ts";
import { type PreparedScenario, prepareScenario } from "../../../engine/run/prepare-scenario.ts";
import type { ConversationState } from "../../../engine/run/step/conversation-state.ts";
import type { Fate } from "./change.ts";
import {
  type Replay,
  type ReplayedScenario,
  type ReplaySettings,
  replayConversation,
} from "./replay-conversation.ts";

/** Calls of one kind, and how many of their stored answers can still be used. */
export interface KeptCalls {
  readonly kept: number;
  /** More of them, if judges that are asked again say the same as before. */
  readonly keptIfSame: number;
  readonly stored: number;
}

/** What becomes of the stored conversations of a scenario under another version of it. */
export interface KeptConversations {
  readonly runs: readonly string[];
  readonly conversations: number;
  /** How many have which fate; `gone` if the other version has no such row or variant, or the row has changed. */
  readonly fates: Readonly<Record<Fate | "gone", number>>;
  /** Where conversations first need something new: by fate and node, most first. */
  readonly places: readonly { readonly fate: Fate; readonly node: string; readonly conversations: number }[];
  /** Calls whose answers the store has; identical ones count once. */
  readonly calls: Readonly<Record<"subject" | "judge" | "simulator", KeptCalls>>;
  /** By outcome, in how many conversations that can be decided its value differs. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Which stored conversations are looked at. */
interface KeptOptions {
  /** Only those of this run; otherwise those of all runs of the earlier version. */
  readonly run?: string | undefined;
}

/** Walks all stored conversations of a version of a scenario through another version. Null if the store has none. */
export async function keptConversations(
  store: Store,
  { before, after }: { readonly before: ScenarioDefinition; readonly after: ScenarioDefinition },
  { run }: KeptOptions = {},
): Promise<KeptConversations | null> {
  // A run that grades the replies of another asks for none of its own.
  const runs = store
    .runs()
    .filter(
      ({ run: name, parent, start }) =>
        parent === null &&
        start.scenarios[before.name] === before.hash &&
        (run === undefined || name === run),
    );
  const tally = new KeptTally(store);
  for (const summary of runs) await walkRun(store, { summary, before, after }, tally);
  return tally.conversations === 0 ? null : tally.result(runs.map((one) => one.run));
}

const NOTHING_KEPT: Pick<Replay, "kept" | "keptIfSame" | "outcomes"> = Object.freeze({
  kept: new Set<string>(),
  keptIfSame: new Set<string>(),
  outcomes: Object.freeze([]),
});

interface Versions {
  readonly summary: RunSummary;
  readonly before: ScenarioDefinition;
  readonly after: ScenarioDefinition;
}

async function walkRun(store: Store, { summary, before, after }: Versions, tally: KeptTally): Promise<void> {
  const { seed, configuration } = summary.start;
  const { detectRefusal } = configuration;
  const settings: ReplaySettings = {
    seed,
    earlierTurns: DEFAULTS.earlierTurns,
    detectRefusal: typeof detectRefusal === "boolean" ? detectRefusal : undefined,
  };
  const versions = await Promise.all([before, after].map((one) => PreparedVersion.open(one, seed)));
  const [old, now] = versions as [PreparedVersion, PreparedVersion];
  // An arm shares the fate of the conversation that it continues, where it does not get that far.
  const fates = new Map<number, Fate>();
  try {
    for (const conversation of store.conversations(summary.run, { scenario: before.name })) {
      const journal = [...store.events(summary.run, conversation.conversation)];
      const [was, is] = old.isOtherRow(conversation)
        ? [null, null]
        : [old.of(conversation), now.of(conversation)];
      if (was === null || is === null) {
        const fate = conversation.parent === null ? "gone" : (fates.get(conversation.parent) ?? "gone");
        await tally.add({ ...NOTHING_KEPT, fate }, { journal, run: summary.run });
        continue;
      }
      const replay = await replayConversation(journal, { before: was, after: is }, settings);
      if (hasForks(before)) fates.set(conversation.index, replay.fate);
      old.keep(conversation, replay.states.before);
      now.keep(conversation, replay.states.after);
      await tally.add(replay, { journal, run: summary.run });
    }
  } finally {
    for (const version of versions) version.close();
  }
}

/** One version of a scenario, ready for the conversations of a run. */
class PreparedVersion {
  readonly #definition: ScenarioDefinition;
  readonly #prepared: PreparedScenario;
  readonly #rows: ReadonlyMap<string, JsonObject>;
  /** Where conversations ended that continue in arms, by index. */
  readonly #ends = new Map<number, ConversationState>();

  private constructor(
    definition: ScenarioDefinition,
    prepared: PreparedScenario,
    rows: ReadonlyMap<string, JsonObject>,
  ) {
    this.#definition = definition;
    this.#prepared = prepared;
    this.#rows = rows;
  }

  static async open(definition: ScenarioDefinition, seed: number): Promise<PreparedVersion> {
    const prepared = await prepareScenario(definition, { seed });
    const rows = new Map<string, JsonObject>();
    for await (const { id, values } of prepared.dataset ?? []) rows.set(id, values);
    return new PreparedVersion(definition, prepared, rows);
  }

  /** True if the row has changed since the conversation. */
  isOtherRow({ row, itemHash }: ConversationSummary): boolean {
    const values = row === null ? undefined : this.#rows.get(row);
    return values !== undefined && itemHash !== null && this.#prepared.itemHash(values) !== itemHash;
  }

  /** For a conversation; null if this version has no such row, variant or arm. */
  of(conversation: ConversationSummary): ReplayedScenario | null {
    const { row, variant, parent } = conversation;
    const values = row === null ? undefined : this.#rows.get(row);
    if ((row === null) !== (this.#prepared.dataset === null) || (row !== null && values === undefined))
      return null;
    const { variants } = this.#definition;
    if ((variant === null) !== (variants === undefined)) return null;
    if (variants !== undefined && !variantCells(variants).some((cell) => deepEqual(cell, variant)))
      return null;
    const from = parent === null ? undefined : this.#ends.get(parent);
    if (parent !== null && from?.ending?.fork === undefined) return null;
    const definition = this.#prepared.definition(values, variant ?? undefined);
    return { definition, sources: this.#prepared.sources?.(conversation), parent: from };
  }

  keep({ index }: ConversationSummary, state: ConversationState | null): void {
    if (state !== null && hasForks(this.#definition)) this.#ends.set(index, state);
  }

  close(): void {
    this.#prepared.dispose();
  }
}

interface TalliedReplay extends Pick<Replay, "kept" | "keptIfSame" | "outcomes" | "node"> {
  readonly fate: Fate | "gone";
}

/** `3.subject` of `3.subject.1`; requests to the judge have a number of their own: `3.judge.0` of `3.judge.0.1.1`. */
function stemOf(call: string): string {
  const parts = call.split(".");
  return parts.slice(0, parts[1] === "judge" ? 3 : 2).join(".");
}

class KeptTally {
  conversations = 0;
  readonly #store: Store;
  readonly #fates: Record<Fate | "gone", number> = {
    same: 0,
    regraded: 0,
    rerouted: 0,
    asked_again: 0,
    judged_again: 0,
    gone: 0,
  };
  readonly #places = new Map<string, { readonly fate: Fate; readonly node: string; conversations: number }>();
  readonly #outcomes = new Map<string, number>();
  /** By identity: whether the answer can be used. One that a conversation can use counts as kept, whatever others can. */
  readonly #calls: Readonly<Record<"subject" | "judge" | "simulator", Map<string, keyof KeptCalls>>> = {
    subject: new Map(),
    judge: new Map(),
    simulator: new Map(),
  };

  constructor(store: Store) {
    this.#store = store;
  }

  async add(
    replay: TalliedReplay,
    { journal, run }: { readonly journal: readonly RunEvent[]; readonly run: string },
  ): Promise<void> {
    this.conversations++;
    this.#fates[replay.fate]++;
    const { fate, node } = replay;
    if (node !== undefined && fate !== "gone") {
      const key = JSON.stringify([fate, node]);
      const place = this.#places.get(key) ?? { fate, node, conversations: 0 };
      place.conversations++;
      this.#places.set(key, place);
    }
    for (const name of replay.outcomes) this.#outcomes.set(name, (this.#outcomes.get(name) ?? 0) + 1);
    for (const { call, purpose, identity, end } of foldCalls(journal)) {
      if (purpose === "tool" || identity === undefined || end === undefined || end.failure !== undefined)
        continue;
      const known = this.#calls[purpose].get(identity);
      if (known === undefined && !(await this.#isStored(run, identity))) continue;
      const stem = stemOf(call);
      const isKept = known === "kept" || replay.kept.has(stem);
      const isPerhaps = known === "keptIfSame" || replay.keptIfSame.has(stem);
      this.#calls[purpose].set(identity, isKept ? "kept" : isPerhaps ? "keptIfSame" : "stored");
    }
  }

  async #isStored(run: string, identity: string): Promise<boolean> {
    const own = await this.#store.calls.find(identity);
    return (own ?? (await this.#store.callsOf(run).find(identity))) !== undefined;
  }

  result(runs: readonly string[]): KeptConversations {
    const counted = (calls: ReadonlyMap<string, keyof KeptCalls>): KeptCalls => {
      const count = (wanted: keyof KeptCalls): number =>
        [...calls.values()].filter((one) => one === wanted).length;
      return { kept: count("kept"), keptIfSame: count("keptIfSame"), stored: calls.size };
    };
    const { subject, judge, simulator } = this.#calls;
    return {
      runs,
      conversations: this.conversations,
      fates: this.#fates,
      places: [...this.#places.values()].sort((one, other) => other.conversations - one.conversations),
      calls: { subject: counted(subject), judge: counted(judge), simulator: counted(simulator) },
      outcomes: Object.fromEntries(this.#outcomes),
    };
  }
}
