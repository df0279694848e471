import { isRecord, type JsonObject, type UnknownRecord } from "../values/json.ts";

/** A message, as far as a function that is a model needs to know it. */
interface AskedMessage {
  readonly role: string;
  readonly content?: string;
}

/** A model as a function of the messages; `ReplyFunction` of `elenchus/models` has all that it may use and return. */
type ModelFunction = {
  // Written as a method, so that functions which know more about messages fit, too.
  reply(messages: readonly AskedMessage[], context: never): unknown;
}["reply"];

/** An object that is a model, such as `functionModel` and `resolveModel` make. */
interface ModelObject {
  readonly name: string;
  /** Everything that shapes replies besides the request. */
  readonly identity: JsonObject;
  readonly account: string;
}

/** The name of a subject or judge of the run, or of a model (`provider/model`); a function; or a model. */
type NodeModel = string | ModelFunction | ModelObject;

/** A model for one node, where needed with parameters and, of a subject, a system prompt. */
export type ModelReference =
  | NodeModel
  | {
      readonly model: NodeModel;
      readonly parameters?: JsonObject;
      readonly systemPrompt?: string;
    };

/** Other models than the run's, for one node. */
export interface ModelOverride {
  /** The model that answers. */
  readonly subject?: ModelReference;
  /** The model that reads and grades the reply. */
  readonly judge?: ModelReference;
  /** The system prompt at this node, before those of the agent, the scenario and the run. */
  readonly systemPrompt?: string;
}

const ROLES = ["subject", "judge"] as const;

/**
 * Definitions are data. So a model that is an object is written as its name and identity, and the object itself is kept
 * beside the definition.
 */
const objects = new WeakMap<object, ModelObject>();

/** The object that an author gave as a model; undefined for a name or a function. */
export function modelObject(reference: ModelReference): ModelObject | undefined {
  return typeof reference === "object" ? objects.get(reference) : undefined;
}

/** True for a function or an object, which no file can hold. */
export function isCode(reference: ModelReference): boolean {
  if (modelObject(reference) !== undefined || typeof reference === "function") return true;
  return typeof reference === "object" && "model" in reference && typeof reference.model === "function";
}

/** A node with models that can be copied as data, and what keeps the objects for the copy. */
interface NodeAsData {
  readonly node: unknown;
  keepFor(copy: unknown): void;
}

/** Writes the models of a node that are objects as data. */
export function nodeAsData(node: unknown): NodeAsData {
  const override = isRecord(node) ? node.modelOverride : undefined;
  const found = new Map<string, ModelObject>();
  if (!isRecord(node) || !isRecord(override)) return { node, keepFor: () => {} };
  const written: Record<string, unknown> = { ...override };
  for (const role of ROLES) {
    const reference = override[role];
    const model = isModelObject(reference) ? reference : isRecord(reference) ? reference.model : undefined;
    if (!isModelObject(model)) continue;
    const rest = isModelObject(reference) ? {} : (reference as UnknownRecord);
    written[role] = { ...rest, model: model.name, identity: model.identity };
    found.set(role, model);
  }
  return {
    node: found.size === 0 ? node : { ...node, modelOverride: written },
    keepFor(copy) {
      const kept = isRecord(copy) && isRecord(copy.modelOverride) ? copy.modelOverride : {};
      for (const [role, model] of found) {
        const reference = kept[role];
        if (isRecord(reference)) objects.set(reference, model);
      }
    },
  };
}

function isModelObject(value: unknown): value is ModelObject {
  // Simulated models have `simulate`, all others `reply`; either may be inherited.
  return (
    isRecord(value) &&
    typeof value.name === "string" &&
    isRecord(value.identity) &&
    (typeof value.reply === "function" || typeof value.simulate === "function")
  );
}
