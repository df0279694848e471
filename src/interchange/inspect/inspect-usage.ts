import type { JsonObject } from "../../core/values/json.ts";
import type { MadeCall } from "../../journal/fold/calls.ts";
import type { Usage } from "../../models/model.ts";

/** Usage by the name of the model, and by role. */
export interface UsageByModel {
  readonly models: Readonly<Record<string, JsonObject>>;
  readonly roles: Readonly<Record<string, JsonObject>>;
}

/** The usage of calls that were really made; what a provider did not say is left out. */
export function usageOf(calls: readonly MadeCall[]): UsageByModel {
  const models: Record<string, JsonObject> = {};
  const roles: Record<string, JsonObject> = {};
  for (const { purpose, model, end } of calls) {
    if (purpose === "tool" || end === undefined || end.cached || end.usage === undefined) continue;
    const usage = inspectUsage(end.usage, end.cost ?? null);
    models[model] = addUsage(models[model], usage);
    if (purpose !== "subject") roles[purpose] = addUsage(roles[purpose], usage);
  }
  return { models, roles };
}

/** Inspect counts cached input by itself. */
function inspectUsage(usage: Usage, cost: number | null): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0),
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cacheReadTokens === undefined ? {} : { input_tokens_cache_read: cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { input_tokens_cache_write: cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoning_tokens: reasoningTokens }),
    ...(cost === null ? {} : { total_cost: cost }),
  };
}

/** The sum of two usages; a cost that is unknown in one of them is unknown. */
export function addUsage(left: JsonObject | undefined, right: JsonObject): JsonObject {
  if (left === undefined) return right;
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (key) => key !== "total_cost" || (key in left && key in right),
  );
  return Object.fromEntries(keys.map((key) => [key, Number(left[key] ?? 0) + Number(right[key] ?? 0)]));
}
