import { isRecord, type UnknownRecord } from "../core/values/json.ts";

/** Settings as a file would have them: code may hold models where a file holds their names, and the shape knows only names. */
export function withModelNames(record: UnknownRecord): UnknownRecord {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      if (key === "subjects" || key === "judges") return [key, modelName(value)];
      if (key !== "profiles" || !isRecord(value)) return [key, value];
      const profiles = Object.entries(value);
      return [
        key,
        Object.fromEntries(
          profiles.map(([name, profile]) => [name, isRecord(profile) ? withModelNames(profile) : profile]),
        ),
      ];
    }),
  );
}

function modelName(value: unknown): unknown {
  if (typeof value === "function" || isModel(value)) return "a model";
  if (Array.isArray(value)) return value.map(modelName);
  if (!isRecord(value)) return value;
  return {
    ...value,
    ...("model" in value ? { model: modelName(value.model) } : {}),
    ...("panel" in value ? { panel: modelName(value.panel) } : {}),
  };
}

/** True for a model that was made in code, as opposed to the name or the description of one. */
export function isModel(value: unknown): boolean {
  return isRecord(value) && (typeof value.reply === "function" || typeof value.simulate === "function");
}
