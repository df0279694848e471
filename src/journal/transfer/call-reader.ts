import { freezeDeep } from "../../core/values/frozen-copy.ts";
import { CALL_SHAPE, SETTINGS_SHAPE } from "../../models/cassette/cassette-format.ts";
import { MessageTree, RecentLists } from "../../models/cassette/message-tree.ts";
import {
  type CallRequest,
  identityOfRequest,
  type RecordedCall,
} from "../../models/cassette/recorded-call.ts";
import type { Message } from "../../models/message.ts";
import { BoundedMap } from "./bounded-map.ts";
import { checkedValue, DAMAGED } from "./checked-line.ts";
import type { LongTextReader } from "./long-texts.ts";
import { SETTINGS_WINDOW } from "./run-file.ts";
import { RunFileError } from "./run-file-error.ts";

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

  constructor(texts: LongTextReader) {
    this.#texts = texts;
  }

  /** Another conversation begins. */
  begin(): void {
    this.#lists = new RecentLists(new MessageTree());
  }

  addSettings(line: object, number: number): void {
    const checked = checkedValue(SETTINGS_SHAPE, line, { texts: this.#texts, number });
    // The shape is just that. Frozen, it is hashed once.
    const { settings } = freezeDeep(checked as { readonly settings: Settings });
    this.#settings.add(String(this.#numbers++), settings);
  }

  /** A call. Its identity is made from what was asked: a file cannot claim another one. */
  call(value: unknown, number: number): RecordedCall {
    // The shape is just that.
    const line = checkedValue(CALL_SHAPE, value, { texts: this.#texts, number }) as CallLine;
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
    return { identity: identityOfRequest(request), purpose, request, reply };
  }
}
