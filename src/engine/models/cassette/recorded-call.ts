import type { JsonObject } from "../../../core/values/json.ts";
import { type CallRepetition, callIdentity } from "../call-identity.ts";
import type { Message } from "../message.ts";
import type { CallContext, ModelCard, ModelReply, ModelRequest, ToolDefinition } from "../model.ts";
import type { MessageNode } from "./message-tree.ts";

/** Everything that shapes a call's answer, in parts that can be compared with those of another call. */
export interface CallRequest {
  /** The model's name, as reports show it. */
  readonly name: string;
  /** The model's identity. */
  readonly model: JsonObject;
  readonly instructions: string | null;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[] | null;
  readonly schema: JsonObject | null;
  readonly replicate: number;
  readonly seed: number;
}

/** A call and its answer. */
export interface RecordedCall {
  /** See `callIdentity`. */
  readonly identity: string;
  readonly purpose: CallContext["purpose"];
  readonly request: CallRequest;
  readonly reply: ModelReply;
}

/** The parts of a call. */
export function callRequest(
  { name, identity }: ModelCard,
  { instructions, messages, tools, schema }: ModelRequest,
  { replicate, seed }: CallRepetition,
): CallRequest {
  return {
    name,
    model: identity,
    instructions: instructions ?? null,
    messages,
    tools: tools ?? null,
    schema: schema ?? null,
    replicate,
    seed,
  };
}

/** The identity of a call, from its parts. */
export function identityOfRequest(call: CallRequest): string {
  const { name, model, instructions, messages, tools, schema } = call;
  const request: ModelRequest = {
    messages,
    ...(instructions === null ? {} : { instructions }),
    ...(tools === null ? {} : { tools }),
    ...(schema === null ? {} : { schema }),
  };
  return callIdentity({ name, identity: model, account: "" }, request, call);
}

/** A call as it is kept: its messages are a node of the tree. */
export interface CassetteEntry extends Omit<RecordedCall, "request"> {
  readonly request: Omit<CallRequest, "messages">;
  readonly node: MessageNode;
}
