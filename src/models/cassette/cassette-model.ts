import { callIdentity } from "../call-identity.ts";
import type { Model, ModelCard } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { abortedCall } from "../providers/to-model-error.ts";
import type { Cassette } from "./cassette.ts";
import { explainMiss } from "./explain-miss.ts";
import { recordOnce } from "./record-once.ts";
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
      const recorded = cassette.replyTo(callIdentity(card, request, context));
      if (recorded !== undefined) return { ...recorded, cached: true };
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
