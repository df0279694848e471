import { type MessageNode, MessageTree, messagesOf } from "../../models/cassette/message-tree.ts";
import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import { contentHash } from "../../models/content-hash.ts";
import type { RunEvent } from "../run-event.ts";
import type { Store } from "../store/store.ts";
import { BoundedMap } from "./bounded-map.ts";
import { LongTextWriter } from "./long-texts.ts";
import {
  CONVERSATION_STATUSES,
  lineOf,
  RUN_FORMAT,
  RUN_VERSION,
  type RunFileEnd,
  type RunFileHeader,
  SETTINGS_WINDOW,
} from "./run-file.ts";
import { definitionsOf } from "./stored-definitions.ts";
import { callOf, storedRun } from "./stored-run.ts";

/**
 * The lines of a run's file, read from the store as they are asked for: a header, the scenarios, each conversation with its events and then
 * the calls that it used, the events of the run as a whole, and an end that counts them.
 *
 * @example
 * for (const line of exportRun(store, "monday")) file.write(`${line}\n`);
 */
export function* exportRun(store: Store, run: string): Generator<string> {
  const texts = new LongTextWriter();
  const calls = new CallWriter(texts);
  const written = { conversations: 0, events: 0, calls: 0 };
  const header = headerOf(store, run);
  yield lineOf(header);
  for (const event of definitionsOf(store, header.run)) {
    written.events++;
    yield* texts.lines({ event: inOrder(event) });
  }
  for (const { conversation } of store.conversations(header.run)) {
    written.conversations++;
    for (const event of store.events(header.run, conversation)) {
      written.events++;
      yield* texts.lines({ event: inOrder(event) });
    }
    calls.begin();
    for (const event of store.events(header.run, conversation)) {
      if (event.type !== "call-start" || event.identity === undefined || calls.has(event.identity)) continue;
      const call = callOf(store.calls, event);
      if (call === undefined) continue;
      written.calls++;
      yield* calls.lines(call);
    }
  }
  for (const event of store.events(header.run)) {
    if (event.type === "run-start" || event.type === "scenario-define") continue;
    if ("conversation" in event && event.conversation !== undefined) continue;
    written.events++;
    yield* texts.lines({ event: inOrder(event) });
  }
  yield lineOf({ end: written satisfies RunFileEnd });
}

/** The same whatever the store: first what most events have. */
function inOrder(event: RunEvent): object {
  // Which keys an event has is looked at here only; each may be missing.
  const { type, at, conversation, turn, ...rest } = event as RunEvent & {
    readonly conversation?: string;
    readonly turn?: number;
  };
  return { type, at, conversation, turn, ...rest };
}

function headerOf(store: Store, name: string): RunFileHeader {
  const { run, startedAt, endedAt, parent, tags, statuses, start } = storedRun(store, name);
  // A seal means something only in the store where it was made.
  const { seal: _seal, ...open } = start;
  const counted = CONVERSATION_STATUSES.flatMap((status) =>
    statuses[status] === undefined ? [] : [[status, statuses[status]] as const],
  );
  return {
    format: RUN_FORMAT,
    version: RUN_VERSION,
    run,
    endedAt,
    parent,
    tags,
    statuses: Object.fromEntries(counted),
    start: inOrder({ ...open, at: startedAt }) as RunFileHeader["start"],
  };
}

/** How many calls are remembered, so that judges of the same replies share them in the file. */
const REMEMBERED_CALLS = 100_000;

/**
 * Writes calls as cassettes do: what many have in common by a number, and messages as those that follow a list which an
 * earlier call of the same conversation has.
 */
export class CallWriter {
  readonly #texts: LongTextWriter;
  readonly #written = new BoundedMap<true>(REMEMBERED_CALLS);
  readonly #settings = new BoundedMap<number>(SETTINGS_WINDOW);
  #numbers = 0;
  #tree = new MessageTree();
  #known = new Set<MessageNode>();

  constructor(texts: LongTextWriter) {
    this.#texts = texts;
  }

  /** Another conversation begins: what is kept must not grow with the run. */
  begin(): void {
    this.#tree = new MessageTree();
    this.#known = new Set([this.#tree.root]);
  }

  /** True if the call is in the file, as far back as is remembered. */
  has(identity: string): boolean {
    return this.#written.has(identity);
  }

  /** The lines of a call. */
  *lines({ identity, purpose, request, reply }: RecordedCall): Generator<string> {
    this.#written.add(identity, true);
    const { name, model, instructions, tools, schema, replicate, seed, messages } = request;
    const shared = { name, model, instructions, tools, schema };
    const hash = contentHash(JSON.stringify(shared));
    let settings = this.#settings.get(hash);
    if (settings === undefined) {
      settings = this.#numbers++;
      this.#settings.add(hash, settings);
      yield* this.#texts.lines({ settings: shared });
    }
    const node = this.#tree.add(messages);
    const previous = this.#lastKnown(node);
    // Said about one day only.
    const { rateLimit: _, cached: __, ...lasting } = reply;
    const added = messagesOf(node, previous);
    yield* this.#texts.lines({
      call: { settings, purpose, replicate, seed, previous: previous.hash, messages: added, reply: lasting },
    });
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
