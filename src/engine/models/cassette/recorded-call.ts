import type { JsonObject } from "../../../core/values/json.ts";
import type { Message } from "../message.ts";
import { type CallRepetition, callIdentity } from "../message-list.ts";
import type { CallContext, ModelCard, ModelReply, ModelRequest, ToolDefinition } from "../model.ts";

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

/** What calls of one model, prompt, tools and schema have in common. */
export type CallSettings = Pick<CallRequest, "name" | "model" | "instructions" | "tools" | "schema">;

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
