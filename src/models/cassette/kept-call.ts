import type { MessageNode } from "./message-tree.ts";
import type { AskedCall, RecordedCall } from "./recorded-call.ts";

/** A call as it is kept: its messages are a node of the tree. */
export interface KeptCall extends Omit<RecordedCall, "asked"> {
  readonly asked: Omit<AskedCall, "messages">;
  readonly node: MessageNode;
}
