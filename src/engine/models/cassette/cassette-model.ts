import { callIdentity } from "../call-identity.ts";
import type { Model, ModelCard, ModelReply } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { abortedCall, untilAborted } from "../to-model-error.ts";
import type { Cassette } from "./cassette.ts";
import { explainMiss } from "./explain-miss.ts";
import { callRequest } from "./recorded-call.ts";

/** What is done about calls that are not recorded. */
export interface CassetteModelOptions {
  /** Asked instead, and its answers recorded; without it, such a call is an error that says what differs. */
  readonly fallback?: Model;
}

/**
 * A model that answers from recorded calls. Reports show it as the model that was recorded. Without a fallback its calls cost
 * nothing and share no limits with the model itself.
 */
export function cassetteModel(
  card: ModelCard,
  cassette: Cassette,
  { fallback }: CassetteModelOptions = {},
): Model {
  const { name, identity, price } = card;
  const ask = fallback === undefined ? undefined : recordOnce(card, fallback, cassette);
  return {
    name,
    identity,
    ...(ask === undefined
      ? { account: `cassette ${card.account}`, price: null }
      : { account: card.account, ...(price === undefined ? {} : { price }) }),
    ...(card.isPatient === undefined ? {} : { isPatient: card.isPatient }),
    async reply(request, context) {
      if (context.signal.aborted) throw abortedCall(context.signal, name);
      const recorded = cassette.get(callIdentity(card, request, context));
      if (recorded !== undefined) return { ...recorded.reply, cached: true };
      if (ask !== undefined) return ask(request, context);
      const missing = callRequest(card, request, context);
      const near = cassette.near(missing).map((call) => call.request);
      throw new ModelError(
        "cassette_miss",
        `${name}: this call is not recorded. ${explainMiss(missing, near)} Record it, or give a model to ask instead.`,
      );
    },
    close: async () => fallback?.close?.(),
  };
}

/**
 * Asks a model and records its answers under a card. The same call made again before there is an answer waits for that answer;
 * if the first one fails, which says nothing about the second, the second is made itself. Failures, and replies that were cut
 * off, are never recorded.
 */
function recordOnce(card: ModelCard, model: Model, cassette: Cassette): Model["reply"] {
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

/** A model that records every answer of another one, and is the same in everything else. */
export function recordingModel(model: Model, cassette: Cassette): Model {
  const { name, identity, account } = model;
  return {
    name,
    identity,
    account,
    ...(model.price === undefined ? {} : { price: model.price }),
    ...(model.isPatient === undefined ? {} : { isPatient: model.isPatient }),
    ...(model.isVolatile === undefined ? {} : { isVolatile: model.isVolatile }),
    ...(model.hasMemory === undefined ? {} : { hasMemory: model.hasMemory }),
    reply: recordOnce(model, model, cassette),
    close: async () => model.close?.(),
  };
}
