import type { Model } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";

/** Takes the place of a subject that is not asked. */
export function silentModel(name: string): Model {
  return {
    name,
    identity: { provider: "stored", model: name },
    account: "stored",
    price: null,
    reply: () => Promise.reject(new ModelError("cancelled", `${name} is not asked again.`)),
  };
}
