import { isRecord, type JsonValue } from "../../core/values/json.ts";
import { isModel } from "../../project/parse-project-file.ts";
import { REDACTED, redactSecrets } from "../../secrets/redact-secrets.ts";
import { openData } from "../../secrets/secret-data.ts";
import { openHeaders } from "../../secrets/secret-headers.ts";
import { printableText } from "../../terminal/printable-text.ts";

/**
 * A value on one line, as a person may see it: secrets are left out, functions and models go by their names. `name` is the key that
 * it stands under, where there is one.
 */
export function showSetting(value: unknown, name = ""): string {
  if (value === undefined) return "–";
  const shown = written(openData(openPart(name, value)));
  return printableText(redactSecrets(shown));
}

/** What stands for a secret in a shown setting. */
export const HIDDEN: readonly string[] = ["(secret)", REDACTED];

/** Plain data, without the values of headers and variables that look like secrets. */
function openPart(name: string, value: unknown): JsonValue {
  return (name === "headers" || name === "env") && isTexts(value) ? openTexts(value) : openValue(value);
}

/** Of what looks like a secret by its name, the name is left; what only names a variable is none. */
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

/** As YAML would have it on one line, with no more quotes than are needed to tell texts from the rest. */
function written(value: JsonValue, isInside = false): string {
  if (typeof value === "string")
    return isInside && !/^[\w./@$ -]+$/.test(value) ? JSON.stringify(value) : value;
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => written(item, true)).join(", ")}]`;
  if (!isRecord(value)) return value === null ? "none" : String(value);
  const parts = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return `{ ${parts.map(([key, part]) => `${key}: ${written(part, true)}`).join(", ")} }`;
}
