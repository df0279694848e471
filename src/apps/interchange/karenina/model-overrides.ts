import type { AgentIdentity } from "../../../core/scenario/definition.ts";
import { isCode, type ModelOverride, type ModelReference } from "../../../core/scenario/model-override.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { type Note, NotTranslatable, present } from "./primitives.ts";

/** Providers of upstream's model library, by their names here. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
  google_genai: "google",
  google_vertexai: "google",
  ollama: "ollama",
  openrouter: "openrouter",
  groq: "groq",
  mistralai: "mistral",
  together: "together",
  deepseek: "deepseek",
  xai: "xai",
};

/** Settings of a model that have a counterpart here. */
const PARAMETERS: Readonly<Record<string, string>> = {
  temperature: "temperature",
  max_tokens: "maxOutputTokens",
};

/** Keys that are taken over, or say nothing about what a model does; none of them holds a secret. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ..."id model_name model_provider interface system_prompt max_retries".split(" "),
  ...Object.keys(PARAMETERS),
]);

/** Models and agent of a node, as a file has them. Addresses, headers and further arguments are never taken over. */
export function translateModelOverride(
  override: JsonValue | undefined,
  agentIdentity: JsonValue | undefined,
  note: Note,
): JsonObject {
  const { answering_model, parsing_model } = isRecord(override) ? (override as JsonObject) : {};
  const subject = modelOf(answering_model, "answering_model", note);
  const judge = modelOf(parsing_model, "parsing_model", note);
  const prompt = isRecord(answering_model) ? answering_model.system_prompt : undefined;
  const systemPrompt = prompt || undefined;
  const agent = agentIdentity || undefined;
  const models = present({ subject, judge, systemPrompt: agent === undefined ? systemPrompt : undefined });
  return present({
    modelOverride: Object.keys(models).length > 0 ? models : undefined,
    agentIdentity: agent && systemPrompt ? { name: agent, systemPrompt } : agent,
  });
}

function modelOf(data: JsonValue | undefined, key: string, note: Note): JsonObject | undefined {
  if (!isRecord(data)) return undefined;
  const model = data as JsonObject;
  const others = Object.keys(model).filter((name) => !KNOWN_KEYS.has(name) && (model[name] ?? null) !== null);
  if (others.length > 0) note(`${key}: ${others.join(", ")} are not taken over`);
  const name = typeof model.model_name === "string" ? model.model_name : "";
  const upstream = model.interface === "openrouter" ? "openrouter" : String(model.model_provider ?? "");
  const provider = Object.hasOwn(PROVIDERS, upstream) ? PROVIDERS[upstream] : undefined;
  if (provider === undefined || name === "") {
    note(
      `${key}: ${name === "" ? "a model without a name" : `the model ${name}`} has no provider that is known here; the model of the run is used`,
    );
    return undefined;
  }
  const parameters = Object.entries(PARAMETERS).flatMap(([from, to]) =>
    typeof model[from] === "number" ? [[to, model[from]] as const] : [],
  );
  return {
    model: `${provider}/${name}`,
    ...(parameters.length > 0 ? { parameters: Object.fromEntries(parameters) } : {}),
  };
}

/** The names that upstream's model library has for our providers. */
const UPSTREAM: Readonly<Record<string, string>> = { google: "google_genai", mistral: "mistralai" };

/** Models and agent of a node in upstream's words. */
export function writeModelOverride(
  override: ModelOverride | undefined,
  agentIdentity: AgentIdentity | undefined,
  note: Note,
): JsonObject {
  const agent = typeof agentIdentity === "string" ? { name: agentIdentity } : agentIdentity;
  const own = agent !== undefined && "systemPrompt" in agent ? agent.systemPrompt : undefined;
  const prompt = override?.systemPrompt ?? own;
  if (override?.subject === undefined && prompt !== undefined)
    note("upstream has system prompts with models only, so this one is left out");
  const models = present({
    answering_model: override?.subject && writeModel(override.subject, present({ system_prompt: prompt })),
    parsing_model: override?.judge && writeModel(override.judge, {}),
  });
  return present({
    modelOverride: Object.keys(models).length > 0 ? models : undefined,
    agentIdentity: agent?.name,
  });
}

function writeModel(reference: ModelReference, more: JsonObject): JsonObject {
  const { model, parameters = {} }: { readonly model?: unknown; readonly parameters?: JsonObject } =
    typeof reference === "object" && !isCode(reference) ? (reference as JsonObject) : { model: reference };
  const slash = typeof model === "string" ? model.indexOf("/") : -1;
  if (typeof model !== "string" || slash === -1)
    throw new NotTranslatable("its model is not one of a provider, and has no counterpart");
  const provider = model.slice(0, slash);
  const known = Object.entries(PARAMETERS).flatMap(([upstream, here]) =>
    typeof parameters[here] === "number" ? [[upstream, parameters[here]] as const] : [],
  );
  return {
    id: model,
    model_name: model.slice(slash + 1),
    model_provider: UPSTREAM[provider] ?? provider,
    interface: provider === "openrouter" ? "openrouter" : "langchain",
    ...Object.fromEntries(known),
    ...more,
  };
}

/** Models and agent of a node in upstream's words, without keys that may hold secrets. */
export function withoutSecrets(
  override: JsonValue | undefined,
  agentIdentity: JsonValue | undefined,
): JsonObject | undefined {
  if (!isRecord(override)) return undefined;
  const models = Object.entries(override)
    .filter(([, model]) => isRecord(model))
    .map(([key, model]) => [
      key,
      Object.fromEntries(Object.entries(model as JsonObject).filter(([name]) => KNOWN_KEYS.has(name))),
    ]);
  return present({ modelOverride: Object.fromEntries(models), agentIdentity });
}
