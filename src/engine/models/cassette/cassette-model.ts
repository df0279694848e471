import { callIdentity } from "../message-list.ts";
import type { Model, ModelCard } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { abortedCall } from "../to-model-error.ts";
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
  const ask = fallback === undefined ? undefined : recorded(card, fallback, cassette);
  return {
    name,
    identity,
    ...(ask === undefined
      ? { account: `cassette ${card.account}`, price: null }
      : { account: card.account, ...(price === undefined ? {} : { price }) }),
    ...(card.isPatient === undefined ? {} : { isPatient: card.isPatient }),
    async reply(request, context) {
      if (context.signal.aborted) throw abortedCall(context.signal, name);
      const known = cassette.get(callIdentity(card, request, context));
      if (known !== undefined) return { ...known.reply, cached: true };
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

/** Asks a model and records its answers under a card. Failures, and replies that were cut off, are never recorded. */
function recorded(card: ModelCard, model: Model, cassette: Cassette): Model["reply"] {
  return async (request, context) => {
    const reply = await model.reply(request, context);
    if (reply.finish !== "length") {
      const identity = callIdentity(card, request, context);
      const { purpose } = context;
      cassette.set({ identity, purpose, request: callRequest(card, request, context), reply });
    }
    return reply;
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
    reply: recorded(model, model, cassette),
    close: async () => model.close?.(),
  };
}
