import type { JsonValue } from "../core/values/json.ts";
import { redactSecrets } from "./redact-secrets.ts";

/** Narrower than for headers: `stopToken` and `keywords` shape replies, and so must be part of what is written down. */
const SECRET_NAME =
  /^(?:key|token|secret|auth|authorization|cookie|credentials?)$|(?:api|access|auth|bearer|client|private|secret|service|session|signing|subscription|refresh|id)[_-]?(?:key|token|secret)$|(?:secret|password|passwd|passphrase|credentials?)$/i;

/** Data as it may be written down: of texts that are secrets, by their name or their look, nothing is left. */
export function openData(data: JsonValue): JsonValue {
  // Whatever is in it has been checked to be JSON.
  return JSON.parse(JSON.stringify(data), (name, value: unknown) =>
    typeof value === "string" && isSecret(name, value) ? "(secret)" : value,
  ) as JsonValue;
}

/** The texts in data that must never be shown. */
export function secretDataValues(data: JsonValue): readonly string[] {
  const values: string[] = [];
  JSON.stringify(data, (name, value: unknown) => {
    if (typeof value === "string" && isSecret(name, value)) values.push(value);
    return value;
  });
  return values;
}

/** The values in the query of an address that must never be shown. */
export function secretQueryValues(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  return [...new URL(address).searchParams].flatMap(([name, value]) =>
    isSecret(name, value) ? [value] : [],
  );
}

function isSecret(name: string, value: string): boolean {
  // What is filled in later is no secret yet.
  if (/^\{\{\w+\}\}$/.test(value)) return false;
  return SECRET_NAME.test(name) || redactSecrets(value).includes("[redacted]");
}
