import type { Model } from "../model.ts";
import type { Cassette } from "./cassette.ts";
import { recordOnce } from "./record-once.ts";

/** A model that records every answer of another one, and is the same in everything else. */
export function recordingModel(model: Model, cassette: Cassette): Model {
  const { name, identity, account } = model;
  return {
    name,
    identity,
    account,
    ...(model.price === undefined ? {} : { price: model.price }),
    ...(model.isPatient === undefined ? {} : { isPatient: model.isPatient }),
    reply: recordOnce(model, model, cassette),
    close: async () => model.close?.(),
  };
}
