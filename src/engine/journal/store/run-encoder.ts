import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import { endOfRun, isKept } from "../fold/run.ts";
import type { RunEvent } from "../run-event.ts";
import { ConversationRows, type LiveConversation, newLive } from "./conversation-rows.ts";
import { CallEncoder } from "./encode-call.ts";
import { type EncodedEvent, encodeEvent } from "./encode-event.ts";
import { type LoggedRows, RowLog } from "./row-log.ts";

/** The run has its row only where the log is written. */
const RUN = 0;

/** Turns the events and calls of a new run into rows, conversation after conversation, each in one piece. Needs no store. */
export class RunEncoder {
  readonly #log = new RowLog();
  readonly #conversations = new ConversationRows();
  readonly #calls = new CallEncoder();
  #live: LiveConversation | undefined;
  /** Events of the conversation that is under way: its row comes first, and is written once. */
  #waiting: EncodedEvent[] = [];
  #endedAt: number | undefined;

  /** When the run ended, if an event said so. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  event(event: RunEvent): void {
    if (!isKept(event)) return;
    const name = "conversation" in event ? event.conversation : undefined;
    if (name !== this.#live?.folded.conversation) this.#close();
    const encoded = encodeEvent(event);
    if (name === undefined) {
      const { type, turn, at } = encoded;
      this.#log.event({ run: RUN, conversation: null, type, turn, at, json: this.#log.texts(encoded) });
      this.#endedAt = endOfRun(event) ?? this.#endedAt;
      return;
    }
    this.#live ??= newLive("", RUN, name);
    this.#live.folded.apply(event);
    this.#waiting.push(encoded);
  }

  call(call: RecordedCall): void {
    const encoded = this.#calls.encode(call);
    if (encoded === undefined) return;
    const { kept: _, answer, ...row } = encoded;
    this.#log.call({ ...row, run: RUN, json: this.#log.texts(answer), written: () => {} });
  }

  /** All rows since the last time. */
  take(): LoggedRows {
    this.#write();
    this.#conversations.save(this.#log);
    return this.#log.take();
  }

  #close(): void {
    this.#write();
    this.#live = undefined;
  }

  #write(): void {
    const live = this.#live;
    if (live === undefined || this.#waiting.length === 0) return;
    const conversation = this.#conversations.idOf(live, this.#log);
    this.#conversations.touch(live);
    for (const encoded of this.#waiting) {
      const { type, turn, at } = encoded;
      this.#log.event({ run: RUN, conversation, type, turn, at, json: this.#log.texts(encoded) });
    }
    this.#waiting = [];
  }
}
