import { Counts, type PlacedCounts } from "../fold/tally.ts";
import type { Column } from "./conversation-columns.ts";
import type { CallRow, CountEntry, EncodedSettings, EventRow, GroupRows } from "./group.ts";
import type { StoredLink } from "./message-chains.ts";
import type { EncodedData } from "./text-codec.ts";

/** Rows of a group in the order in which they are written, as one flat list: quick to pass from thread to thread. */
export type LoggedRows = readonly unknown[];

/** What comes next in a log. Its values follow. */
const TEXT = 0;
const EVENT = 1;
const LINK = 2;
const SETTINGS = 3;
const CALL = 4;
const NEW_CONVERSATION = 5;
const SAVE_CONVERSATION = 6;
const PLACE_CONVERSATION = 7;
const END_CONVERSATION = 8;
const TURN = 9;
const OUTCOME = 10;
const COUNTS = 11;
const END_RUN = 12;

/** Takes rows without a database. Conversations have numbers of their own until they are written. */
export class RowLog implements GroupRows {
  #values: unknown[] = [];
  #conversations = 0;
  readonly #texts = new Set<string>();
  readonly #links = new Map<StoredLink, number>();
  readonly #settings = new Map<string, number>();

  /** What was taken since the last time. */
  take(): LoggedRows {
    const values = this.#values;
    this.#values = [];
    this.forget();
    return values;
  }

  texts({ json, texts }: EncodedData): string {
    for (const [hash, value] of texts) {
      if (this.#texts.has(hash)) continue;
      this.#texts.add(hash);
      this.#values.push(TEXT, hash, value);
    }
    return json;
  }

  event({ conversation, type, turn, at, json }: EventRow): void {
    this.#values.push(EVENT, conversation, type, turn, at, json);
  }

  call({ identity, purpose, settings, messages, replicate, seed, json, at }: CallRow): void {
    const setting = this.#setting(settings);
    const link = this.#link(messages);
    this.#values.push(CALL, identity, purpose, setting, link, replicate, seed, json, at);
  }

  newConversation(_: number, name: string, columns: readonly Column[]): number {
    const id = this.#conversations++;
    this.#values.push(NEW_CONVERSATION, id, name, columns);
    return id;
  }

  saveConversation(id: number, columns: readonly Column[]): void {
    this.#values.push(SAVE_CONVERSATION, id, columns);
  }

  placeConversation(id: number, columns: readonly Column[]): void {
    this.#values.push(PLACE_CONVERSATION, id, columns);
  }

  endConversation(id: number, status: string | null): void {
    this.#values.push(END_CONVERSATION, id, status);
  }

  turn(conversation: number, turn: number, columns: readonly Column[] | null): void {
    this.#values.push(TURN, conversation, turn, columns);
  }

  outcome(conversation: number, name: string, columns: readonly Column[] | null): void {
    this.#values.push(OUTCOME, conversation, name, columns);
  }

  counts(_: number, key: string, { cell, position, counts }: PlacedCounts): void {
    this.#values.push(COUNTS, key, cell, position, [...counts.entries()]);
  }

  endRun(_: number, at: number): void {
    this.#values.push(END_RUN, at);
  }

  forget(): void {
    this.#texts.clear();
    this.#links.clear();
    this.#settings.clear();
  }

  #setting({ name, hash, data }: EncodedSettings): number {
    let number = this.#settings.get(hash);
    if (number === undefined) {
      number = this.#settings.size;
      this.#settings.set(hash, number);
      this.#values.push(SETTINGS, name, hash, this.texts(data));
    }
    return number;
  }

  /** The number of a list of messages; each has one, because a long list of lists in lists could not be passed on. */
  #link(last: StoredLink | null): number | null {
    const missing: StoredLink[] = [];
    let link = last;
    for (; link !== null && !this.#links.has(link); link = link.previous) missing.push(link);
    for (const added of missing.reverse()) {
      const before = added.previous === null ? null : (this.#links.get(added.previous) ?? null);
      this.#values.push(LINK, added.hash, before, this.texts(added.data));
      this.#links.set(added, this.#links.size);
    }
    return last === null ? null : (this.#links.get(last) ?? null);
  }
}

/** Writes logged rows of a run; it knows the rows of conversations that go on from log to log. */
export class LogReplay {
  readonly #run: number;
  readonly #conversations = new Map<unknown, number>();

  constructor(run: number) {
    this.#run = run;
  }

  /** Within a transaction. */
  write(log: LoggedRows, rows: GroupRows): void {
    const run = this.#run;
    const links: StoredLink[] = [];
    const settings: EncodedSettings[] = [];
    // Written by `RowLog`, value by value of these types.
    let at = 0;
    const next = <Value>(): Value => log[at++] as Value;
    const conversation = (): number => this.#conversations.get(next()) as number;
    while (at < log.length) {
      switch (next<number>()) {
        case TEXT:
          rows.texts({ json: "", texts: [[next(), next()]] });
          break;
        case EVENT: {
          const given = next<number | null>();
          const id = given === null ? null : (this.#conversations.get(given) as number);
          rows.event({ run, conversation: id, type: next(), turn: next(), at: next(), json: next() });
          break;
        }
        case LINK: {
          const hash = next<string>();
          const previous = next<number | null>();
          const data = { json: next<string>(), texts: [] };
          links.push({ hash, previous: previous === null ? null : (links[previous] as StoredLink), data });
          break;
        }
        case SETTINGS:
          settings.push({ name: next(), hash: next(), data: { json: next(), texts: [] } });
          break;
        case CALL: {
          const identity = next<string>();
          const purpose = next<string>();
          const setting = settings[next<number>()] as EncodedSettings;
          const link = next<number | null>();
          rows.call({
            run,
            identity,
            purpose,
            settings: setting,
            messages: link === null ? null : (links[link] as StoredLink),
            replicate: next(),
            seed: next(),
            json: next(),
            at: next(),
            written: () => {},
          });
          break;
        }
        case NEW_CONVERSATION: {
          const number = next();
          this.#conversations.set(number, rows.newConversation(run, next(), next()));
          break;
        }
        case SAVE_CONVERSATION:
          rows.saveConversation(conversation(), next());
          break;
        case PLACE_CONVERSATION:
          rows.placeConversation(conversation(), next());
          break;
        case END_CONVERSATION:
          rows.endConversation(conversation(), next());
          break;
        case TURN:
          rows.turn(conversation(), next(), next());
          break;
        case OUTCOME:
          rows.outcome(conversation(), next(), next());
          break;
        case COUNTS: {
          const key = next<string>();
          const cell = next<PlacedCounts["cell"]>();
          const position = next<number>();
          const counts = new Counts();
          for (const [kind, name, value, count] of next<readonly CountEntry[]>())
            counts.add(kind, name, value, count);
          rows.counts(run, key, { cell, position, counts });
          break;
        }
        default:
          rows.endRun(run, next());
      }
    }
    // Only the last conversation can go on.
    const last = [...this.#conversations].at(-1);
    this.#conversations.clear();
    if (last !== undefined) this.#conversations.set(...last);
  }
}
