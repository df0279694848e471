import { errorMessage } from "../value/error-message.ts";
import { frozenCopy } from "../value/frozen-copy.ts";
import { functionSource } from "../value/function-source.ts";
import type { JsonObject } from "../value/json.ts";
import { redactSecrets } from "../value/redact-secrets.ts";
import { contentHash } from "./content-hash.ts";
import { frozenMessages } from "./frozen-messages.ts";
import { type FunctionReply, readFunctionReply } from "./function-reply.ts";
import type { Message } from "./message.ts";
import type { CallContext, Model, ModelCard, ModelRequest } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { redactedCause } from "./redacted-cause.ts";
import { shortened } from "./server-message.ts";
import { abortedCall } from "./to-model-error.ts";
import { untilAborted } from "./until-aborted.ts";

/** What a function knows of the call besides the messages. */
export type FunctionContext = Pick<ModelRequest, "instructions" | "tools" | "schema"> &
  Omit<CallContext, "purpose">;

/** A model as a function: a team's own agent, a pipeline, anything that answers. */
export type ReplyFunction = (
  messages: readonly Message[],
  context: FunctionContext,
) => FunctionReply | PromiseLike<FunctionReply>;

/** What to know of a function that is a model. */
export interface FunctionModelOptions {
  /** As reports show it. */
  readonly name: string;
  /** What shapes replies besides the function's own text, such as the version of an agent. */
  readonly parameters?: JsonObject;
  readonly price?: ModelCard["price"];
}

/**
 * A model from a function. What the function throws is an error of its author, and ends no more than the conversation.
 *
 * @example
 * functionModel(async (messages) => agent.answer(messages.at(-1)), { name: "our-agent", parameters: { version: 3 } })
 */
export function functionModel(reply: ReplyFunction, options: FunctionModelOptions): Model {
  const { name, parameters, price } = options;
  return {
    name,
    account: `function ${name}`,
    identity: {
      provider: "function",
      model: name,
      source: contentHash(functionSource(reply)),
      ...(parameters === undefined ? {} : { parameters }),
    },
    ...(price === undefined ? {} : { price }),
    async reply(request, context) {
      const { signal } = context;
      if (signal.aborted) throw abortedCall(signal, name);
      let returned: unknown;
      try {
        const answer = (async () =>
          reply(frozenMessages(request.messages), functionContext(request, context)))();
        returned = await untilAborted(signal, answer, () => abortedCall(signal, name));
      } catch (error) {
        if (signal.aborted) throw abortedCall(signal, name);
        throw authorError(name, error);
      }
      return readFunctionReply(returned, name);
    },
  };
}

function authorError(name: string, error: unknown): ModelError {
  // An agent may tell what kind of trouble it had.
  if (error instanceof ModelError) return error;
  return new ModelError("author", `${name} threw: ${shortened(redactSecrets(errorMessage(error)), 1000)}`, {
    cause: redactedCause(error, (text) => redactSecrets(text)),
  });
}

function functionContext(request: ModelRequest, context: CallContext): FunctionContext {
  const { instructions, tools, schema } = request;
  const { purpose: _, ...rest } = context;
  // Tools and schema are JSON, which is copied as it is.
  const copied = frozenCopy({ instructions, tools, schema }, () => {}) as typeof request;
  return Object.freeze({ ...copied, ...rest });
}
