import { formatPath } from "../../core/schema/format-issue.ts";
import { isRecord, type JsonValue } from "../../core/values/json.ts";
import type { TextOptions } from "../../insight/report/text/text-blocks.ts";
import { REDACTED } from "../../system/secrets/known-secrets.ts";
import { redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { openData, openHeaders } from "../../system/secrets/secret-data.ts";
import { printableText } from "../../system/terminal/printable-text.ts";
import { alignColumns, linesText, type TableCell, wrapText } from "../../system/terminal/text-layout.ts";
import { isModel } from "../project/project-file.ts";
import type { ResolvedSettings } from "../project/resolve-settings.ts";
import type { SettingEntry } from "../project/setting-entries.ts";
import { SETTING_SHAPES } from "../project/settings-shape.ts";

interface Line {
  readonly key: string;
  readonly value: string;
  readonly origin: string;
}

const MOST_ITEMS = 20;

/** Every setting with its value and its origin, including defaults. */
export function explainSettings({ entries }: ResolvedSettings, { style, width }: TextOptions): string {
  const byKey = Map.groupBy(entries.values(), ({ path }) => String(path[0]));
  const lines = Object.keys(SETTING_SHAPES).flatMap((key) => {
    const found = byKey.get(key)?.flatMap(entryLines) ?? [];
    return found.length > 0 ? found : [{ key, value: "–", origin: "default" }];
  });
  const keyWidth = Math.min(Math.floor(width * 0.4), Math.max(...lines.map(({ key }) => key.length)));
  const rows = lines.flatMap(({ key, value, origin }): readonly (readonly TableCell[])[] => {
    const isDefault = origin === "default";
    const keys = wrapText(key, keyWidth);
    const values = wrapText(`${value} (${origin})`, width - keyWidth - 2);
    return Array.from({ length: Math.max(keys.length, values.length) }, (_, row) => [
      { text: keys[row] ?? "", paint: isDefault ? style.dim : style.bold },
      { text: values[row] ?? "", ...(isDefault ? { paint: style.dim } : {}) },
    ]);
  });
  return linesText(alignColumns(rows, ["<", "<"]));
}

/** A list has a line for each entry, except rows of data; every other value has one line. */
function entryLines({ path, value, origin: from }: SettingEntry): readonly Line[] {
  const key = printableText(formatPath(path));
  const origin = printableText(from);
  if (key === "rows" && Array.isArray(value)) return [{ key, value: `${value.length} rows`, origin }];
  if (key === "rubric" && isRecord(value) && Array.isArray(value.traits)) {
    const names = value.traits.map((trait) => (isRecord(trait) ? trait.name : trait));
    return [{ key: "rubric.traits", value: showSetting(names), origin }];
  }
  if (!Array.isArray(value)) return [{ key, value: showSetting(value, String(path.at(-1))), origin }];
  if (value.length < 2) return [{ key, value: value.length === 0 ? "–" : showSetting(value[0]), origin }];
  const shown = value
    .slice(0, MOST_ITEMS)
    .map((item, index) => ({ key: `${key}[${index}]`, value: showSetting(item), origin }));
  const rest = value.length - shown.length;
  return rest === 0 ? shown : [...shown, { key, value: `… and ${rest} more`, origin }];
}

/**
 * A value on one line, without secrets; functions and models are shown by their names. `name` is the key of the value, if it has one.
 */
export function showSetting(value: unknown, name = ""): string {
  if (value === undefined) return "–";
  const shown = written(openData(openPart(name, value)));
  return printableText(redactSecrets(shown));
}

/** What replaces a secret in a shown setting. */
export const HIDDEN: readonly string[] = ["(secret)", REDACTED];

/** Plain data, without the values of headers and variables that look like secrets. */
function openPart(name: string, value: unknown): JsonValue {
  return (name === "headers" || name === "env") && isTexts(value) ? openTexts(value) : openValue(value);
}

/** Values of secret headers and variables are replaced; a reference to a variable (`$NAME`) is not secret. */
function openTexts(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const [open = text] = /^\$\w+$/.test(text) ? [text] : Object.values(openHeaders({ [name]: text }));
      return [name, open];
    }),
  );
}

function openValue(value: unknown): JsonValue {
  if (typeof value === "function") return `function ${value.name || "without a name"}`;
  if (Array.isArray(value)) return value.map(openValue);
  if (isModel(value)) return `model ${String((value as { readonly name?: unknown }).name)}`;
  // What is left of a checked setting is data.
  if (!isRecord(value)) return (value ?? null) as JsonValue;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([key, part]) => [key, openPart(key, part)]),
  );
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((part) => typeof part === "string");
}

/** A value in the style of YAML on one line, with quotes only where they are needed. */
function written(value: JsonValue, isInside = false): string {
  if (typeof value === "string")
    return isInside && !/^[\w./@$ -]+$/.test(value) ? JSON.stringify(value) : value;
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => written(item, true)).join(", ")}]`;
  if (!isRecord(value)) return value === null ? "none" : String(value);
  const parts = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return `{ ${parts.map(([key, part]) => `${key}: ${written(part, true)}`).join(", ")} }`;
}
