import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import { CALL_SHAPE, SETTINGS_SHAPE } from "../../models/cassette/cassette-format.ts";
import {
  type MessageNode,
  MessageTree,
  messagesOf,
  RecentLists,
} from "../../models/cassette/message-tree.ts";
import {
  type CallRequest,
  identityOfRequest,
  type RecordedCall,
} from "../../models/cassette/recorded-call.ts";
import { contentHash } from "../../models/content-hash.ts";
import type { Message } from "../../models/message.ts";
import type { ModelReply } from "../../models/model.ts";
import type { StoredCall } from "../store/stored-call.ts";
import { decodeData } from "../store/text-codec.ts";
import { checkedValue, DAMAGED, RunFileError } from "./checked-line.ts";
import { BoundedMap, type LongTextReader, type LongTextWriter } from "./long-texts.ts";
import type { RowJson } from "./row-json.ts";
import { asLine, SETTINGS_WINDOW } from "./run-file.ts";

/** How many calls are remembered, so that judges of the same replies share them in the file. */
const REMEMBERED_CALLS = 100_000;

/**
 * Writes calls as cassettes do: what many have in common by a number, and messages as those that follow a list which an
 * earlier call of the same conversation has.
 */
export class CallWriter {
  readonly #texts: LongTextWriter;
  readonly #rows: RowJson;
  readonly #written = new BoundedMap<true>(REMEMBERED_CALLS);
  readonly #settings = new BoundedMap<number>(SETTINGS_WINDOW);
  #numbers = 0;
  #tree = new MessageTree();
  #known = new Set<MessageNode>();
  /** The hashes of lists that are known, by the rows of their last messages. */
  #knownRows = new Map<number, string>();
  #last: { readonly settings: Settings; readonly hash: string } | undefined;

  constructor(texts: LongTextWriter, rows: RowJson) {
    this.#texts = texts;
    this.#rows = rows;
  }

  /** Another conversation begins: what is kept must not grow with the run. */
  begin(): void {
    this.#tree = new MessageTree();
    this.#known = new Set([this.#tree.root]);
    this.#knownRows = new Map();
  }

  /** True if the call is in the file, as far back as is remembered. */
  has(identity: string): boolean {
    return this.#written.has(identity);
  }

  /** The lines of a call. */
  lines({ identity, purpose, request, reply }: RecordedCall): readonly string[] {
    this.#written.add(identity, true);
    const { replicate, seed, messages } = request;
    const lines: string[] = [];
    const settings = this.#numberOf(request, lines);
    const node = this.#tree.add(messages);
    const previous = this.#lastKnown(node);
    const added = messagesOf(node, previous);
    const call = {
      settings,
      purpose,
      replicate,
      seed,
      previous: previous.hash,
      messages: added,
      reply: lasting(reply),
    };
    return [...lines, ...this.#texts.lines({ call })];
  }

  /** The same lines, from the rows of a call. */
  rowLines(identity: string, call: StoredCall): readonly string[] {
    this.#written.add(identity, true);
    const { purpose, replicate, seed, textOf } = call;
    const lines: string[] = [];
    const settings = this.#numberOf(call.settings, lines);
    const { previous, added } = this.#newMessages(call);
    const head = JSON.stringify({ settings, purpose, replicate, seed, previous });
    const messages = added.map((data) => this.#rows.data(data, textOf, lines)).join(",");
    const reply = DAILY.test(call.reply)
      ? this.#texts.json(lasting(decodeData(call.reply, textOf) as ModelReply), lines)
      : this.#rows.data(call.reply, textOf, lines);
    lines.push(asLine(`{"call":${head.slice(0, -1)},"messages":[${messages}],"reply":${reply}}}`));
    return lines;
  }

  /** The messages after those that an earlier call of the conversation has, and the hash of the list of these. */
  #newMessages({ messages, messageOf, textOf }: StoredCall): {
    readonly previous: string;
    readonly added: readonly string[];
  } {
    const rows: { readonly row: number; readonly data: string }[] = [];
    let known = "";
    for (let row = messages; row !== null; ) {
      const hash = this.#knownRows.get(row);
      const found = hash === undefined ? messageOf(row) : undefined;
      known = hash ?? known;
      if (found === undefined) break;
      rows.push({ row, data: found.data });
      row = found.previous;
    }
    let hash = known;
    for (const { row, data } of rows.reverse()) {
      hash = contentHash(hash + this.#rows.canonicalMessage(data, textOf));
      this.#knownRows.set(row, hash);
    }
    return { previous: known, added: rows.map(({ data }) => data) };
  }

  /** The number of settings, with their lines if they are new. */
  #numberOf({ name, model, instructions, tools, schema }: Settings, lines: string[]): number {
    const settings = { name, model, instructions, tools, schema };
    const hash = this.#hashOf(settings);
    const known = this.#settings.get(hash);
    if (known !== undefined) return known;
    const number = this.#numbers++;
    this.#settings.add(hash, number);
    lines.push(...this.#texts.lines({ settings }));
    return number;
  }

  /** The calls of a run mostly have the same settings, part by part the same objects. */
  #hashOf(settings: Settings): string {
    const last = this.#last;
    const isSame =
      last !== undefined &&
      Object.isFrozen(settings.model) &&
      (Object.keys(settings) as (keyof Settings)[]).every((key) => last.settings[key] === settings[key]);
    const hash = isSame ? last.hash : contentHash(JSON.stringify(settings));
    this.#last = { settings, hash };
    return hash;
  }

  #lastKnown(node: MessageNode): MessageNode {
    let known = node;
    while (!this.#known.has(known) && known.previous !== null) {
      this.#known.add(known);
      known = known.previous;
    }
    return known;
  }
}

/** What a reply says about one day only is not in files. */
function lasting({ rateLimit: _, cached: __, ...reply }: ModelReply): Partial<ModelReply> {
  return reply;
}

/** Replies that may say something about one day only. */
const DAILY = /"(?:rateLimit|cached)":/;

type Settings = Pick<CallRequest, "name" | "model" | "instructions" | "tools" | "schema">;
type CallLine = Pick<CallRequest, "replicate" | "seed"> &
  Pick<RecordedCall, "purpose" | "reply"> & {
    readonly settings: number;
    readonly previous: string;
    readonly messages: readonly Message[];
  };

/** Reads what `CallWriter` writes. */
export class CallReader {
  readonly #texts: LongTextReader;
  readonly #settings = new BoundedMap<Settings>(SETTINGS_WINDOW);
  #numbers = 0;
  #lists = new RecentLists(new MessageTree());

  readonly #isVerified: boolean;
  readonly #identifies: boolean;

  constructor(
    texts: LongTextReader,
    { isVerified, identifies }: { readonly isVerified: boolean; readonly identifies: boolean },
  ) {
    this.#texts = texts;
    this.#isVerified = isVerified;
    this.#identifies = identifies;
  }

  /** Another conversation begins. */
  begin(): void {
    this.#lists = new RecentLists(new MessageTree());
  }

  addSettings(line: object, number: number): void {
    const checked = checkedValue(this.#isVerified ? null : SETTINGS_SHAPE, line, {
      texts: this.#texts,
      number,
    });
    // The shape is just that. Frozen, it is hashed once.
    const { settings } = freezeDeep(checked as { readonly settings: Settings });
    this.#settings.add(String(this.#numbers++), settings);
  }

  /** A call. Its identity is made from what was asked, when it is read to be kept: a file cannot claim another one. */
  call(value: unknown, number: number): RecordedCall {
    // The shape is just that.
    const line = checkedValue(this.#isVerified ? null : CALL_SHAPE, value, {
      texts: this.#texts,
      number,
    }) as CallLine;
    const settings = this.#settings.get(String(line.settings));
    if (settings === undefined) {
      throw new RunFileError(number, `no earlier line has the settings ${line.settings}`, DAMAGED);
    }
    const list = this.#lists.extend(line.previous, freezeDeep(line.messages));
    if (list === undefined) {
      throw new RunFileError(number, "no earlier line has the messages that it goes on from", DAMAGED);
    }
    const { purpose, replicate, seed, reply } = line;
    const request: CallRequest = { ...settings, messages: list.messages, replicate, seed };
    return { identity: this.#identifies ? identityOfRequest(request) : "", purpose, request, reply };
  }
}
