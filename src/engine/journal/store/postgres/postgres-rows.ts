import { contentHash } from "../../../models/content-hash.ts";
import { type PlacedCounts, variantKey } from "../../fold/tally.ts";
import { type Column, PLACE, SAVED, TURN } from "../conversation-columns.ts";
import type { CallRow, EncodedSettings, EventRow, GroupRows } from "../group.ts";
import type { StoredLink } from "../message-chains.ts";
import { isShortName, MOST_NAMES, otherName } from "../tally-table.ts";
import type { EncodedData } from "../text-codec.ts";
import { type GroupTable, STATEMENTS, tableStep } from "./group-statements.ts";
import type { GroupData, GroupStep } from "./thread-messages.ts";

type Row = Readonly<Record<string, Column>>;

/** What a process knows to be on the server. */
export class KnownRows {
  messages: WeakSet<StoredLink> = new WeakSet();
  readonly settings: Set<string> = new Set();
  /** Ids that are left of the block that the server gave. */
  #nextId = 0;
  #lastId = -1;
  readonly #takeBlock: () => number;

  /** `takeBlock` gives the last of a thousand ids. */
  constructor(takeBlock: () => number) {
    this.#takeBlock = takeBlock;
  }

  /** An id for a new conversation. */
  conversationId(): number {
    if (this.#nextId > this.#lastId) {
      this.#lastId = this.#takeBlock();
      this.#nextId = this.#lastId - 999;
    }
    return this.#nextId++;
  }

  forget(): void {
    this.messages = new WeakSet();
    this.settings.clear();
  }
}

/** Collects the rows of a group, which the server takes table by table. */
export class PostgresRows implements GroupRows {
  readonly #known: KnownRows;
  readonly #texts = new Map<string, string>();
  readonly #rows = new Map<GroupTable, Row[]>();
  /** New messages by how many new ones come before them: each needs the row of the one before. */
  readonly #messages: Row[][] = [];
  readonly #depths = new Map<StoredLink, number>();
  /** The last one of each key. */
  readonly #calls = new Map<string, Row>();
  readonly #runCalls = new Map<string, Row>();
  #isShrinking = false;
  readonly #written: (() => void)[] = [];

  constructor(known: KnownRows) {
    this.#known = known;
  }

  texts({ json, texts }: EncodedData): string {
    for (const [hash, value] of texts) this.#texts.set(hash, value);
    return json;
  }

  event({ run, conversation, type, turn, at, json }: EventRow): void {
    this.#add("event", { run, conversation, type, turn, at, data: json });
  }

  call({ run, identity, purpose, settings, messages, replicate, seed, json, at, written }: CallRow): void {
    this.#written.push(written);
    this.#setting(settings);
    if (messages !== null) this.#message(messages);
    const row = {
      run,
      identity,
      purpose,
      setting: settings.hash,
      messages: messages?.hash ?? null,
      replicate,
      seed,
      reply: json,
      kept_at: at,
    };
    if (run === null) this.#calls.set(identity, row);
    else this.#runCalls.set(`${run} ${identity}`, row);
  }

  newConversation(run: number, name: string, columns: readonly Column[]): number {
    const id = this.#known.conversationId();
    this.#add("newConversation", {
      id,
      run,
      name,
      ...placed(named([...PLACE, ...SAVED, "status"], columns)),
    });
    return id;
  }

  saveConversation(id: number, columns: readonly Column[]): void {
    this.#add("saveConversation", { id, ...named(SAVED, columns) });
  }

  placeConversation(id: number, columns: readonly Column[]): void {
    this.#add("placeConversation", { id, ...placed(named(PLACE, columns)) });
  }

  endConversation(id: number, status: string | null): void {
    this.#add("endConversation", { id, status });
  }

  turn(conversation: number, turn: number, columns: readonly Column[] | null): void {
    if (columns === null) this.#add("dropTurn", { conversation, turn });
    else this.#add("turn", { conversation, turn, ...named(TURN, columns) });
  }

  outcome(conversation: number, name: string, columns: readonly Column[] | null): void {
    if (columns === null) this.#add("dropOutcome", { conversation, name });
    else this.#add("outcome", { conversation, name, ...named(["kind", "value", "status"], columns) });
  }

  counts(
    run: number,
    _: string,
    { cell: { scenario, subject, judge, variant, arm }, position, counts }: PlacedCounts,
  ): void {
    const cell = { run, scenario, subject, judge, variant: variantKey(variant), arm: arm ?? "" };
    this.#add("cell", { ...cell, position });
    for (const [kind, name, value, count] of counts.entries()) {
      if (count === 0) continue;
      if (count < 0) this.#isShrinking = true;
      const most = MOST_NAMES[kind];
      const entry = { ...cell, kind, name, value, count };
      if (most === undefined) this.#add("tally", entry);
      else {
        const [other, otherValue] = otherName(kind, name, value);
        const isKept = count > 0 && isShortName(name, value) ? 1 : 0;
        this.#add("limitedTally", { ...entry, most, other, other_value: otherValue, is_kept: isKept });
      }
    }
  }

  endRun(run: number, at: number): void {
    this.#rows.set("endRun", [
      ...(this.#rows.get("endRun") ?? []).filter((row) => row.run !== run),
      { run, at },
    ]);
  }

  forget(): void {
    this.#known.forget();
  }

  /** The group was written. */
  settle(): void {
    for (const written of this.#written) written();
  }

  /** All that was collected. */
  data(): GroupData {
    const steps: GroupStep[] = [];
    const add = (table: GroupTable, rows: readonly Row[]): void => {
      if (rows.length > 0) steps.push(tableStep(table, rows));
    };
    for (const table of STATEMENTS.keys()) {
      if (table === "message") for (const rows of this.#messages) add(table, rows);
      else if (table === "call") add(table, inOrder([...this.#calls.values()], "identity"));
      else if (table === "runCall") add(table, inOrder([...this.#runCalls.values()], "identity"));
      else if (table === "cell")
        add(
          table,
          inOrder(this.#rows.get(table) ?? [], "run", "scenario", "subject", "judge", "variant", "arm"),
        );
      else if (table === "dropTally") add(table, this.#isShrinking ? (this.#rows.get("cell") ?? []) : []);
      else add(table, this.#rows.get(table) ?? []);
    }
    return { texts: [...this.#texts], steps };
  }

  #setting({ name, hash, data }: EncodedSettings): void {
    if (this.#known.settings.has(hash)) return;
    this.#known.settings.add(hash);
    this.#add("setting", { hash, name, data: this.texts(data) });
  }

  /** The messages of a list that may be new, from its beginning. */
  #message(last: StoredLink): void {
    const missing: StoredLink[] = [];
    let first: StoredLink | null = last;
    for (; first !== null && !this.#known.messages.has(first); first = first.previous) missing.push(first);
    let depth = first === null ? 0 : (this.#depths.get(first) ?? -1) + 1;
    for (const link of missing.reverse()) {
      const { hash, previous, data } = link;
      this.#known.messages.add(link);
      this.#depths.set(link, depth);
      this.#messages[depth] ??= [];
      this.#messages[depth]?.push({
        hash,
        previous: previous?.hash ?? null,
        data: this.texts(data),
      });
      depth++;
    }
  }

  #add(table: GroupTable, row: Row): void {
    const rows = this.#rows.get(table);
    if (rows === undefined) this.#rows.set(table, [row]);
    else rows.push(row);
  }
}

/** Two processes that write the same rows do so in one order, and so never wait for each other in a circle. */
function inOrder(rows: readonly Row[], ...keys: readonly string[]): readonly Row[] {
  const keyOf = (row: Row): string => JSON.stringify(keys.map((key) => row[key]));
  return rows
    .map((row) => [keyOf(row), row] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row);
}

/** The key of an item has the id of a row, which may be longer than an index takes: it is only compared, so its hash will do. */
function placed(row: Row): Row {
  const { item } = row;
  return typeof item === "string" && item.length > LONGEST_ITEM ? { ...row, item: contentHash(item) } : row;
}

const LONGEST_ITEM = 500;

function named(names: readonly string[], columns: readonly Column[]): Row {
  return Object.fromEntries(names.map((name, index) => [name.replaceAll('"', ""), columns[index] ?? null]));
}
