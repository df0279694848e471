import { callIdentity } from "../call-identity.ts";
import type { CallContext, Model, ModelCard, ModelReply, ModelRequest } from "../model.ts";
import { abortedCall } from "../providers/to-model-error.ts";
import { untilAborted } from "../until-aborted.ts";
import type { Cassette } from "./cassette.ts";
import { callRequest } from "./recorded-call.ts";

/** Asks a model and records what it answers. */
export type RecordingCall = (request: ModelRequest, context: CallContext) => Promise<ModelReply>;

/**
 * Asks a model and records its answers under a card. The same call made again before there is an answer waits for that answer;
 * if the first one fails, which says nothing about the second, the second is made itself. Failures, and replies that were cut
 * off, are never recorded.
 */
export function recordOnce(card: ModelCard, model: Model, cassette: Cassette): RecordingCall {
  const inFlight = new Map<string, Promise<ModelReply | undefined>>();

  return async (request, context) => {
    const { signal } = context;
    const identity = callIdentity(card, request, context);
    for (let other = inFlight.get(identity); other !== undefined; other = inFlight.get(identity)) {
      const reply = await untilAborted(signal, other, () => abortedCall(signal, card.name));
      if (reply !== undefined) return reply;
    }
    const answer = (async () => {
      const reply = await model.reply(request, context);
      if (reply.finish !== "length") {
        const { purpose } = context;
        cassette.set({ identity, purpose, request: callRequest(card, request, context), reply });
      }
      return reply;
    })();
    const settled = answer.catch(() => undefined).finally(() => inFlight.delete(identity));
    inFlight.set(identity, settled);
    return answer;
  };
}
