import type { CallRequest, RecordedCall } from "../../models/cassette/recorded-call.ts";

/** What calls of one model, prompt, tools and schema have in common. */
export type CallSettings = Pick<CallRequest, "name" | "model" | "instructions" | "tools" | "schema">;

/** A message of a call as its row. */
export interface MessageColumns {
  /** The row of the message before it. */
  readonly previous: number | null;
  /** JSON in which long texts are references. */
  readonly data: string;
}

/** An answered call as it is stored: the reply as JSON in which long texts are references, and the row of its last message. */
export interface StoredCall extends Pick<RecordedCall, "purpose">, Pick<CallRequest, "replicate" | "seed"> {
  readonly settings: CallSettings;
  readonly reply: string;
  readonly messages: number | null;
  readonly messageOf: (row: number) => MessageColumns | undefined;
  readonly textOf: (hash: string) => string;
}
