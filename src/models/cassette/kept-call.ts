import type { MessageNode } from "./message-tree.ts";
import type { CallRequest, RecordedCall } from "./recorded-call.ts";

/** A call as it is kept: its messages are a node of the tree. */
export interface KeptCall extends Omit<RecordedCall, "request"> {
  readonly request: Omit<CallRequest, "messages">;
  readonly node: MessageNode;
}
