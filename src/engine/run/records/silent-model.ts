import { isRecord } from "../../../core/values/json.ts";
import type { Model } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";

const STORED = "stored";

/** Takes the place of a subject that is not asked. */
export function silentModel(name: string): Model {
  return {
    name,
    identity: { provider: STORED, model: name },
    account: STORED,
    price: null,
    reply: () => Promise.reject(new ModelError("cancelled", `${name} is not asked again.`)),
  };
}

/** True of the identity of a model that takes the place of a subject. */
export function isSilent(identity: unknown): boolean {
  return isRecord(identity) && identity.provider === STORED;
}
